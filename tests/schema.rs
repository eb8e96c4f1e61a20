//! The published schema: is it what the function reads?

#![cfg(test)]

use std::io::Write as _;
use std::process::{Command, Stdio};

use flink_operator_rollout::function_config::read::file_layer;
use flink_operator_rollout::schema::{function_definition, json_schema};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
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

/// What a structural schema may say of any value, and what only of one that is no logical part of another schema.
///
/// <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema>
const VALIDATIONS: [&str; 5] = ["enum", "pattern", "required", "allOf", "not"];
const GENERIC: [&str; 6] = [
    "type",
    "description",
    "default",
    "nullable",
    "properties",
    "additionalProperties",
];

fn assert_structural(schema: &Value, path: &str, is_logical: bool) {
    let fields = schema.as_object().unwrap();
    for key in fields.keys().map(String::as_str) {
        let generic = !is_logical && GENERIC.contains(&key);
        assert!(generic || VALIDATIONS.contains(&key), "{path}: {key}");
    }
    if !is_logical {
        let types = ["object", "string", "boolean"];
        assert!(types.contains(&schema["type"].as_str().unwrap()), "{path}");
    }
    let both = fields.contains_key("properties") && fields.contains_key("additionalProperties");
    assert!(!both, "{path}");
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        assert_structural(field, &format!("{path}.{name}"), false);
    }
    if let Some(values) = fields.get("additionalProperties") {
        assert_structural(values, &format!("{path}[]"), false);
    }
    for part in schema["allOf"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(fields.get("not"))
    {
        assert_structural(part, &format!("{path}: allOf, not"), true);
    }
}

#[test]
fn the_definition_has_a_structural_schema() {
    let definition: Value = serde_yaml::from_str(&function_definition()).unwrap();
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    assert_structural(schema, "", false);
    // Nothing may be said of it but names.
    assert_eq!(
        schema["properties"]["metadata"],
        serde_json::json!({"type": "object"})
    );
    let spec = &schema["properties"]["spec"]["properties"];
    assert_eq!(
        spec["configCheck"]["enum"],
        serde_json::json!(["Skip", "Warn", "Refuse"])
    );
    assert_eq!(
        spec["checksum"]["properties"]["annotation"]["allOf"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

/// Keys that Kubernetes and the function take, and keys that they do not.
fn keys() -> (Vec<String>, Vec<String>) {
    let long = |length: usize| "a".repeat(length);
    let labels = |length: usize| "ab.".repeat(100)[..length].to_owned();
    let good = [
        "a",
        "A",
        "0",
        "checksum/config",
        "example.com/a",
        "0.a-b.c/d",
        "a/B_c.d-e",
        "reloader.stakater.com/auto",
        "myconfig.kubernetes.io/a",
        "config.kubernetes.io",
        "config.kubernetes.io.example.com/a",
        "config-kubernetes.io/a",
        "xconfig.k8s.io/a",
        "postrenderer.helm.sh.example.com/a",
        "kubernetes.io/a",
    ];
    let bad = [
        "",
        "/",
        "/a",
        "a/",
        "a/b/c",
        "a//b",
        "-a",
        "a-",
        ".a",
        "a.",
        "_a",
        "a_",
        "a b",
        "a:b",
        "é",
        "a/é",
        "é/a",
        "a\nb",
        "\na",
        " a",
        "A/b",
        "a_b/c",
        "-a/b",
        "a-/b",
        ".a/b",
        "a./b",
        "a..b/c",
        "a.-b/c",
        "config.kubernetes.io/a",
        "internal.config.kubernetes.io/a",
        "a.b.config.kubernetes.io/a",
        "config.k8s.io/a",
        "alpha.config.k8s.io/a",
        "postrenderer.helm.sh/a",
        "x.postrenderer.helm.sh/a",
    ];
    let owned = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    let (mut good, mut bad) = (owned(&good), owned(&bad));
    good.extend([long(63), format!("{}/{}", long(253), long(63))]);
    good.push(format!("{}/a", labels(253)));
    bad.extend([
        long(64),
        format!("a/{}", long(64)),
        format!("{}/a", long(254)),
    ]);
    bad.push(format!("{}a/a", labels(253)));
    (good, bad)
}

/// A function config with that key in one of the places where one stands.
fn configs(key: &str) -> [Value; 2] {
    let config = |spec: Value| serde_json::json!({"apiVersion": "fn.flink.apache.org/v1alpha1", "kind": "OperatorRollout", "spec": spec});
    [
        config(serde_json::json!({"deploymentAnnotations": {key: "b"}})),
        config(serde_json::json!({"checksum": {"annotation": key}})),
    ]
}

#[test]
fn the_function_takes_the_keys_that_kubernetes_takes_and_no_other() {
    let (good, bad) = keys();
    for (keys, is_good) in [(good, true), (bad, false)] {
        for key in keys {
            for config in configs(&key) {
                assert_eq!(file_layer(&config.to_string()).is_ok(), is_good, "{config}");
            }
        }
    }
}

/// Whether each of the texts, as lines of JSON, is valid for the schema in the first.
const VALIDATE: &str = "
import json, sys, jsonschema
schema, *instances = map(json.loads, sys.stdin)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
print(json.dumps([validator.is_valid(instance) for instance in instances]))
";

fn are_valid(schema: &Value, instances: &[Value]) -> Vec<bool> {
    let input = std::iter::once(schema).chain(instances);
    let input: Vec<String> = input.map(|json| format!("{json}\n")).collect();
    let input = input.concat();
    let mut python = Command::new("python3")
        .args(["-c", VALIDATE])
        .env(
            "PYTHONPATH",
            concat!(env!("CARGO_MANIFEST_DIR"), "/target/tools/python"),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
#[ignore = "needs jsonschema"]
fn schema_and_function_take_the_same_annotation_keys() {
    let (good, bad) = keys();
    let mut runner = TestRunner::deterministic();
    let parts = "[aA0é._ :-]{0,3}|config\\.k8s\\.io|a\\.config\\.kubernetes\\.io|[a-z]{62,65}|[a-z]{252,254}";
    let made = proptest::collection::vec(parts, 1..4).prop_map(|parts| parts.join("/"));
    let made: Vec<String> = (0..500)
        .map(|_| made.new_tree(&mut runner).unwrap().current())
        .collect();
    let keys = good.iter().chain(&bad).chain(&made);
    let instances: Vec<Value> = keys.flat_map(|key| configs(key)).collect();
    let schema = json_schema();
    let definition: Value = serde_yaml::from_str(&function_definition()).unwrap();
    let structural = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let takes = instances
        .iter()
        .map(|config| file_layer(&config.to_string()).is_ok());
    let verdicts = takes
        .zip(are_valid(&schema, &instances))
        .zip(are_valid(structural, &instances));
    let mut counts = [0, 0];
    for (config, ((taken, valid), valid_structural)) in instances.iter().zip(verdicts) {
        assert_eq!(taken, valid, "{config}");
        // It cannot say anything about the keys of a map.
        let is_map = config["spec"]["checksum"].is_null();
        assert_eq!(taken || is_map, valid_structural, "{config}");
        counts[usize::from(taken)] += 1;
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
#[ignore = "needs jsonschema"]
fn the_schema_takes_the_examples_and_refuses_what_the_function_refuses() {
    let with = |spec: &str| {
        let config = format!(
            "apiVersion: fn.flink.apache.org/v1alpha1\nkind: OperatorRollout\nmetadata: {{name: a, annotations: {{b: c}}}}\nspec: {spec}\n"
        );
        serde_yaml::from_str::<Value>(&config).unwrap()
    };
    let good = [
        "{}",
        "{restartOnConfigChange: true, target: {name: a, labels: {b: c}, optional: true}}",
        "{checksum: {covers: RestartRequired, sources: AllConfigMaps}, configCheck: Skip}",
    ];
    let bad = [
        "{restartOnConfigChanges: true}",
        "{restartOnConfigChange: 'true'}",
        "{deploymentAnnotations: {a: 1}}",
        "{checksum: {covers: data}}",
        "{target: {names: a}}",
        "{configCheck: Off}",
        "[]",
    ];
    let instances: Vec<Value> = good.iter().chain(&bad).map(|spec| with(spec)).collect();
    let verdicts = are_valid(&json_schema(), &instances);
    for (place, (config, valid)) in instances.iter().zip(verdicts).enumerate() {
        assert_eq!(valid, place < good.len(), "{config}");
        assert_eq!(file_layer(&config.to_string()).is_ok(), valid, "{config}");
    }
}
