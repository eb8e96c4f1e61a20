//! The published schema: is it what the function reads?

#![cfg(test)]

use flink_operator_rollout::function_config::read::file_layer;
use flink_operator_rollout::schema::{function_definition, json_schema};
use serde_json::Value;
use snapbox::{Data, assert_data_eq, file};

#[test]
fn the_committed_schema_is_up_to_date() {
    let schema = format!("{:#}\n", json_schema());
    assert_data_eq!(
        Data::text(schema),
        file!["../schema/operator-rollout.schema.json": Text].raw()
    );
}

#[test]
fn the_committed_function_definition_is_up_to_date() {
    assert_data_eq!(
        Data::text(function_definition()),
        file!["../schema/krm-function-definition.yaml": Text].raw()
    );
}

/// Each field of a schema, with its path.
fn fields(schema: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        fields(field, &path, found);
        found.push((path, field.clone()));
    }
}

#[test]
fn each_field_says_what_it_is_for_and_what_its_default_is() {
    let mut found = Vec::new();
    fields(&json_schema()["properties"]["spec"], "spec", &mut found);
    assert_eq!(found.len(), 12, "{found:#?}");
    for (path, field) in found {
        assert!(
            field["description"]
                .as_str()
                .is_some_and(|text| text.len() > 10),
            "{path}"
        );
        let optional = ["spec.target.name", "spec.target.namespace"].contains(&path.as_str());
        assert!(optional || field.get("default").is_some(), "{path}");
    }
}

/// The values that one of the schema's enumerations allows.
fn choices<'s>(schema: &'s Value, path: &[&str]) -> Vec<&'s str> {
    let field = path
        .iter()
        .fold(&schema["properties"]["spec"], |field, key| {
            &field["properties"][*key]
        });
    let choices = field["oneOf"].as_array().unwrap();
    choices
        .iter()
        .map(|choice| choice["const"].as_str().unwrap())
        .collect()
}

#[test]
fn the_function_takes_each_value_of_an_enumeration_and_no_other() {
    let schema = json_schema();
    for path in [
        &["checksum", "covers"][..],
        &["checksum", "sources"],
        &["configCheck"],
    ] {
        let config = |value: &str| {
            let field = path
                .iter()
                .rev()
                .fold(value.to_owned(), |inner, key| format!("{{{key}: {inner}}}"));
            file_layer(&format!(
                "apiVersion: fn.flink.apache.org/v1alpha1\nkind: OperatorRollout\nspec: {field}\n"
            ))
        };
        for choice in choices(&schema, path) {
            assert!(config(choice).is_ok(), "{path:?} {choice}");
            assert!(config(&choice.to_lowercase()).is_err(), "{path:?} {choice}");
        }
    }
}

#[test]
fn the_definition_is_a_structural_openapi_schema() {
    let definition: Value = serde_yaml::from_str(&function_definition()).unwrap();
    let schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone();
    assert_eq!(
        schema["properties"]["spec"]["properties"]["configCheck"]["enum"],
        serde_json::json!(["Skip", "Warn", "Refuse"])
    );
    let mut waiting = vec![schema];
    while let Some(value) = waiting.pop() {
        for (key, value) in value.as_object().into_iter().flatten() {
            assert!(
                !["const", "oneOf", "$schema"].contains(&key.as_str()),
                "{key}"
            );
            assert!(
                key != "type" || value.is_string() || value.is_object(),
                "{value}"
            );
            waiting.push(value.clone());
        }
    }
}
