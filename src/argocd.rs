//! Options as Argo CD hands them to a config management plugin: `ARGOCD_ENV_*`, the entries of the Application's
//! `plugin.env`, and `ARGOCD_APP_PARAMETERS`, its `plugin.parameters` as JSON.

use std::ffi::OsString;

use serde_json::{Map, Value as Json};

use crate::function_config::read::{Fault, ReadLayer, layer_of_texts};
use crate::function_config::spec_schema;

const PARAMETERS: &str = "ARGOCD_APP_PARAMETERS";

/// What the environment gives of the function config: first the variables, then the parameters, which win.
///
/// `variable` gives the value of an environment variable. What is not set stays open: Argo CD never sends the defaults that
/// a plugin announces.
///
/// # Errors
///
/// Everything that is wrong, by the name of the variable and the parameter.
pub fn layers(variable: impl Fn(&str) -> Option<OsString>) -> [ReadLayer; 2] {
    [environment(&variable), parameters(&variable)]
}

/// Each field from the variable of its name: `configCheck` from `ARGOCD_ENV_CONFIG_CHECK`.
///
/// Others are left to the renderer that runs before the function.
fn environment(variable: &impl Fn(&str) -> Option<OsString>) -> ReadLayer {
    let schema = spec_schema();
    let fields = schema.get("properties").and_then(Json::as_object);
    let mut texts = Vec::new();
    let mut faults = Vec::new();
    for field in fields.into_iter().flat_map(Map::keys) {
        let name = variable_name(field);
        match text(variable, &name) {
            Ok(text) => texts.extend(text.map(|text| (field.as_str(), name, text))),
            Err(fault) => faults.push(fault),
        }
    }
    layer(&texts, faults)
}

fn variable_name(field: &str) -> String {
    let mut name = String::from("ARGOCD_ENV_");
    for character in field.chars() {
        if character.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(character.to_ascii_uppercase());
    }
    name
}

fn parameters(variable: &impl Fn(&str) -> Option<OsString>) -> ReadLayer {
    let json = text(variable, PARAMETERS).map_err(|fault| vec![fault])?;
    let parameters = list(&json.unwrap_or_default()).map_err(|fault| vec![fault])?;
    let mut texts: Vec<(&str, String, String)> = Vec::new();
    let mut faults = Vec::new();
    for (index, parameter) in parameters.iter().enumerate() {
        let Some(name) = parameter.get("name").and_then(Json::as_str) else {
            let found = match kind(parameter) {
                "an object" => "one without",
                other => other,
            };
            faults.push(fault(
                &format!("{PARAMETERS}[{index}]"),
                format!("expected an object with a \"name\", found {found}"),
            ));
            continue;
        };
        let path = format!("{PARAMETERS}[{name:?}]");
        if texts.iter().any(|(known, ..)| *known == name) {
            faults.push(fault(&path, "given twice, expected once".to_owned()));
        }
        match value(parameter) {
            Ok(text) => texts.push((name, path, text)),
            Err(found) => faults.push(fault(
                &path,
                format!(
                    "expected a \"string\" with YAML text, or a \"map\" with strings, found {found}"
                ),
            )),
        }
    }
    layer(&texts, faults)
}

/// The list of parameters: none when the Application names the plugin and nothing else.
fn list(json: &str) -> Result<Vec<Json>, Fault> {
    let expected =
        r#"expected a JSON array such as [{"name": "restartOnConfigChange", "string": "true"}]"#;
    if json.is_empty() {
        return Ok(Vec::new());
    }
    match serde_json::from_str(json) {
        Ok(Json::Array(parameters)) => Ok(parameters),
        Ok(Json::Null) => Ok(Vec::new()),
        Ok(other) => Err(fault(
            PARAMETERS,
            format!("{expected}, found {}", kind(&other)),
        )),
        Err(error) => Err(fault(
            PARAMETERS,
            format!("{expected}, found no JSON: {error}"),
        )),
    }
}

/// The YAML text of a parameter's value, or what is there instead.
fn value(parameter: &Json) -> Result<String, String> {
    let given: Vec<(&str, &Json)> = ["string", "array", "map"]
        .into_iter()
        .filter_map(|key| Some((key, parameter.get(key)?)))
        .filter(|(_, value)| !value.is_null())
        .collect();
    match given.as_slice() {
        [("string", Json::String(text))] => Ok(text.clone()),
        [("map", map @ Json::Object(entries))] => {
            match entries.iter().find(|(_, value)| !value.is_string()) {
                None => Ok(map.to_string()),
                Some((key, value)) => Err(format!("{} at {key:?} of the \"map\"", kind(value))),
            }
        }
        [("array", _)] => Err("an \"array\"".to_owned()),
        [(key, value)] => Err(format!("{} as {key:?}", kind(value))),
        [] => Err("neither".to_owned()),
        several => {
            let keys: Vec<String> = several.iter().map(|(key, _)| format!("{key:?}")).collect();
            Err(keys.join(" and "))
        }
    }
}

/// The text of a variable, where that is set. Some versions of Argo CD drop an empty variable and some pass it on, so that is
/// no different from one that is not set.
fn text(variable: &impl Fn(&str) -> Option<OsString>, name: &str) -> Result<Option<String>, Fault> {
    let text = variable(name).map(OsString::into_string).transpose();
    match text {
        Ok(text) => Ok(text.filter(|text| !text.is_empty())),
        Err(_) => Err(fault(
            name,
            "expected text, found bytes that are no UTF-8".to_owned(),
        )),
    }
}

fn layer(texts: &[(&str, String, String)], mut faults: Vec<Fault>) -> ReadLayer {
    let texts = texts
        .iter()
        .map(|(field, path, text)| (*field, path.clone(), text.as_str()));
    match layer_of_texts(texts) {
        Ok(layer) if faults.is_empty() => Ok(layer),
        read => {
            faults.extend(read.err().into_iter().flatten());
            Err(faults)
        }
    }
}

fn fault(path: &str, fault: String) -> Fault {
    Fault {
        path: path.to_owned(),
        fault,
        found: None,
        proposed: None,
    }
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::function_config::OperatorRollout;
    use crate::function_config::read::config_of;

    /// The function config from these variables alone, or the messages.
    fn read(environment: &[(&str, &str)]) -> Result<OperatorRollout, Vec<String>> {
        let variable = |name: &str| {
            let (_, value) = environment.iter().find(|(known, _)| *known == name)?;
            Some(OsString::from(value))
        };
        config_of(layers(variable))
            .map_err(|faults| faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn options_come_from_parameters_and_from_the_environment() {
        let cases = [
            ("neither is there", vec![], json!({})),
            (
                "a plugin block without parameters",
                vec![("ARGOCD_APP_PARAMETERS", "null")],
                json!({}),
            ),
            ("none", vec![("ARGOCD_APP_PARAMETERS", "[]")], json!({})),
            ("empty", vec![("ARGOCD_APP_PARAMETERS", "")], json!({})),
            (
                "a string is YAML text",
                vec![(
                    "ARGOCD_APP_PARAMETERS",
                    r#"[{"name":"restartOnConfigChange","string":"true"},{"name":"checksum","string":"{covers: Mounted}"}]"#,
                )],
                json!({"restartOnConfigChange": true, "checksum": {"covers": "Mounted"}}),
            ),
            (
                "the values of a map stay strings, and keys with a slash whole",
                vec![(
                    "ARGOCD_APP_PARAMETERS",
                    r#"[{"name":"deploymentAnnotations","map":{"reloader.stakater.com/auto":"true"}}]"#,
                )],
                json!({"deploymentAnnotations": {"reloader.stakater.com/auto": "true"}}),
            ),
            (
                "an emptied map",
                vec![(
                    "ARGOCD_APP_PARAMETERS",
                    r#"[{"name":"deploymentAnnotations","map":{}}]"#,
                )],
                json!({}),
            ),
            (
                "every field has its variable",
                vec![
                    ("ARGOCD_ENV_RESTART_ON_CONFIG_CHANGE", "true"),
                    ("ARGOCD_ENV_DEPLOYMENT_ANNOTATIONS", "a/b: c"),
                    ("ARGOCD_ENV_TARGET", "name: operator"),
                    ("ARGOCD_ENV_CHECKSUM", "covers: Mounted"),
                    ("ARGOCD_ENV_CONFIG_CHECK", "Refuse"),
                ],
                json!({
                    "restartOnConfigChange": true,
                    "deploymentAnnotations": {"a/b": "c"},
                    "target": {"name": "operator"},
                    "checksum": {"covers": "Mounted"},
                    "configCheck": "Refuse",
                }),
            ),
            (
                "an empty variable is one that is not there",
                vec![("ARGOCD_ENV_RESTART_ON_CONFIG_CHANGE", "")],
                json!({}),
            ),
            (
                "variables of the renderer are none of ours",
                vec![("ARGOCD_ENV_VALUES", "values-prod.yaml")],
                json!({}),
            ),
            (
                "a parameter wins over the variable",
                vec![
                    ("ARGOCD_ENV_RESTART_ON_CONFIG_CHANGE", "true"),
                    ("ARGOCD_ENV_CONFIG_CHECK", "Refuse"),
                    (
                        "ARGOCD_APP_PARAMETERS",
                        r#"[{"name":"restartOnConfigChange","string":"false"}]"#,
                    ),
                ],
                json!({"restartOnConfigChange": false, "configCheck": "Refuse"}),
            ),
        ];
        for (what, environment, expected) in cases {
            let expected: OperatorRollout = serde_json::from_value(expected).unwrap();
            assert_eq!(read(&environment), Ok(expected), "{what}");
        }
    }

    #[test]
    fn a_parameter_that_cannot_be_taken_is_named_with_what_would_be_right() {
        let value = r#"expected a "string" with YAML text, or a "map" with strings"#;
        let list = r#"expected a JSON array such as [{"name": "restartOnConfigChange", "string": "true"}]"#;
        let cases = [
            (
                r#"[{"name":"restartOnConfigChanges","string":"true"}]"#,
                vec![r#"`ARGOCD_APP_PARAMETERS["restartOnConfigChanges"]`: no such field; did you mean `restartOnConfigChange`?"#.to_owned()],
            ),
            (
                r#"[{"name":"restartOnConfigChange","string":"maybe"}]"#,
                vec![r#"`ARGOCD_APP_PARAMETERS["restartOnConfigChange"]`: expected true or false, found a string `maybe`"#.to_owned()],
            ),
            (
                r#"[{"name":"target","string":"{}"},{"name":"target","string":"{}"}]"#,
                vec![r#"`ARGOCD_APP_PARAMETERS["target"]`: given twice, expected once"#.to_owned()],
            ),
            (
                r#"[{"name":"deploymentAnnotations","array":["a=b"]},{"name":"configCheck"},
                    {"name":"restartOnConfigChange","string":true},{"name":"target","string":"","map":{}},
                    {"name":"checksum","map":{"covers":1}}]"#,
                vec![
                    format!(r#"`ARGOCD_APP_PARAMETERS["deploymentAnnotations"]`: {value}, found an "array""#),
                    format!(r#"`ARGOCD_APP_PARAMETERS["configCheck"]`: {value}, found neither"#),
                    format!(r#"`ARGOCD_APP_PARAMETERS["restartOnConfigChange"]`: {value}, found a boolean as "string""#),
                    format!(r#"`ARGOCD_APP_PARAMETERS["target"]`: {value}, found "string" and "map""#),
                    format!(r#"`ARGOCD_APP_PARAMETERS["checksum"]`: {value}, found a number at "covers" of the "map""#),
                ],
            ),
            (
                r#"["restartOnConfigChange",{"string":"true"}]"#,
                vec![
                    r#"`ARGOCD_APP_PARAMETERS[0]`: expected an object with a "name", found a string"#.to_owned(),
                    r#"`ARGOCD_APP_PARAMETERS[1]`: expected an object with a "name", found one without"#.to_owned(),
                ],
            ),
            (
                r#"{"restartOnConfigChange":"true"}"#,
                vec![format!("`ARGOCD_APP_PARAMETERS`: {list}, found an object")],
            ),
            (
                "restartOnConfigChange=true",
                vec![format!("`ARGOCD_APP_PARAMETERS`: {list}, found no JSON: expected value at line 1 column 1")],
            ),
        ];
        for (parameters, expected) in cases {
            assert_eq!(
                read(&[("ARGOCD_APP_PARAMETERS", parameters)]),
                Err(expected),
                "{parameters}"
            );
        }
    }

    #[test]
    fn a_variable_that_cannot_be_taken_is_named_beside_the_parameters() {
        let faults = read(&[
            ("ARGOCD_ENV_DEPLOYMENT_ANNOTATIONS", "{no spaces: x}"),
            ("ARGOCD_ENV_CHECKSUM", "{covers: Everything}"),
            ("ARGOCD_ENV_CONFIG_CHECK", "refuse"),
            ("ARGOCD_APP_PARAMETERS", r#"[{"name":"x","string":""}]"#),
        ])
        .unwrap_err();
        let named: Vec<&str> = faults
            .iter()
            .filter_map(|fault| fault.split('`').nth(1))
            .collect();
        assert_eq!(
            named,
            [
                r#"ARGOCD_ENV_DEPLOYMENT_ANNOTATIONS["no spaces"]"#,
                "ARGOCD_ENV_CHECKSUM.covers",
                "ARGOCD_ENV_CONFIG_CHECK",
                r#"ARGOCD_APP_PARAMETERS["x"]"#
            ]
        );
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_refused_by_the_name_of_the_variable() {
        use std::os::unix::ffi::OsStringExt as _;

        let faults =
            layers(|name| (name == "ARGOCD_ENV_TARGET").then(|| OsString::from_vec(vec![0xff])))
                .into_iter()
                .filter_map(Result::err)
                .flatten()
                .collect::<Vec<_>>();
        let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
        assert_eq!(paths, ["ARGOCD_ENV_TARGET"]);
    }
}
