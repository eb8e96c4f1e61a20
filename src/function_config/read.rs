//! Reading the function config in each of its forms, with every fault found at once.

use serde_json::{Map, Value as Json};

use super::{API_VERSION, KIND, OperatorRollout, annotation, spec_schema};
use crate::resource::{Resource, field_path};
use crate::yaml::{Kind, Value, parse};

/// A part of the function config that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{fault}", .path.is_empty().then(String::new).unwrap_or_else(|| format!("`{path}`: ")))]
pub struct Fault {
    /// The path of the field, as it stands in the form that was read.
    pub path: String,
    /// What is wrong, and what would be right.
    pub fault: String,
    /// What was found, where that is a scalar.
    pub found: Option<String>,
    /// What would be right, where one thing would be.
    pub proposed: Option<String>,
}

impl Fault {
    /// What is wrong with a source as a whole.
    #[must_use]
    pub fn of_all(fault: String) -> Self {
        Self {
            path: String::new(),
            fault,
            found: None,
            proposed: None,
        }
    }
}

/// Fields of `spec`, as far as one source gives them. A later layer wins over an earlier one, field by field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer(Map<String, Json>);

/// A layer, or everything that is wrong in its source.
pub type ReadLayer = Result<Layer, Vec<Fault>>;

impl Layer {
    /// A layer of fields in the form of the schema, such as flags give.
    ///
    /// # Errors
    ///
    /// Annotation keys that Kubernetes refuses.
    pub fn of_fields(fields: Map<String, Json>) -> ReadLayer {
        Reader { faults: Vec::new() }.finish(fields, &[])
    }
}

/// The function config that several sources give together, first the weakest, with the faults of all of them.
///
/// # Errors
///
/// The faults of any layer, or more annotations than an object may have.
pub fn config_of(
    layers: impl IntoIterator<Item = ReadLayer>,
) -> Result<OperatorRollout, Vec<Fault>> {
    let mut fields = Map::new();
    let mut faults = Vec::new();
    for layer in layers {
        match layer {
            Ok(Layer(layer)) => merge(&mut fields, layer),
            Err(found) => faults.extend(found),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let config: OperatorRollout =
        serde_json::from_value(Json::Object(fields)).map_err(|error| {
            // The layers were read by the schema of the same type.
            vec![Fault::of_all(error.to_string())]
        })?;
    let annotations = &config.deployment_annotations;
    let size: usize = annotations
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();
    if size > annotation::TOTAL_SIZE_LIMIT {
        let limit = annotation::TOTAL_SIZE_LIMIT;
        let fault = format!(
            "deploymentAnnotations together take {size} bytes, at most {limit} are allowed"
        );
        return Err(vec![Fault::of_all(fault)]);
    }
    Ok(config)
}

/// The function config of a file.
///
/// # Errors
///
/// Everything in it that is no YAML, unknown or of the wrong type.
pub fn file_layer(text: &str) -> ReadLayer {
    let fault = |fault| vec![Fault::of_all(fault)];
    let tree = parse(text).map_err(|error| fault(format!("not YAML: {error}")))?;
    let mut documents = tree.documents().filter(|document| !document.is_null());
    match (documents.next(), documents.next()) {
        (None, _) => Ok(Layer::default()),
        (Some(config), None) => layer_of(config),
        (Some(_), Some(second)) => Err(fault(format!(
            "{}: a second document, expected one",
            second.position()
        ))),
    }
}

fn merge(fields: &mut Map<String, Json>, layer: Map<String, Json>) {
    for (key, value) in layer {
        match (fields.get_mut(&key), value) {
            (Some(Json::Object(old)), Json::Object(new)) => merge(old, new),
            (_, value) => {
                fields.insert(key, value);
            }
        }
    }
}

/// Reads an `OperatorRollout`, or a `ConfigMap` whose `data` holds the same fields.
///
/// # Errors
///
/// Everything in it that is unknown or of the wrong type.
pub fn layer_of(config: Value<'_>) -> ReadLayer {
    let mut reader = Reader { faults: Vec::new() };
    let resource = Resource { root: config };
    let fields = match (resource.kind(), resource.api_version()) {
        _ if config.is_null() || config.kind() == Kind::Mapping && config.entries().is_empty() => {
            Map::new()
        }
        (KIND, API_VERSION) => reader.resource_fields(config),
        ("ConfigMap", "v1") => reader.config_map_fields(config),
        (kind, api_version) => {
            let known = matches!(kind, KIND | "ConfigMap");
            let (path, found) = if known {
                ("apiVersion", api_version)
            } else {
                ("kind", kind)
            };
            let found_words = match config.kind() {
                Kind::Mapping => format!("kind `{kind}` of `{api_version}`"),
                other => other.noun().to_owned(),
            };
            let fault = format!(
                "expected kind `{KIND}` of `{API_VERSION}`, or a `ConfigMap` of `v1`, found {found_words}"
            );
            reader.fault(path, fault, Some(found), None);
            Map::new()
        }
    };
    let root = if resource.kind() == KIND {
        "spec"
    } else {
        "data"
    };
    reader.finish(fields, &[root])
}

/// Reads fields that are given as YAML text each, by the name of the field and the place it has in an error.
///
/// # Errors
///
/// Everything in them that is unknown or of the wrong type.
pub fn layer_of_texts<'t>(
    texts: impl IntoIterator<Item = (&'t str, String, &'t str)>,
) -> ReadLayer {
    let mut reader = Reader { faults: Vec::new() };
    let schema = spec_schema();
    let mut fields = Map::new();
    for (name, path, text) in texts {
        match property(&schema, name) {
            Some(schema) => {
                if let Some(value) = reader.text(text, schema, &path) {
                    reader.check_annotation_keys(name, &value, &[&path]);
                    fields.insert(name.to_owned(), value);
                }
            }
            None => reader.unknown_field(&path, name, &property_names(&schema)),
        }
    }
    reader.layer(fields)
}

struct Reader {
    faults: Vec<Fault>,
}

impl Reader {
    fn finish(mut self, fields: Map<String, Json>, root: &[&str]) -> ReadLayer {
        for (name, value) in &fields {
            self.check_annotation_keys(name, value, &[root, &[name]].concat());
        }
        self.layer(fields)
    }

    fn layer(self, fields: Map<String, Json>) -> ReadLayer {
        if self.faults.is_empty() {
            Ok(Layer(fields))
        } else {
            Err(self.faults)
        }
    }

    fn fault(&mut self, path: &str, fault: String, found: Option<&str>, proposed: Option<&str>) {
        let (path, found, proposed) = (
            path.to_owned(),
            found.map(str::to_owned),
            proposed.map(str::to_owned),
        );
        self.faults.push(Fault {
            path,
            fault,
            found,
            proposed,
        });
    }

    fn resource_fields(&mut self, config: Value<'_>) -> Map<String, Json> {
        self.check_top_level(config, &["apiVersion", "kind", "metadata", "spec"]);
        match config.at(&["spec"]) {
            Some(spec) => match self.value(spec, &spec_schema(), &["spec"]) {
                Some(Json::Object(fields)) => fields,
                _ => Map::new(),
            },
            None => Map::new(),
        }
    }

    fn config_map_fields(&mut self, config: Value<'_>) -> Map<String, Json> {
        self.check_top_level(
            config,
            &["apiVersion", "kind", "metadata", "data", "immutable"],
        );
        let mut fields = Map::new();
        let Some(data) = config.at(&["data"]) else {
            return fields;
        };
        if data.kind() != Kind::Mapping {
            self.wrong_type(data, "a mapping", &["data"]);
        }
        self.check_duplicates(data, &["data"]);
        let schema = spec_schema();
        for (key, value) in data.entries() {
            let name = key.text().unwrap_or_default();
            let path = ["data", name];
            let Some(schema) = property(&schema, name) else {
                self.unknown_field(&field_path(&path), name, &property_names(&schema));
                continue;
            };
            let read = match value.text() {
                Some(text) => self.text(text, schema, &field_path(&path)),
                None => self.value(value, schema, &path),
            };
            fields.extend(read.map(|value| (name.to_owned(), value)));
        }
        fields
    }

    /// A field that stands beside `spec` where it should be in it would be ignored silently otherwise.
    fn check_top_level(&mut self, config: Value<'_>, known: &[&str]) {
        self.check_duplicates(config, &[]);
        for (key, _) in config.entries() {
            let name = key.text().unwrap_or_default();
            if !known.contains(&name) {
                self.unknown_field(&field_path(&[name]), name, known);
            }
        }
    }

    /// Reads a YAML text that holds the value of one field.
    fn text(&mut self, text: &str, schema: &Json, path: &str) -> Option<Json> {
        match parse(text) {
            Ok(tree) => {
                let mut documents = tree.documents();
                let value = documents.next()?;
                if documents.next().is_some() {
                    self.fault(
                        path,
                        "expected one YAML document, found several".to_owned(),
                        None,
                        None,
                    );
                    return None;
                }
                self.value(value, schema, &[path])
            }
            Err(error) => {
                self.fault(path, format!("not YAML: {error}"), None, None);
                None
            }
        }
    }

    /// The value as the schema has it; null is as good as not given.
    fn value(&mut self, value: Value<'_>, schema: &Json, path: &[&str]) -> Option<Json> {
        if value.is_null() {
            return None;
        }
        if let Some(choices) = choices(schema) {
            return self.choice(value, &choices, path);
        }
        match type_name(schema) {
            "boolean" => match (value.kind(), value.text()) {
                (Kind::Bool, Some(text)) => Some(Json::Bool(text.eq_ignore_ascii_case("true"))),
                _ => self.wrong_type(value, "true or false", path),
            },
            "string" => match value.as_str() {
                Some(text) => Some(Json::String(text.to_owned())),
                None => self.wrong_type(value, "a string", path),
            },
            _ => self.object(value, schema, path),
        }
    }

    fn object(&mut self, value: Value<'_>, schema: &Json, path: &[&str]) -> Option<Json> {
        if value.kind() != Kind::Mapping {
            return self.wrong_type(value, "a mapping", path);
        }
        self.check_duplicates(value, path);
        let names = property_names(schema);
        let mut fields = Map::new();
        for (key, value) in value.entries() {
            let name = key.text().unwrap_or_default();
            let path = [path, &[name]].concat();
            match property(schema, name)
                .or_else(|| schema.get("additionalProperties").filter(|s| s.is_object()))
            {
                Some(schema) => {
                    let mut read = self.value(value, schema, &path);
                    if read.is_none() && names.is_empty() {
                        // A null value is no string, and taking it for a missing one would drop an annotation.
                        if value.is_null() {
                            self.wrong_type(value, "a string", &path);
                        }
                        // Whatever is wrong with the value, the key is still to be looked at.
                        read = Some(Json::Null);
                    }
                    fields.extend(read.map(|value| (name.to_owned(), value)));
                }
                None => self.unknown_field(&join(&path), name, &names),
            }
        }
        Some(Json::Object(fields))
    }

    fn choice(&mut self, value: Value<'_>, choices: &[&str], path: &[&str]) -> Option<Json> {
        match value.text() {
            Some(text) if choices.contains(&text) => Some(Json::String(text.to_owned())),
            found => {
                let known = choices.join(", ");
                let nearest = found.and_then(|text| nearest(text, choices));
                let hint = nearest
                    .map(|name| format!("; did you mean `{name}`?"))
                    .unwrap_or_default();
                let fault = format!("expected one of {known}, found {}{hint}", shown(value));
                self.fault(&join(path), fault, found, nearest);
                None
            }
        }
    }

    fn check_duplicates(&mut self, mapping: Value<'_>, path: &[&str]) {
        let mut names = std::collections::HashSet::new();
        for (key, _) in mapping.own_entries() {
            let name = key.text().unwrap_or_default();
            if !names.insert(name) {
                self.fault(
                    &join(&[path, &[name]].concat()),
                    "given twice, expected once".to_owned(),
                    None,
                    None,
                );
            }
        }
    }

    /// Names the annotation keys in a field that Kubernetes refuses.
    fn check_annotation_keys(&mut self, field: &str, value: &Json, path: &[&str]) {
        let keys: Vec<(&str, &str)> = match (field, value.as_object()) {
            ("deploymentAnnotations", Some(annotations)) => annotations
                .keys()
                .map(|key| (key.as_str(), key.as_str()))
                .collect(),
            ("checksum", Some(checksum)) => checksum
                .get("annotation")
                .and_then(Json::as_str)
                .map(|key| ("annotation", key))
                .into_iter()
                .collect(),
            _ => Vec::new(),
        };
        for (place, key) in keys {
            if let Some(reason) = annotation::key_fault(key) {
                let fault = format!("not an annotation key: {reason}");
                self.fault(&join(&[path, &[place]].concat()), fault, Some(key), None);
            }
        }
    }

    fn unknown_field(&mut self, path: &str, name: &str, known: &[&str]) {
        let nearest = nearest(name, known);
        let hint = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("known are {}", known.join(", ")),
        };
        self.fault(path, format!("no such field; {hint}"), Some(name), nearest);
    }

    fn wrong_type(&mut self, value: Value<'_>, expected: &str, path: &[&str]) -> Option<Json> {
        let mut fault = format!("expected {expected}, found {}", shown(value));
        let quotable = matches!(value.kind(), Kind::Bool | Kind::Number);
        let quoted = value.text().filter(|_| expected == "a string" && quotable);
        if let Some(text) = quoted {
            fault = format!("{fault}; write \"{text}\" in quotes");
        }
        let found = value.text().filter(|_| !value.is_null());
        self.fault(&join(path), fault, found, quoted);
        None
    }
}

/// The path of a field; its first segment may be a path already.
fn join(path: &[&str]) -> String {
    match path {
        [first, rest @ ..] if first.contains(['.', '[']) => {
            let rest = field_path(rest);
            let separator = if rest.is_empty() || rest.starts_with('[') {
                ""
            } else {
                "."
            };
            format!("{first}{separator}{rest}")
        }
        _ => field_path(path),
    }
}

/// The value in the words of a message.
fn shown(value: Value<'_>) -> String {
    match value.text() {
        Some(text) if !value.is_null() => format!("{} `{text}`", value.kind().noun()),
        _ => value.kind().noun().to_owned(),
    }
}

fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let similarity = |candidate: &str| {
        strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase())
    };
    known
        .iter()
        .copied()
        .map(|candidate| (similarity(candidate), candidate))
        .filter(|(similarity, _)| *similarity >= 0.6)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

fn property<'s>(schema: &'s Json, name: &str) -> Option<&'s Json> {
    schema.get("properties")?.get(name)
}

fn property_names(schema: &Json) -> Vec<&str> {
    let properties = schema.get("properties").and_then(Json::as_object);
    properties
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect()
}

/// The type of a schema, of `[type, "null"]` the one that is not null.
fn type_name(schema: &Json) -> &str {
    match schema.get("type") {
        Some(Json::String(name)) => name,
        Some(Json::Array(names)) => names
            .iter()
            .filter_map(Json::as_str)
            .find(|name| *name != "null")
            .unwrap_or_default(),
        _ => "",
    }
}

/// The values of an enumeration, as `enum` or as constants with a description each.
fn choices(schema: &Json) -> Option<Vec<&str>> {
    let constants = schema.get("oneOf").and_then(Json::as_array)?;
    Some(
        constants
            .iter()
            .filter_map(|choice| choice.get("const")?.as_str())
            .collect(),
    )
}
