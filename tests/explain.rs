//! `explain`: does a person who decides about switching the function on see what would happen, and nothing secret?
//!
//! A case is a folder in `tests/explain`: `input.yaml` on stdin, `config.yaml` where there is one, `expected.txt` for all of
//! stdout, and `expected.json` for the same with `--output json`.

#![cfg(test)]

#[path = "support/program.rs"]
mod program;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use program::run_in;
use serde_json::Value as Json;

const CASES: [&str; 4] = ["stream", "resource-list", "switched-off", "refused"];

fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/explain")
        .join(case)
}

fn args(case: &str) -> Vec<&'static str> {
    let has_config = folder(case).join("config.yaml").exists();
    let config: &[&str] = if has_config {
        &["--config", "config.yaml"]
    } else {
        &[]
    };
    [&["explain"], config].concat()
}

fn explain(case: &str, more: &[&str]) -> program::Run {
    let input = fs::read(folder(case).join("input.yaml")).unwrap();
    run_in(&folder(case), &[&args(case), more].concat(), &input)
}

#[test]
fn the_text_is_laid_out_for_a_person_and_without_colour_when_nobody_looks() {
    for case in CASES {
        let run = explain(case, &[]);
        let expected = fs::read_to_string(folder(case).join("expected.txt")).unwrap();
        assert_eq!(String::from_utf8(run.stdout).unwrap(), expected, "{case}");
        assert_eq!(run.stderr, "", "{case}");
        assert_eq!(run.code, Some(i32::from(case == "refused")), "{case}");
    }
}

#[test]
fn no_line_of_the_text_is_wider_than_100_columns() {
    for case in CASES {
        let text = String::from_utf8(explain(case, &[]).stdout).unwrap();
        let wide = text.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "{case}");
    }
}

#[test]
fn the_json_holds_the_same_for_scripts() {
    for case in ["stream", "resource-list"] {
        let run = explain(case, &["--output", "json"]);
        let expected = fs::read(folder(case).join("expected.json")).unwrap();
        let expected: Json = serde_json::from_slice(&expected).unwrap();
        let actual: Json = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(actual, expected, "{case}");
        assert_eq!(run.code, Some(0), "{case}");
    }
}

#[test]
fn the_json_tells_what_switching_on_would_bring() {
    let run = explain("switched-off", &["--output", "json"]);
    let json: Json = serde_json::from_slice(&run.stdout).unwrap();
    let reasons = |field: &str| -> Vec<String> {
        let results = json[field].as_array().unwrap().iter();
        let reason = |result: &Json| result["tags"]["reason"].as_str().unwrap().to_owned();
        results.map(reason).collect()
    };
    assert_eq!(reasons("results"), ["NothingToDo"]);
    let mut switched_on = reasons("resultsWhenSwitchedOn");
    switched_on.sort();
    assert_eq!(switched_on, ["ChecksumAdded", "ConfigPartlyManaged"]);
}

/// What `explain` prints on a terminal, with more environment.
fn on_a_terminal(environment: &[(&str, &str)]) -> String {
    let program = env!("CARGO_BIN_EXE_flink-operator-rollout");
    let command = format!("'{program}' explain < input.yaml");
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .current_dir(folder("stream"))
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .env_remove("CLICOLOR_FORCE")
        .env("TERM", "xterm")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_terminal_gets_colour_unless_no_color_is_set() {
    const ESCAPE: char = '\u{1b}';
    assert!(on_a_terminal(&[]).contains(ESCAPE));
    let plain = on_a_terminal(&[("NO_COLOR", "1")]);
    assert!(plain.contains("Deployment flink/op") && !plain.contains(ESCAPE));
}

#[test]
fn colour_can_be_forced_into_a_pipe() {
    let mut explain = Command::new(env!("CARGO_BIN_EXE_flink-operator-rollout"));
    let input = fs::File::open(folder("stream").join("input.yaml")).unwrap();
    explain.arg("explain").stdin(input).env_remove("NO_COLOR");
    let forced = explain.env("CLICOLOR_FORCE", "1").output().unwrap().stdout;
    assert!(forced.contains(&0x1b));
    let json = explain.args(["--output", "json"]).output().unwrap().stdout;
    assert!(!json.contains(&0x1b), "JSON is for scripts");
}

#[test]
fn a_name_cannot_command_the_terminal_or_the_shell() {
    let input = fs::read_to_string(folder("stream").join("input.yaml")).unwrap();
    for name in [r"op\e[2J", "$(reboot)", "a'b", "-o", "a b"] {
        let named = input.replace("flink-operator-config", &format!("\"{name}\""));
        let run = run_in(&folder("stream"), &["explain"], named.as_bytes());
        let text = String::from_utf8(run.stdout).unwrap();
        assert!(text.contains("  checksum    9359bae0"), "{name}: {text}");
        assert!(!text.contains('\u{1b}'), "{name}: {text}");
        assert!(!text.contains("kubectl"), "{name}: {text}");
    }
}

/// Parts of what a Secret holds, plain and as base64, none of which may ever be told.
const SECRETS: [&str; 6] = [
    "swordfish",
    "c3dvcmRmaXNo",
    "secret.option",
    "c2VjcmV0Lm9wdGlvbj",
    "n0tbase64",
    "4815162342",
];

/// An operator that mounts a Secret as its configuration and reads it as environment variables.
fn with_secret(data: &str) -> String {
    format!(
        "apiVersion: v1
kind: Secret
metadata: {{name: s, namespace: flink}}
{data}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: c, namespace: flink}}
data: {{a: b}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: op, namespace: flink}}
spec:
  template:
    spec:
      containers:
      - name: op
        command: [/docker-entrypoint.sh, operator]
        envFrom: [{{secretRef: {{name: s}}}}]
        env:
        - {{name: A, valueFrom: {{secretKeyRef: {{name: s, key: config.yaml}}}}}}
        volumeMounts:
        - {{name: s, mountPath: /opt/flink/conf}}
        - {{name: c, mountPath: /opt/flink/conf/more}}
      volumes:
      - {{name: s, projected: {{sources: [{{secret: {{name: s}}}}]}}}}
      - {{name: c, configMap: {{name: c}}}}
"
    )
}

/// The same as a `ResourceList` with that function config.
fn list(stream: &str, config: &str) -> String {
    let indented = |text: &str| text.trim_end().replace('\n', "\n  ");
    let mut list =
        String::from("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n");
    for document in stream.split("---\n") {
        let _ = writeln!(list, "- {}", indented(document));
    }
    let _ = writeln!(list, "functionConfig:\n  {}", indented(config));
    list
}

#[test]
fn the_content_of_a_secret_is_never_told() {
    let good = [
        "data: {config.yaml: c2VjcmV0Lm9wdGlvbjogc3dvcmRmaXNo, other: c3dvcmRmaXNo}",
        "stringData: {config.yaml: 'secret.option: swordfish', log4j-operator.properties: swordfish}",
        "stringData: {flink-conf.yaml: 'secret.option swordfish', config.yaml: '{secret.option: ['}",
        "stringData: {config.yaml: \"secret.option: swordfish\\nsecret.option: swordfish\"}",
    ];
    let bad = [
        "data: {config.yaml: n0tbase64}",
        "data: {config.yaml: 4815162342}",
        "stringData: {config.yaml: 4815162342}",
        "stringData: {config.yaml: [swordfish]}",
        "stringData: {config.yaml: {secret.option: swordfish}}",
        "stringData: swordfish",
        "data: [swordfish]",
        "stringData: {a: swordfish, a: swordfish}",
        "stringData: {a: !swordfish swordfish}",
    ];
    let folder = tempfile::tempdir().unwrap();
    for (data, is_good) in good
        .map(|data| (data, true))
        .into_iter()
        .chain(bad.map(|data| (data, false)))
    {
        let stream = with_secret(data);
        assert!(SECRETS.iter().any(|secret| stream.contains(secret)));
        for covers in ["Manifest", "Data", "Mounted", "RestartRequired"] {
            for sources in ["OperatorConfig", "AllConfigMaps", "AllConfigMapsAndSecrets"] {
                let config = format!(
                    "apiVersion: fn.flink.apache.org/v1alpha1\nkind: OperatorRollout\nspec:\n  restartOnConfigChange: true\n  checksum: {{covers: {covers}, sources: {sources}}}\n"
                );
                fs::write(folder.path().join("c"), &config).unwrap();
                let list = list(&stream, &config);
                let what = format!("{data}, {covers}, {sources}");
                let run =
                    |args: &[&str], input: &str| run_in(folder.path(), args, input.as_bytes());
                let told = [
                    run(&["explain", "--config", "c"], &stream),
                    run(&["explain", "--config", "c", "--output", "json"], &stream),
                    run(&["explain"], &list),
                    run(&["stream", "--config", "c"], &stream),
                    run(&[], &list),
                ];
                let reads_secrets = sources == "AllConfigMapsAndSecrets";
                for (place, run) in told.into_iter().enumerate() {
                    let code = i32::from(reads_secrets && !is_good);
                    assert_eq!(run.code, Some(code), "{what}, {place}: {}", run.stderr);
                    let stdout = String::from_utf8(run.stdout).unwrap();
                    // What the function and the stream pass on of their input is no tale.
                    let said = match place {
                        3 => "",
                        4 => stdout.split("\nresults:").nth(1).unwrap(),
                        _ => stdout.as_str(),
                    };
                    for secret in SECRETS {
                        let told = said.contains(secret) || run.stderr.contains(secret);
                        assert!(!told, "{secret}: {what}, {place}: {said}{}", run.stderr);
                    }
                }
            }
        }
    }
}

#[test]
fn an_error_about_broken_text_does_not_quote_it() {
    let config = "apiVersion: fn.flink.apache.org/v1alpha1\nkind: OperatorRollout\nspec:\n  restartOnConfigChange: true\n  checksum: {sources: AllConfigMapsAndSecrets}\n";
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("c"), config).unwrap();
    for data in [
        "stringData: {config.yaml: \"swordfish",
        "stringData: {config.yaml: \"swordfish \\q\"}",
        "stringData: {config.yaml: *swordfish}",
        "stringData: {swordfish: [swordfish}",
        "stringData:\n  config.yaml: swordfish\n swordfish\n",
        "stringData: {config.yaml: swordfish\u{0}}",
    ] {
        let stream = with_secret(data);
        let list = list(&stream, config);
        let runs: [(&[&str], &str); 4] = [
            (&["explain", "--config", "c"], &stream),
            (&["explain"], &list),
            (&["stream", "--config", "c"], &stream),
            (&[], &list),
        ];
        for (args, input) in runs {
            let run = run_in(place.path(), args, input.as_bytes());
            assert_eq!(run.code, Some(1), "{data}: {args:?}");
            assert!(run.stdout.is_empty(), "{data}: {args:?}");
            assert!(run.stderr.starts_with("error: "), "{data}: {args:?}");
            assert!(!run.stderr.contains("swordfish"), "{data}: {}", run.stderr);
        }
    }
}

/// A `kubectl` that prints the manifest of that kind and name as the JSON that a cluster gives, keys in another order.
const KUBECTL: &str = r#"#!/bin/sh
set -eu
test "$1" = get
file=$2-$3.json
shift 3
if [ "$1" = -n ]; then test "$2" = flink; shift 2; fi
test "$*" = "-o json"
cat "$(dirname "$0")/$file"
"#;

/// Runs a command line with that `kubectl` in front; what it prints.
fn check_with(command: &str, cluster: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let kubectl = folder.path().join("kubectl");
    fs::write(&kubectl, KUBECTL).unwrap();
    fs::set_permissions(&kubectl, fs::Permissions::from_mode(0o755)).unwrap();
    for (name, json) in cluster {
        fs::write(folder.path().join(name), json).unwrap();
    }
    let inherited = std::env::var_os("PATH").unwrap();
    let path =
        std::iter::once(folder.path().to_path_buf()).chain(std::env::split_paths(&inherited));
    let output = Command::new("bash")
        .args(["-o", "pipefail", "-c", command])
        .env("PATH", std::env::join_paths(path).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The value of the first row with that label, and the rows below that have none.
fn row(text: &str, label: &str) -> String {
    let label = format!("  {label:<12}");
    let from = text.find(&label).unwrap() + label.len();
    let mut lines = text[from..].lines();
    let first = lines.next().unwrap().to_owned();
    lines
        .take_while(|line| line.starts_with("              "))
        .fold(first, |all, line| all + "\n" + line)
}

#[test]
#[ignore = "needs jq"]
fn the_command_that_is_shown_gives_the_checksum() {
    let one = [(
        "configmap-flink-operator-config.json",
        r#"{"kind": "ConfigMap", "metadata": {"uid": "1", "name": "flink-operator-config"}, "data": {"a": "b"}, "apiVersion": "v1"}"#,
    )];
    // stringData is not kept by a cluster.
    let several = [
        (
            "secret-credentials.json",
            r#"{"type": "Opaque", "data": {"password": "aHVudGVyMg=="}}"#,
        ),
        ("configmap-conf.json", r#"{"binaryData": {"logo": "AAEC"}}"#),
    ];
    for (case, cluster) in [("stream", &one[..]), ("switched-off", &several)] {
        let text = String::from_utf8(explain(case, &[]).stdout).unwrap();
        let json: Json =
            serde_json::from_slice(&explain(case, &["--output", "json"]).stdout).unwrap();
        let checksum = &json["operators"][0]["checksum"];
        let sum = format!("{}  -\n", checksum["value"].as_str().unwrap());
        assert_eq!(
            check_with(&row(&text, "check with"), cluster),
            sum,
            "{case}"
        );
        let command = checksum["command"].as_str().unwrap();
        assert_eq!(check_with(command, cluster), sum, "{case}");
    }
}

#[test]
#[ignore = "needs jq"]
fn the_command_for_mounted_keys_leaves_the_others_out() {
    let input = fs::read_to_string(folder("stream").join("input.yaml"))
        .unwrap()
        .replace("{a: b}", "{a: b, z: 'not mounted'}")
        .replace(
            "{name: flink-operator-config}",
            "{name: flink-operator-config, items: [{key: a, path: a}]}",
        );
    let config = "apiVersion: fn.flink.apache.org/v1alpha1\nkind: OperatorRollout\nspec: {checksum: {covers: Mounted}}\n";
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("c"), config).unwrap();
    let run = run_in(
        place.path(),
        &["explain", "--config", "c"],
        input.as_bytes(),
    );
    let text = String::from_utf8(run.stdout).unwrap();
    let cluster = [(
        "configmap-flink-operator-config.json",
        r#"{"data": {"z": "not mounted", "a": "b"}}"#,
    )];
    // What is left is the one key of the documented example.
    let sum = "9359bae0a0de7e7b928be46d40be977f624952fd26b48f3cb7097dc5cfe5d2c4";
    assert_eq!(row(&text, "checksum"), sum);
    assert_eq!(
        check_with(&row(&text, "check with"), &cluster),
        format!("{sum}  -\n")
    );
}

#[test]
#[ignore = "needs jq"]
fn text_beyond_ascii_is_hashed_as_jq_writes_it() {
    let value =
        "tab\t, quote \", backslash \\, é, 漢, 🦀, \u{1}\u{1f}, line\r\nend </a> & \u{2028}";
    let data = serde_json::json!({"b": value, "B": "", "_": "a"});
    let input = fs::read_to_string(folder("stream").join("input.yaml"))
        .unwrap()
        .replace("{a: b}", &data.to_string());
    let run = run_in(&folder("stream"), &["explain"], input.as_bytes());
    let text = String::from_utf8(run.stdout).unwrap();
    let manifest = serde_json::json!({"data": data}).to_string();
    let cluster = [("configmap-flink-operator-config.json", manifest.as_str())];
    let sum = check_with(&row(&text, "check with"), &cluster);
    assert_eq!(sum, format!("{}  -\n", row(&text, "checksum")));
}
