//! `tests/fixtures/operator.yaml`, changed and run through the program; what comes out is read with another YAML library.

use std::fs;
use std::path::{Path, PathBuf};

use serde_yaml::Value;

use crate::program::{Run, run_in};

/// A file or folder among the fixtures.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// The operator's list without a function config.
pub(crate) fn operator_list() -> String {
    fs::read_to_string(fixture("operator.yaml")).unwrap()
}

/// The list with a function config of that `spec`, in flow style.
pub(crate) fn with_config(list: &str, spec: &str) -> String {
    format!(
        "{list}functionConfig: {{apiVersion: fn.flink.apache.org/v1alpha1, kind: OperatorRollout, metadata: {{name: r}}, spec: {spec}}}\n"
    )
}

/// A text in which each of the changes has found its place.
pub(crate) fn changed(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from} is not in {text}");
        text.replace(from, to)
    })
}

/// What the function makes of a list.
pub(crate) fn run(list: &str) -> Outcome {
    let run = run_in(Path::new("."), &[], list.as_bytes());
    let text = String::from_utf8(run.stdout.clone()).unwrap();
    let list = serde_yaml::from_str(&text).unwrap();
    Outcome { run, text, list }
}

/// A list that came out of the function.
pub(crate) struct Outcome {
    pub(crate) run: Run,
    pub(crate) text: String,
    pub(crate) list: Value,
}

impl Outcome {
    /// The list's text up to its results.
    pub(crate) fn before_results(&self) -> &str {
        let (before, _) = self.text.rsplit_once("\nresults:\n").unwrap();
        before
    }

    /// Each result's `tags.reason`.
    pub(crate) fn reasons(&self) -> Vec<&str> {
        let results = self.list["results"].as_sequence().unwrap();
        results
            .iter()
            .map(|result| result["tags"]["reason"].as_str().unwrap())
            .collect()
    }

    /// The one item of that kind.
    pub(crate) fn item(&self, kind: &str) -> &Value {
        let mut items = self.list["items"].as_sequence().unwrap().iter();
        items.find(|item| item["kind"] == kind).unwrap()
    }

    /// The pod template's checksum.
    pub(crate) fn checksum(&self) -> Option<&str> {
        self.item("Deployment")["spec"]["template"]["metadata"]["annotations"]["checksum/config"]
            .as_str()
    }
}
