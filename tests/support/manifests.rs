//! Rendered manifests as the tests look at them: read with another YAML library than the product's,
//! and hashed here by hand.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_yaml::{Deserializer, Value};
use sha2::{Digest, Sha256};

/// The documents of a stream, as an applier sees them: none that is null, and a `List` as its items.
pub(crate) fn read(stream: &str) -> Vec<Value> {
    Deserializer::from_str(stream)
        .map(|document| serde::Deserialize::deserialize(document).unwrap())
        .filter(|document: &Value| !document.is_null())
        .flat_map(|document| match document.get("items") {
            Some(Value::Sequence(items)) => items.clone(),
            _ => vec![document],
        })
        .collect()
}

/// The one manifest of that kind.
pub(crate) fn only<'a>(manifests: &'a [Value], kind: &str) -> &'a Value {
    let of_kind: Vec<&Value> = manifests.iter().filter(|m| m["kind"] == kind).collect();
    assert_eq!(of_kind.len(), 1, "{kind} in {manifests:?}");
    of_kind[0]
}

/// The checksum that the pod template carries.
pub(crate) fn carried_checksum(deployment: &Value) -> Option<&str> {
    deployment["spec"]["template"]["metadata"]["annotations"]["checksum/config"].as_str()
}

/// SHA-256 of the line `{"binaryData":{},"data":{…}}` of a `ConfigMap` that has text only.
pub(crate) fn checksum(config_map: &Value) -> String {
    assert!(config_map.get("binaryData").is_none());
    let data: BTreeMap<String, String> =
        serde_yaml::from_value(config_map["data"].clone()).unwrap();
    let data = serde_json::to_string(&data).unwrap();
    hex::encode(Sha256::digest(format!(
        "{{\"binaryData\":{{}},\"data\":{data}}}\n"
    )))
}

/// A folder of the examples.
pub(crate) fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples")
        .join(path)
}

/// A `PATH` with `first`, then this build's binary, then the tools that the project's own install puts
/// beside it, then what is there anyway.
pub(crate) fn search_path(first: &[&Path]) -> OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_flink-operator-rollout"));
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/bin");
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = first
        .iter()
        .map(|folder| folder.to_path_buf())
        .chain(binary.parent().map(Path::to_path_buf))
        .chain([tools])
        .chain(std::env::split_paths(&inherited));
    std::env::join_paths(folders).unwrap()
}
