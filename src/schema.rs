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
            "apiVersion": { "const": API_VERSION },
            "kind": { "const": KIND },
            "metadata": { "type": "object" },
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
                "schema": { "openAPIV3Schema": open_api(&json_schema()) },
            }],
        },
    });
    emit::lines(&definition).join("\n") + "\n"
}

/// The same schema in `OpenAPI` 3.0's dialect, which knows neither `const` nor a list of types.
fn open_api(schema: &Json) -> Json {
    match schema {
        Json::Object(fields) => {
            let mut converted = Map::new();
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("$schema" | "title", _) => {}
                    ("const", value) => {
                        converted.insert("type".to_owned(), json!("string"));
                        converted.insert("enum".to_owned(), json!([value]));
                    }
                    ("oneOf", Json::Array(choices)) => {
                        let constants: Vec<_> = choices
                            .iter()
                            .filter_map(|choice| choice.get("const"))
                            .collect();
                        converted.insert("type".to_owned(), json!("string"));
                        converted.insert("enum".to_owned(), json!(constants));
                    }
                    ("type", Json::Array(types)) => {
                        converted.insert(key.clone(), types.first().cloned().unwrap_or_default());
                        converted.insert("nullable".to_owned(), json!(true));
                    }
                    _ => {
                        converted.insert(key.clone(), open_api(value));
                    }
                }
            }
            Json::Object(converted)
        }
        Json::Array(members) => members.iter().map(open_api).collect(),
        _ => schema.clone(),
    }
}
