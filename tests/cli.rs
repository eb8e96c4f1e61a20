//! The command line as a process among others: help, wrong usage, and input and output that end where they should not.

#![cfg(test)]

#[path = "support/operator.rs"]
mod operator;
#[path = "support/program.rs"]
mod program;

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use operator::{config_map, stream};
use program::{Run, run_in};

const PROGRAM: &str = env!("CARGO_BIN_EXE_flink-operator-rollout");
const SUBCOMMANDS: [&str; 5] = ["stream", "explain", "schema", "completions", "man"];

fn run(args: &[&str], input: &[u8]) -> Run {
    run_in(Path::new(env!("CARGO_MANIFEST_DIR")), args, input)
}

fn stdout(run: &Run) -> &str {
    std::str::from_utf8(&run.stdout).unwrap()
}

/// No subcommand, and each there is.
fn calls() -> impl Iterator<Item = Vec<&'static str>> {
    let subcommands = SUBCOMMANDS.into_iter().map(|name| vec![name]);
    std::iter::once(Vec::new()).chain(subcommands)
}

/// An operator's manifests that are larger than a pipe.
fn large_stream() -> String {
    let filler = config_map(&"x".repeat(1 << 20)).replace("operator-config", "filler");
    format!("{}---\n{filler}", stream("1 s"))
}

fn as_list(stream: &str) -> String {
    let item = |document: &str| format!("- {}\n", document.trim_end().replace('\n', "\n  "));
    let items: String = stream.split("---\n").map(item).collect();
    format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}")
}

/// Every call with what it reads.
fn calls_with_input() -> [(Vec<&'static str>, String); 7] {
    let large = large_stream();
    [
        (vec![], as_list(&large)),
        (vec!["stream", "--restart-on-config-change"], large.clone()),
        (vec!["explain"], large.clone()),
        (vec!["explain", "--output", "json"], large),
        (vec!["schema"], String::new()),
        (vec!["completions", "bash"], String::new()),
        (vec!["man"], String::new()),
    ]
}

#[test]
fn every_call_has_help() {
    for call in calls() {
        for flag in ["--help", "-h"] {
            let run = run(&[&call[..], &[flag]].concat(), b"");
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{call:?}");
            let usage = format!(
                "Usage: {}",
                [&["flink-operator-rollout"], &call[..]].concat().join(" ")
            );
            assert!(stdout(&run).contains(&usage), "{call:?}: {}", stdout(&run));
        }
    }
    let help = run(&["--help"], b"");
    for part in
        SUBCOMMANDS
            .into_iter()
            .chain(["ResourceList", "restartOnConfigChange", "Exit codes"])
    {
        assert!(stdout(&help).contains(part), "{part}");
    }
}

#[test]
fn every_call_tells_the_version() {
    for call in calls() {
        for flag in ["--version", "-V"] {
            let run = run(&[&call[..], &[flag]].concat(), b"");
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{call:?}");
            let version = format!(" {}\n", env!("CARGO_PKG_VERSION"));
            assert!(stdout(&run).ends_with(&version), "{call:?}");
            assert!(
                stdout(&run).starts_with("flink-operator-rollout"),
                "{call:?}"
            );
        }
    }
}

/// Runs a command line with a terminal on stdin, where nobody types.
fn with_terminal(args: &str) -> Output {
    let mut script = Command::new("timeout")
        .args(["20", "script", "--quiet", "--return", "--command"])
        .args([&format!("'{PROGRAM}' {args}"), "/dev/null"])
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Held open: a program that reads would wait.
    let stdin = script.stdin.take();
    let output = script.wait_with_output().unwrap();
    drop(stdin);
    output
}

#[test]
fn a_terminal_on_stdin_gets_the_help_instead_of_a_wait() {
    for args in ["", "stream", "explain"] {
        let output = with_terminal(args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains("Usage: flink-operator-rollout"),
            "{args}: {text}"
        );
    }
}

#[test]
fn what_reads_no_input_does_not_mind_a_terminal() {
    for args in ["schema", "man", "completions zsh"] {
        assert_eq!(with_terminal(args).status.code(), Some(0), "{args}");
    }
}

#[test]
fn wrong_usage_exits_2_and_writes_nothing_to_stdout() {
    let cases: [&[&str]; 15] = [
        &["--restart"],
        &["-x"],
        &["streams"],
        &["stream", "--chek"],
        &["stream", "file.yaml"],
        &["stream", "--diff"],
        &["stream", "--config"],
        &["stream", "--restart-on-config-change=maybe"],
        &["stream", "--deployment-annotation", "no-value"],
        &["explain", "--output", "xml"],
        &["schema", "--pretty"],
        &["completions"],
        &["completions", "tcsh"],
        &["man", "help"],
        &["man", "streams"],
    ];
    for args in cases {
        let run = run(args, stream("1 s").as_bytes());
        assert_eq!((run.code, stdout(&run)), (Some(2), ""), "{args:?}");
        assert!(
            run.stderr.starts_with("error: "),
            "{args:?}: {}",
            run.stderr
        );
    }
}

#[test]
fn completions_are_scripts_that_their_shell_accepts() {
    for shell in ["bash", "zsh", "fish"] {
        let completions = run(&["completions", shell], b"");
        assert_eq!(completions.code, Some(0), "{shell}");
        for name in SUBCOMMANDS {
            assert!(stdout(&completions).contains(name), "{shell}: {name}");
        }
        let checker = Command::new(shell)
            .arg("-n")
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut checker) = checker else {
            assert_ne!(shell, "bash", "the tests need bash");
            continue;
        };
        let mut script = checker.stdin.take().unwrap();
        script.write_all(&completions.stdout).unwrap();
        drop(script);
        let verdict = checker.wait_with_output().unwrap();
        assert!(verdict.status.success(), "{shell}: {verdict:?}");
    }
}

#[test]
fn bash_completes_subcommands_and_flags() {
    let script = stdout(&run(&["completions", "bash"], b"")).to_owned();
    for (words, expected) in [
        ("flink-operator-rollout expl", "explain"),
        ("flink-operator-rollout stream --che", "--check"),
        ("flink-operator-rollout completions f", "fish"),
        ("flink-operator-rollout man com", "completions"),
    ] {
        let last = words.rsplit(' ').next().unwrap();
        let previous = words.rsplit(' ').nth(1).unwrap();
        // As bash itself calls it for a Tab.
        let complete = format!(
            "{script}
[[ $(complete -p flink-operator-rollout) =~ -F\\ ([^ ]+) ]]
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
${{BASH_REMATCH[1]}} flink-operator-rollout {last} {previous}
echo \"${{COMPREPLY[*]}}\""
        );
        let output = Command::new("bash")
            .args(["-c", &complete])
            .output()
            .unwrap();
        let reply = String::from_utf8(output.stdout).unwrap();
        assert_eq!(reply, format!("{expected}\n"), "{words}");
    }
}

/// The manual page of that name, as it is printed.
fn manual(name: &str) -> String {
    let subcommand = name.strip_prefix("flink-operator-rollout").unwrap();
    let args = ["man"].into_iter().chain(subcommand.strip_prefix('-'));
    let run = run(&args.collect::<Vec<_>>(), b"");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{name}");
    stdout(&run).to_owned()
}

#[test]
fn the_manual_has_a_page_for_every_subcommand_and_names_no_other() {
    let pages: Vec<String> = SUBCOMMANDS
        .map(|name| format!("flink-operator-rollout-{name}"))
        .into();
    for name in ["flink-operator-rollout"]
        .into_iter()
        .chain(pages.iter().map(String::as_str))
    {
        let page = manual(name);
        let mut lines = page.lines().skip_while(|line| !line.starts_with(".TH "));
        let title = format!(
            ".TH {name} 1  \"flink-operator-rollout {}\" ",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(lines.next(), Some(title.as_str()));
        let before = page.lines().take_while(|line| !line.starts_with(".TH "));
        assert!(before.into_iter().all(|line| line.starts_with(['.', '\''])));
        let plain = page.replace("\\-", "-");
        let mut references: Vec<&str> = plain
            .split(|c: char| c.is_whitespace() || ",;".contains(c))
            .filter_map(|word| word.strip_suffix("(1)"))
            .collect();
        assert!(
            references
                .iter()
                .all(|reference| pages.iter().any(|page| page == reference)),
            "{references:?}"
        );
        references.sort_unstable();
        references.dedup();
        let expected = if name == "flink-operator-rollout" {
            pages.len()
        } else {
            usize::from(name.ends_with("-man"))
        };
        assert_eq!(references.len(), expected, "{name}: {references:?}");
    }
}

#[test]
fn a_manual_page_holds_what_the_help_of_its_subcommand_does() {
    for name in SUBCOMMANDS {
        let page = manual(&format!("flink-operator-rollout-{name}")).replace("\\-", "-");
        let help = run(&[name, "--help"], b"");
        let options = stdout(&help)
            .split_whitespace()
            .filter(|word| word.starts_with("--"));
        let options: Vec<&str> = options
            .map(|word| word.split(['[', ',', '=']).next().unwrap())
            .collect();
        assert!(options.contains(&"--help"), "{name}: {options:?}");
        for option in options {
            assert!(page.contains(option), "{name}: {option}");
        }
    }
}

#[test]
#[ignore = "needs groff"]
fn groff_finds_nothing_to_warn_of_in_a_manual_page() {
    for name in [""].into_iter().chain(SUBCOMMANDS) {
        let page = manual(format!("flink-operator-rollout-{name}").trim_end_matches('-'));
        let mut groff = Command::new("groff")
            .args(["-man", "-ww", "-z"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        groff
            .stdin
            .take()
            .unwrap()
            .write_all(page.as_bytes())
            .unwrap();
        let output = groff.wait_with_output().unwrap();
        let warnings = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), warnings.as_str()),
            (Some(0), ""),
            "{name}"
        );
    }
}

/// Runs a call whose reader takes ten bytes and goes; its exit code and stderr.
fn closed_early(args: &[&str], input: &str) -> (Option<i32>, String) {
    let mut child = Command::new(PROGRAM)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()));
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
    });
    let output = child.wait_with_output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// What is told where a write failed, without the severities of results in front.
fn assert_unwritten(code: Option<i32>, stderr: &str, what: &str) {
    assert_eq!(code, Some(1), "{what}: {stderr}");
    let told = stderr.lines().last().unwrap();
    assert!(
        told.starts_with("error: cannot write the output: "),
        "{what}: {stderr}"
    );
    assert!(!stderr.contains("panicked"), "{what}: {stderr}");
}

#[test]
fn a_reader_that_goes_early_is_told_of_and_exits_1() {
    let large = large_stream();
    let list = as_list(&large);
    for (args, input) in [(&[][..], &list), (&["stream"], &large)] {
        let (code, stderr) = closed_early(args, input);
        assert_unwritten(code, &stderr, &format!("{args:?}"));
    }
}

#[test]
fn a_full_disk_is_told_of_and_exits_1() {
    let help = [
        (vec!["--help"], String::new()),
        (vec!["stream", "--version"], String::new()),
    ];
    let diff = (
        vec!["stream", "--restart-on-config-change", "--check", "--diff"],
        stream("1 s"),
    );
    for (args, input) in calls_with_input().into_iter().chain(help).chain([diff]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        std::fs::write(&path, input).unwrap();
        let output = Command::new(PROGRAM)
            .args(&args)
            .stdin(File::open(path).unwrap())
            .stdout(File::options().write(true).open("/dev/full").unwrap())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_unwritten(output.status.code(), &stderr, &format!("{args:?}"));
    }
}

#[test]
fn results_that_nobody_can_read_do_not_stop_the_work() {
    let output = Command::new("bash")
        .args([
            "-c",
            &format!("'{PROGRAM}' stream --restart-on-config-change 2> /dev/full"),
        ])
        .stdin({
            let (reader, mut writer) = std::io::pipe().unwrap();
            writer.write_all(stream("1 s").as_bytes()).unwrap();
            reader
        })
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("checksum/config: ")
    );
}

#[test]
fn input_that_ends_in_the_middle_of_a_character_is_refused_with_its_place() {
    // The first two of the three bytes of a character, behind two that are one.
    let cut = b"kind: ConfigMap\nname: \xc3\xa9\xe6\xbc";
    for args in [&[][..], &["stream"], &["explain"], &["stream", "--check"]] {
        let run = run(args, cut);
        assert_eq!((run.code, stdout(&run)), (Some(1), ""), "{args:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {}", run.stderr);
        assert!(
            run.stderr.starts_with("error: "),
            "{args:?}: {}",
            run.stderr
        );
        assert!(
            run.stderr.contains("line 2, column 8"),
            "{args:?}: {}",
            run.stderr
        );
        assert!(run.stderr.contains("UTF-8"), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn input_that_cannot_be_read_is_refused() {
    for args in [&[][..], &["stream"], &["explain"]] {
        let output = Command::new(PROGRAM)
            .args(args)
            .stdin(File::open("/").unwrap())
            .output()
            .unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            stderr.starts_with("error: cannot read the input: "),
            "{stderr}"
        );
    }
}

#[test]
fn neither_an_environment_nor_a_place_to_write_is_needed() {
    for (args, input) in calls_with_input() {
        let usual = run(&args, input.as_bytes());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        std::fs::write(&path, &input).unwrap();
        let bare = Command::new(PROGRAM)
            .args(&args)
            .env_clear()
            // Not even root can write there.
            .current_dir("/proc")
            .stdin(File::open(&path).unwrap())
            .output()
            .unwrap();
        assert_eq!(
            (usual.code, bare.status.code()),
            (Some(0), Some(0)),
            "{args:?}"
        );
        assert!(usual.stdout == bare.stdout, "{args:?}");
        assert_eq!(usual.stderr.as_bytes(), bare.stderr, "{args:?}");
    }
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
