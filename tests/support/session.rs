//! A shell session as a document shows it: `$ ` in front of each command, and under it what it prints.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use snapbox::{Assert, Data};
use tempfile::TempDir;

use crate::manifests::{example, search_path};

struct Shown {
    command: String,
    /// Empty where the document does not show it.
    output: String,
}

fn commands(session: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for line in session.lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push(Shown {
                command: command.to_owned(),
                output: String::new(),
            }),
            (None, Some(last)) if last.output.is_empty() && last.command.ends_with('\\') => {
                last.command = format!("{}\n{line}", last.command);
            }
            (None, Some(last)) => last.output.extend([line, "\n"]),
            (None, None) => panic!("no command in front of: {line}"),
        }
    }
    all
}

/// Fails where bash could not read a command.
pub(crate) fn check_syntax(session: &str) {
    for shown in commands(session) {
        let bash = ["-n", "-c", &shown.command];
        let output = Command::new("bash").args(bash).output().unwrap();
        assert!(output.status.success(), "{}: {output:?}", shown.command);
    }
}

/// Runs a session in a copy of the examples, in the folder of that name below the copy. What a command prints has to be what is shown,
/// in which a line `...` stands for any lines. A command may fail only if `echo $?` comes next. `place` is for the message, `helm` the
/// program that is Helm.
pub(crate) fn run(session: &str, folder: &str, place: &str, helm: &str) {
    let commands = commands(session);
    let copy = TempDir::new().unwrap();
    let printed = TempDir::new().unwrap();
    copy_examples(copy.path());
    let script: Vec<String> = commands
        .iter()
        .enumerate()
        .map(|(index, shown)| recorded(&shown.command, index))
        .collect();
    let mut bash = Command::new("bash");
    bash.args(["-o", "pipefail", "-c", &script.concat()])
        .current_dir(copy.path().join(folder))
        .env("PRINTED", printed.path())
        .env("HELM", helm)
        .stdin(Stdio::null());
    set_tools(&mut bash, printed.path());
    bash.status().unwrap();

    for (index, shown) in commands.iter().enumerate() {
        let read = |name: String| fs::read_to_string(printed.path().join(name)).unwrap();
        let output = read(index.to_string());
        let code = read(format!("{index}.code"));
        let tells_code = |next: &Shown| next.command == "echo $?";
        assert!(
            code == "0\n" || commands.get(index + 1).is_some_and(tells_code),
            "{place}: {} exits {code}{output}",
            shown.command
        );
        if !shown.output.is_empty() {
            let expected = Data::text(shown.output.clone());
            if let Err(difference) = Assert::new().try_eq(Some(&place), output.into(), expected) {
                panic!("{}: {difference}", shown.command);
            }
        }
    }
}

/// The command as a part of a script that goes on after it, with its exit code and with what it prints in files.
fn recorded(command: &str, index: usize) -> String {
    format!(
        "{{ {command}\n}} >\"$PRINTED/{index}\" 2>&1; code=$?
echo $code >\"$PRINTED/{index}.code\"; (exit $code)\n"
    )
}

fn copy_examples(place: &Path) {
    let mut copy = Command::new("cp");
    copy.args(["-R", "examples"]).arg(place);
    copy.current_dir(env!("CARGO_MANIFEST_DIR"));
    assert!(copy.status().unwrap().success());
}

/// The tools as a user has them set up, with homes of their own, and stand-ins for what a test cannot have.
fn set_tools(command: &mut Command, home: &Path) {
    let support = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support");
    let path = [support.join("stand-ins"), support.join("containers")];
    command
        .env("PATH", search_path(&[&path[0], &path[1]]))
        .env("CONFIG_MAP", config_map_as_json(home))
        .env("KPT_FN_RUNTIME", "podman")
        .env("KRM_FN_RUNTIME", "podman")
        .env("HELM_CONFIG_HOME", home.join("helm/config"))
        .env("HELM_CACHE_HOME", home.join("helm/cache"))
        .env("HELM_DATA_HOME", home.join("helm/data"));
}

/// The quickstart's ConfigMap as `kubectl get --output json` prints it.
fn config_map_as_json(folder: &Path) -> std::path::PathBuf {
    let manifests = fs::read_to_string(example("quickstart/manifests.yaml")).unwrap();
    let manifests = crate::manifests::read(&manifests);
    let config_map = crate::manifests::only(&manifests, "ConfigMap");
    let file = folder.join("config-map.json");
    fs::write(&file, serde_json::to_string_pretty(config_map).unwrap()).unwrap();
    file
}
