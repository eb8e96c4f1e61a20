//! The function config for machines: JSON Schema for editors, `KRMFunctionDefinition` for catalogs.

use serde_json::{Map, Value as Json, json};

use crate::function_config::{API_VERSION, KIND, spec_schema};
use crate::yaml::emit;

/// JSON Schema (2020-12) of an `OperatorRollout`, with descriptions, defaults and the values of each enumeration.
#[must_use]
pub fn json_schema() -> Json {
    let spec = spec_schema();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": KIND,
        "description": spec.get("description"),
        "type": "object",
        "required": ["apiVersion", "kind"],
        "additionalProperties": false,
        "properties": {
            "apiVersion": { "const": API_VERSION, "description": "Group and version of this function config." },
            "kind": { "const": KIND, "description": "Kind of this function config." },
            "metadata": {
                "type": "object",
                "description": "What any Kubernetes object has. It does not change what the function does.",
                "properties": {
                    "name": { "type": "string", "description": "Name of this function config, which kustomize asks for." },
                },
            },
            "spec": spec,
        },
    })
}

/// The function as `KRMFunctionDefinition` of `config.kubernetes.io/v1alpha1`, in YAML.
///
/// <https://github.com/kubernetes/enhancements/tree/master/keps/sig-cli/2906-kustomize-function-catalog>
#[must_use]
pub fn function_definition() -> String {
    let (group, version) = API_VERSION.split_once('/').unwrap_or_default();
    let home = env!("CARGO_PKG_REPOSITORY");
    let definition = json!({
        "apiVersion": "config.kubernetes.io/v1alpha1",
        "kind": "KRMFunctionDefinition",
        "metadata": { "name": format!("operatorrollout.{group}") },
        "spec": {
            "group": group,
            "names": { "kind": KIND },
            "description": env!("CARGO_PKG_DESCRIPTION"),
            "publisher": env!("CARGO_PKG_NAME"),
            "home": home,
            "tags": ["mutator", "flink"],
            "versions": [{
                "name": version,
                "idempotent": true,
                "license": env!("CARGO_PKG_LICENSE"),
                "usage": format!("{home}#readme"),
                "runtime": {
                    "container": { "image": concat!("ghcr.io/flink-operator-rollout/flink-operator-rollout:v", env!("CARGO_PKG_VERSION")) },
                },
                "schema": { "openAPIV3Schema": structural(&json_schema()) },
            }],
        },
    });
    emit::lines(&definition).join("\n") + "\n"
}

/// The same schema as Kubernetes has it in a `CustomResourceDefinition`: structural, in the dialect of `OpenAPI` 3.0, which
/// knows neither `const` nor a list of types, and nothing about the keys of a map or about fields that are not there.
///
/// <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema>
fn structural(schema: &Json) -> Json {
    let mut converted = field(schema);
    if let Some(metadata) = converted.pointer_mut("/properties/metadata") {
        // Nothing more may be said of it.
        *metadata = json!({ "type": "object" });
    }
    converted
}

fn field(schema: &Json) -> Json {
    let mut converted = Map::new();
    let mut insert = |key: &str, value| converted.insert(key.to_owned(), value);
    for (key, value) in schema.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("$schema" | "title" | "propertyNames", _)
            | ("additionalProperties", Json::Bool(_)) => {}
            ("const", value) => {
                insert("type", json!("string"));
                insert("enum", json!([value]));
            }
            ("oneOf", Json::Array(choices)) => {
                let constants = choices.iter().filter_map(|choice| choice.get("const"));
                insert("type", json!("string"));
                insert("enum", constants.cloned().collect());
            }
            ("type", Json::Array(types)) => {
                insert(key, types.first().cloned().unwrap_or_default());
                insert("nullable", json!(true));
            }
            ("properties", Json::Object(fields)) => {
                let fields = fields.iter();
                insert(
                    key,
                    fields
                        .map(|(name, schema)| (name.clone(), field(schema)))
                        .collect(),
                );
            }
            ("additionalProperties", schema) => {
                insert(key, field(schema));
            }
            _ => {
                insert(key, value.clone());
            }
        }
    }
    Json::Object(converted)
}
