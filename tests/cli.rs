//! The command line: does it help, and does it fail as a program in a pipeline has to?

#![cfg(test)]

#[path = "support/operator.rs"]
mod operator;
#[path = "support/program.rs"]
mod program;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use program::{Run, run_in};

const PROGRAM: &str = env!("CARGO_BIN_EXE_flink-operator-rollout");
const SUBCOMMANDS: [&str; 5] = ["stream", "explain", "schema", "completions", "man"];

fn run(args: &[&str], input: &str) -> Run {
    run_in(
        Path::new(env!("CARGO_MANIFEST_DIR")),
        args,
        input.as_bytes(),
    )
}

fn text(run: &Run) -> &str {
    std::str::from_utf8(&run.stdout).unwrap()
}

/// A list of many objects that ask for nothing.
fn large_list() -> String {
    let item = "- {apiVersion: v1, kind: Service, metadata: {name: a}}\n";
    format!(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{}",
        item.repeat(3_000)
    )
}

#[test]
fn help_tells_of_everything() {
    let long = run(&["--help"], "");
    assert_eq!((long.code, long.stderr.as_str()), (Some(0), ""));
    for part in SUBCOMMANDS.iter().chain(&[
        "restartOnConfigChange",
        "deploymentAnnotations",
        "Exit codes",
    ]) {
        assert!(text(&long).contains(part), "{part}");
    }
    assert_eq!(run(&["-h"], "").code, Some(0));
    for subcommand in SUBCOMMANDS {
        for flag in ["--help", "-h"] {
            let run = run(&[subcommand, flag], "");
            assert_eq!(run.code, Some(0), "{subcommand}");
            assert!(
                text(&run).contains(&format!("Usage: flink-operator-rollout {subcommand}")),
                "{subcommand}"
            );
        }
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(
        text(&run(&["--version"], "")),
        concat!("flink-operator-rollout ", env!("CARGO_PKG_VERSION"), "\n")
    );
    for subcommand in SUBCOMMANDS {
        let run = run(&[subcommand, "--version"], "");
        assert_eq!(run.code, Some(0), "{subcommand}");
        assert!(
            text(&run).trim_end().ends_with(env!("CARGO_PKG_VERSION")),
            "{subcommand}"
        );
    }
}

#[test]
fn wrong_usage_exits_2_and_writes_nothing() {
    let cases: [&[&str]; 6] = [
        &["--no-such-flag"],
        &["no-such-command"],
        &["stream", "--deployment-annotation", "no equals sign"],
        &["stream", "--restart-on-config-change=maybe"],
        &["explain", "--output", "xml"],
        &["completions", "tcsh"],
    ];
    for args in cases {
        let run = run(args, &operator::stream("1 s"));
        assert_eq!((run.code, run.stdout.len()), (Some(2), 0), "{args:?}");
        assert!(!run.stderr.is_empty(), "{args:?}");
    }
}

/// The program with a terminal on all its ends, by `script` of util-linux.
fn on_a_terminal(arguments: &str) -> Output {
    Command::new("script")
        .args([
            "--quiet",
            "--return",
            "--command",
            &format!("{PROGRAM} {arguments}"),
            "/dev/null",
        ])
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_terminal_on_stdin_gets_help_instead_of_waiting() {
    for arguments in ["", "stream", "explain"] {
        let output = on_a_terminal(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("Usage:"),
            "{arguments}"
        );
    }
}

#[test]
fn completions_are_scripts_of_their_shells() {
    for (shell, part) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef flink-operator-rollout"),
        ("fish", "complete -c flink-operator-rollout"),
    ] {
        let script = run(&["completions", shell], "");
        assert_eq!(script.code, Some(0), "{shell}");
        assert!(text(&script).contains(part), "{shell}");
    }
    let mut bash = Command::new("bash")
        .arg("-n")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let script = run(&["completions", "bash"], "");
    bash.stdin
        .take()
        .unwrap()
        .write_all(&script.stdout)
        .unwrap();
    assert!(bash.wait().unwrap().success());
}

#[test]
fn the_manual_page_names_every_subcommand() {
    let page = run(&["man"], "");
    assert!(text(&page).contains(".TH flink-operator-rollout 1"));
    for subcommand in SUBCOMMANDS {
        assert!(
            text(&page).contains(&format!("flink\\-operator\\-rollout\\-{subcommand}")),
            "{subcommand}"
        );
    }
}

#[test]
fn an_output_that_cannot_be_written_exits_1() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let inputs = [
        (&[][..], large_list()),
        (&["stream"], operator::stream("1 s")),
        (&["schema"], String::new()),
        (&["explain"], operator::stream("1 s")),
    ];
    for (args, input) in inputs {
        let mut child = Command::new(PROGRAM)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(full.try_clone().unwrap())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.lines()
                .last()
                .unwrap()
                .starts_with("error: cannot write the output: "),
            "{said}"
        );
    }
}

#[test]
fn a_reader_that_leaves_early_makes_it_exit_1() {
    let mut child = Command::new(PROGRAM)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child
        .stdin
        .take()
        .unwrap()
        .write_all(large_list().as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with("error: cannot write the output: "),
        "{said}"
    );
}

#[test]
fn closed_ends_are_no_reason_to_panic() {
    for redirection in ["<&-", "2>&-", "<&- >&- 2>&-"] {
        let output = Command::new("sh")
            .args(["-c", &format!("{PROGRAM} stream {redirection}")])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{redirection}");
    }
}

#[test]
fn it_needs_nothing_of_its_environment() {
    let folder = tempfile::tempdir().unwrap();
    let mut permissions = std::fs::metadata(folder.path()).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(folder.path(), permissions).unwrap();
    let mut child = Command::new(PROGRAM)
        .env_clear()
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(large_list().as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .starts_with(&large_list())
    );
}

#[test]
fn what_ends_in_the_middle_of_a_character_is_no_text() {
    let mut input =
        b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [] # \xc3".to_vec();
    for args in [&[][..], &["stream"], &["explain"]] {
        let run = run_in(Path::new("."), args, &input);
        assert_eq!((run.code, run.stdout.len()), (Some(1), 0), "{args:?}");
        assert_eq!(
            run.stderr, "error: line 3, column 13: the input is not UTF-8\n",
            "{args:?}"
        );
    }
    input.push(0xa9);
    assert_eq!(run_in(Path::new("."), &[], &input).code, Some(0));
}

#[test]
#[ignore = "needs 1 GiB of memory"]
fn more_than_a_machine_holds_is_refused() {
    let output = Command::new("sh")
        .args(["-c", &format!("head -c 4G /dev/zero | {PROGRAM}")])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said.trim_end(),
        "error: the input is larger than 1 GiB; split it"
    );
}
