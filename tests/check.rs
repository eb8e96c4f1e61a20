//! `stream --check`, for CI on rendered manifests: is it silent on stdout, and does its exit code tell?

#![cfg(test)]

#[path = "support/operator.rs"]
mod operator;
#[path = "support/program.rs"]
mod program;

use std::process::{Command, Stdio};

use operator::stream;
use program::{Run, run_in};

fn run(args: &[&str], input: &str) -> Run {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    run_in(
        here,
        &[&["stream", "--restart-on-config-change"], args].concat(),
        input.as_bytes(),
    )
}

fn up_to_date(value: &str) -> String {
    String::from_utf8(run(&[], &stream(value)).stdout).unwrap()
}

#[test]
fn what_is_up_to_date_passes() {
    for args in [&["--check"][..], &["--check", "--diff"]] {
        let run = run(args, &up_to_date("1 s"));
        assert_eq!((run.code, run.stdout.len()), (Some(0), 0), "{}", run.stderr);
    }
}

#[test]
fn what_is_out_of_date_fails_and_says_why() {
    let changed = up_to_date("1 s").replace("interval: 1 s", "interval: 2 s");
    let run = run(&["--check"], &changed);
    assert_eq!((run.code, run.stdout.len()), (Some(1), 0));
    assert!(run.stderr.contains("(ChecksumUpdated)"), "{}", run.stderr);
    assert!(
        run.stderr.contains("error: the input is out of date"),
        "{}",
        run.stderr
    );
}

/// Manifests with changes in several places, in each of the ways in which a line can end.
fn inputs() -> Vec<(&'static str, String)> {
    let new = stream("1 s");
    let changed = up_to_date("1 s").replace("interval: 1 s", "interval: 2 s");
    let turned = {
        let (config, deployment) = new.split_once("---\n").unwrap();
        format!("{deployment}---\n{config}")
    };
    let flow = "{kind: Deployment, apiVersion: apps/v1, metadata: {name: a}, spec: {template: {spec: {containers: [{name: o, command: [docker-entrypoint.sh, operator]}]}}}}";
    // Comments may end with a carriage return alone, which ends a line for YAML and for nothing else.
    let lone = new.replace("kind: ConfigMap\n", "kind: ConfigMap # a\r# b\r\r# c\n");
    vec![
        ("new", new.clone()),
        ("changed", changed.clone()),
        ("Windows line ends", new.replace('\n', "\r\n")),
        ("Windows line ends, changed", changed.replace('\n', "\r\n")),
        ("carriage returns before a change", lone.clone()),
        (
            "carriage returns about a change",
            lone.replace(
                "  template:\n    metadata:\n",
                "  template: # d\r    metadata: # e\r    # f\n",
            ),
        ),
        ("nothing but carriage returns", new.replace('\n', "\r")),
        ("no final line end", new.trim_end().to_owned()),
        ("no final line end, turned", turned.trim_end().to_owned()),
        ("one line", flow.to_owned()),
        (
            "one line, a carriage return at the end",
            format!("{flow}\r"),
        ),
        (
            "one line, changed at its end",
            format!("{flow}\n---\n{flow}"),
        ),
    ]
}

/// The file, changed by a command that reads the diff.
fn changed_by(command: &[&str], input: &str, diff: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("manifests.yaml");
    std::fs::write(&file, input).unwrap();
    let diff = String::from_utf8(diff.to_vec()).unwrap();
    let diff = diff.replace(
        "--- input\n+++ output\n",
        "--- manifests.yaml\n+++ manifests.yaml\n",
    );
    let mut child = Command::new(command[0])
        .args(&command[1..])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), diff.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{command:?}: {diff}");
    std::fs::read_to_string(file).unwrap()
}

const ANNOTATED: [&str; 2] = ["--deployment-annotation", "example.com/a=b"];

fn assert_diff_makes_output(apply: &[&str]) {
    for (what, input) in inputs() {
        let diff = run(&[&ANNOTATED[..], &["--check", "--diff"]].concat(), &input);
        assert_eq!(diff.code, Some(1), "{what}: {}", diff.stderr);
        let output = String::from_utf8(run(&ANNOTATED, &input).stdout).unwrap();
        assert_ne!(output, input, "{what}");
        assert_eq!(changed_by(apply, &input, &diff.stdout), output, "{what}");
    }
}

#[test]
fn git_makes_the_output_of_the_input_with_the_diff() {
    assert_diff_makes_output(&["git", "apply", "-p0", "--unidiff-zero", "-"]);
}

#[test]
#[ignore = "needs patch"]
fn patch_makes_the_output_of_the_input_with_the_diff() {
    assert_diff_makes_output(&["patch", "manifests.yaml"]);
}

#[test]
fn a_diff_shows_no_line_that_holds_a_secret() {
    let secret = r#"{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"password": "swordfish"}}"#;
    let json = |yaml: &str| serde_yaml::from_str::<serde_json::Value>(yaml).unwrap();
    let (config, deployment) = stream("1 s")
        .split_once("---\n")
        .map(|(config, deployment)| (json(config), json(deployment)))
        .unwrap();
    let list = |line: &str| {
        format!(
            r#"{{"apiVersion": "v1", "kind": "List", "items": [{config},{line}{secret},{line}{deployment}]}}"#
        )
    };
    let lone = format!("{secret}\n---\n{}", stream("1 s")).replace('\n', "\r");
    let joined = format!("{config}{secret}{deployment}");
    for input in [list(""), lone, joined] {
        let diff = run(&["--check", "--diff"], &input);
        assert_eq!(diff.code, Some(1), "{}", diff.stderr);
        let shown = String::from_utf8(diff.stdout).unwrap();
        assert_eq!(
            shown,
            "--- input\n+++ output\n@@ -1 +1 @@ not shown: a Secret is on this line\n"
        );
        assert!(!diff.stderr.contains("swordfish"), "{}", diff.stderr);
    }
    // Beside a Secret's line, the change is shown.
    for input in [list("\n"), format!("{config}\n{secret}\n{deployment}\n")] {
        let diff = run(&["--check", "--diff"], &input);
        let shown = String::from_utf8(diff.stdout).unwrap();
        assert!(shown.contains("+{\"apiVersion\":\"apps/v1\""), "{shown}");
        assert!(
            !shown.contains("swordfish") && !shown.contains("not shown"),
            "{shown}"
        );
    }
}

#[test]
fn a_diff_is_only_for_a_check() {
    let run = run(&["--diff"], &stream("1 s"));
    assert_eq!((run.code, run.stdout.len()), (Some(2), 0));
}
