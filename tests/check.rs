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

#[test]
fn the_diff_makes_the_output_of_the_input() {
    let changed = up_to_date("1 s").replace("interval: 1 s", "interval: 2 s");
    for input in [stream("1 s"), changed] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("manifests.yaml");
        std::fs::write(&file, &input).unwrap();
        let diff = run(&["--check", "--diff"], &input);
        assert_eq!(diff.code, Some(1));
        let mut git = Command::new("git")
            .args(["apply", "-p0", "--unidiff-zero", "-"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let diff = String::from_utf8(diff.stdout).unwrap();
        let diff = diff.replace(
            "--- input\n+++ output\n",
            "--- manifests.yaml\n+++ manifests.yaml\n",
        );
        std::io::Write::write_all(&mut git.stdin.take().unwrap(), diff.as_bytes()).unwrap();
        assert!(git.wait().unwrap().success(), "{diff}");
        let output = String::from_utf8(run(&[], &input).stdout).unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), output);
    }
}

#[test]
fn a_diff_is_only_for_a_check() {
    let run = run(&["--diff"], &stream("1 s"));
    assert_eq!((run.code, run.stdout.len()), (Some(2), 0));
}
