//! A plain stream of manifests: does it come out as it came in, but for the edits, and which options win?

#![cfg(test)]

#[path = "support/operator.rs"]
mod operator;
#[path = "support/program.rs"]
mod program;

use operator::{DEPLOYMENT, config_map, stream};
use program::{Run, run_in};

const ON: &str = "--restart-on-config-change";

fn run(args: &[&str], input: &str) -> Run {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    run_in(here, &[&["stream"], args].concat(), input.as_bytes())
}

fn text(run: &Run) -> &str {
    std::str::from_utf8(&run.stdout).unwrap()
}

/// The checksum of that configuration, worked out by hand: SHA-256 of the canonical JSON and a line feed.
fn checksum(value: &str) -> String {
    use sha2::Digest;
    let line = format!(
        "{{\"binaryData\":{{}},\"data\":{{\"flink-conf.yaml\":\"kubernetes.operator.reconcile.interval: {value}\\n\"}}}}\n"
    );
    hex::encode(sha2::Sha256::digest(line))
}

/// The Deployment as it has to come out with the checksum.
fn edited(value: &str) -> String {
    let annotation = format!(
        "      annotations:\n        checksum/config: \"{}\"\n",
        checksum(value)
    );
    DEPLOYMENT.replacen(
        "    metadata:\n",
        &format!("    metadata:\n{annotation}"),
        1,
    )
}

#[test]
fn only_the_new_lines_differ() {
    let run = run(&[ON], &stream("15 s"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        text(&run),
        format!("{}---\n{}", config_map("15 s"), edited("15 s"))
    );
}

#[test]
fn whatever_stands_around_the_documents_stays() {
    let config = config_map("15 s");
    let config = config.trim_end();
    let shapes = [
        (
            "comments and Source lines",
            "# head\n---\n# Source: chart/a.yaml\n{config}\n---\n# only a comment\n---\n# Source: chart/b.yaml\n{deployment}# tail\n",
        ),
        (
            "empty documents",
            "---\n---\n{config}\n---\n---\n{deployment}---\n",
        ),
        ("document ends", "{config}\n...\n---\n{deployment}...\n"),
        (
            "a YAML directive",
            "%YAML 1.2\n---\n{config}\n---\n{deployment}",
        ),
        ("a byte order mark", "\u{feff}{config}\n---\n{deployment}"),
        ("blank lines", "\n\n{config}\n\n\n---\n\n{deployment}\n\n"),
    ];
    for (what, shape) in shapes {
        let with = |deployment: &str| {
            shape
                .replace("{config}", config)
                .replace("{deployment}", deployment)
        };
        let run = run(&[ON], &with(DEPLOYMENT));
        assert_eq!(run.code, Some(0), "{what}: {}", run.stderr);
        assert_eq!(text(&run), with(&edited("15 s")), "{what}");
    }
}

#[test]
fn a_missing_final_line_end_stays_missing() {
    let input = format!("{DEPLOYMENT}---\n{}", config_map("15 s"));
    let run = run(&[ON], input.trim_end());
    // Without its line feed the block scalar's text has none either, which another checksum stands for.
    assert!(text(&run).ends_with("interval: 15 s"), "{}", text(&run));
    assert_eq!(text(&run).lines().count(), input.lines().count() + 2);
}

#[test]
fn windows_line_ends_stay_and_are_kept_up() {
    let run = run(&[ON], &stream("15 s").replace('\n', "\r\n"));
    let expected = format!("{}---\n{}", config_map("15 s"), edited("15 s")).replace('\n', "\r\n");
    assert_eq!(text(&run), expected);
}

#[test]
fn the_items_of_a_list_are_edited_in_place() {
    let indented = |text: &str| {
        let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
        format!("  - {}\n", lines.join("\n").trim_start())
    };
    let list = |deployment: &str| {
        format!(
            "apiVersion: v1\nkind: List\nitems:\n{}{}",
            indented(&config_map("15 s")),
            indented(deployment)
        )
    };
    let run = run(&[ON], &list(DEPLOYMENT));
    assert_eq!(text(&run), list(&edited("15 s")));
}

#[test]
fn json_documents_stay_json() {
    let json = |yaml: &str| serde_yaml::from_str::<serde_json::Value>(yaml).unwrap();
    let input = format!(
        "{}\n---\n{:#}\n",
        json(&config_map("15 s")),
        json(DEPLOYMENT)
    );
    let run = run(&[ON], &input);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (config, deployment) = text(&run).split_once("\n---\n").unwrap();
    assert_eq!(config, json(&config_map("15 s")).to_string());
    let deployment: serde_json::Value = serde_json::from_str(deployment).unwrap();
    assert_eq!(deployment, json(&edited("15 s")));
}

/// The two objects as JSON, one behind the other, in the ways in which tools write them.
fn json_streams() -> Vec<(&'static str, String)> {
    let json = |yaml: &str| serde_yaml::from_str::<serde_json::Value>(yaml).unwrap();
    let mut config = json(&config_map("15 s"));
    // Nothing that a string holds ends an object.
    config["metadata"]["labels"] = serde_json::json!({"odd": "}\n{ \\\" } ---\n\\", "}{": "🦀"});
    let deployment = json(DEPLOYMENT);
    let compact = format!("{config}\n{deployment}\n");
    let pretty = format!("{config:#}\n{deployment:#}\n");
    vec![
        ("one a line", compact.clone()),
        ("pretty", pretty.clone()),
        ("with tabs", pretty.replace("  ", "\t")),
        ("with Windows line ends", pretty.replace('\n', "\r\n")),
        ("with nothing between", format!("{config}{deployment}")),
        (
            "blank lines and no final line end",
            format!("\n\n{config}\n\n\n{deployment}"),
        ),
        ("a byte order mark", format!("\u{feff}{compact}")),
        (
            "escapes",
            compact
                .replace('🦀', "\\ud83e\\udd80")
                .replace("---", "\\u002d--"),
        ),
        (
            "YAML behind",
            format!("{compact}---\n# Source: x\nkind: Service\n"),
        ),
    ]
}

#[test]
fn json_objects_need_no_marker_between_them() {
    for (what, input) in json_streams() {
        let run = run(&[ON], &input);
        assert_eq!(run.code, Some(0), "{what}: {}", run.stderr);
        let inserted = format!(
            "\"annotations\": {{\"checksum/config\": \"{}\"}},",
            checksum("15 s")
        );
        let (before, behind) = text(&run).split_once(&inserted).unwrap();
        // Behind the brace, so that JSON stays JSON; with a space where none follows.
        assert!(
            before.ends_with("\"metadata\":{") || before.ends_with("\"metadata\": {"),
            "{what}: {before}"
        );
        let behind = if input.contains("\"metadata\": {") {
            behind
        } else {
            &behind[1..]
        };
        assert_eq!(format!("{before}{behind}"), input, "{what}");
        assert!(before.contains("\"template\""), "{what}: {before}");

        let explained = run_in(
            std::path::Path::new("."),
            &["explain", ON],
            input.as_bytes(),
        );
        assert!(
            text(&explained).contains(&checksum("15 s")),
            "{what}: {}",
            text(&explained)
        );
        let again = check(text(&run));
        assert_eq!(
            (again.code, text(&again)),
            (Some(0), ""),
            "{what}: {}",
            again.stderr
        );
    }
}

fn check(input: &str) -> Run {
    run(&[ON, "--check", "--diff", "--quiet"], input)
}

#[test]
fn json_that_breaks_off_is_refused_with_its_place() {
    let cases = [
        (
            "cut in an object",
            "{\"a\": 1}\n{\"b\": {\n\"c\": 2",
            "line 2, column 7",
        ),
        ("cut in the first", "{\"a\": [1,\n", "line 1, column 7"),
        (
            "cut in a string",
            "{\"a\": 1}\n{\"b\": \"c",
            "line 2, column 7",
        ),
        (
            "a comma is missing",
            "{\"a\": 1}\n{\"b\": \"c\" \"d\": 1}\n{}\n",
            "line 2, column 11",
        ),
        (
            "text behind",
            "{\"a\": 1}\n{\"b\": 1} c\n",
            "line 2, column 10",
        ),
    ];
    for (what, input, place) in cases {
        for args in [
            &["stream"][..],
            &["stream", "--check", "--diff"],
            &["explain"],
        ] {
            let run = run_in(std::path::Path::new("."), args, input.as_bytes());
            assert_eq!((run.code, text(&run)), (Some(1), ""), "{what}");
            let told: Vec<&str> = run.stderr.lines().collect();
            assert_eq!(told.len(), 1, "{what}: {}", run.stderr);
            let begin = format!("error: the input is not YAML: {place}: ");
            assert!(told[0].starts_with(&begin), "{what}: {}", run.stderr);
        }
    }
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let config = "apiVersion: fn.flink.apache.org/v1alpha1\nkind: OperatorRollout\nspec:\n  deploymentAnnotations: {example.com/a: file, example.com/b: file, example.com/c: file}\n";
    std::fs::write(folder.path().join("config.yaml"), config).unwrap();
    let parameters = r#"[{"name": "deploymentAnnotations", "map": {"example.com/b": "argocd", "example.com/c": "argocd"}}]"#;
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_flink-operator-rollout"))
        .args([
            "stream",
            "--config",
            "config.yaml",
            "--argocd",
            "--deployment-annotation",
            "example.com/c=flag",
        ])
        .current_dir(folder.path())
        .env("ARGOCD_APP_PARAMETERS", parameters)
        .stdin(std::fs::File::open(written(folder.path(), &stream("15 s"))).unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "    example.com/a: \"file\"\n",
        "    example.com/b: \"argocd\"\n",
        "    example.com/c: \"flag\"\n",
    ] {
        assert!(text.contains(line), "{line:?} in {text}");
    }
}

fn written(folder: &std::path::Path, text: &str) -> std::path::PathBuf {
    let path = folder.join("input.yaml");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_flag_can_switch_off_what_the_file_switches_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("c"),
        "apiVersion: v1\nkind: ConfigMap\ndata: {restartOnConfigChange: \"true\"}\n",
    )
    .unwrap();
    let on = run_in(
        folder.path(),
        &["stream", "--config", "c"],
        stream("1 s").as_bytes(),
    );
    assert!(text(&on).contains("checksum/config"));
    let off = run_in(
        folder.path(),
        &[
            "stream",
            "--config",
            "c",
            "--restart-on-config-change=false",
        ],
        stream("1 s").as_bytes(),
    );
    assert_eq!(text(&off), stream("1 s"));
}

#[test]
fn all_faults_of_all_layers_are_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let config = "apiVersion: fn.flink.apache.org/v1alpha1\nkind: OperatorRollout\nspec: {restartOnConfigChanges: true, configCheck: warn}\n";
    std::fs::write(folder.path().join("c"), config).unwrap();
    let run = run_in(
        folder.path(),
        &[
            "stream",
            "--config",
            "c",
            "--deployment-annotation",
            "a/b/c=x",
        ],
        stream("1 s").as_bytes(),
    );
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.is_empty());
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.stderr);
    assert!(
        lines
            .iter()
            .all(|line| line.starts_with("error: ") && line.ends_with("(InvalidFunctionConfig)"))
    );
    for part in ["`restartOnConfigChange`?", "`Warn`?", "a/b/c"] {
        assert!(run.stderr.contains(part), "{part} in {}", run.stderr);
    }
}

#[test]
fn a_config_that_cannot_be_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("missing", None, "cannot read the file c: No such file"),
        ("no YAML", Some("a: [\n"), "not YAML"),
        (
            "two documents",
            Some("kind: A\n---\nkind: B\n"),
            "a second document",
        ),
        (
            "another kind",
            Some("apiVersion: v1\nkind: Secret\n"),
            "expected kind `OperatorRollout`",
        ),
    ];
    for (what, config, message) in cases {
        let path = folder.path().join("c");
        let _ = std::fs::remove_file(&path);
        if let Some(config) = config {
            std::fs::write(path, config).unwrap();
        }
        let run = run_in(
            folder.path(),
            &["stream", "--config", "c"],
            stream("1 s").as_bytes(),
        );
        assert_eq!((run.code, run.stdout.len()), (Some(1), 0), "{what}");
        assert!(
            run.stderr.starts_with("error: ") && run.stderr.contains(message),
            "{what}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_config_that_cannot_be_read_hides_no_fault_of_the_others() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken"), "a: [\n").unwrap();
    std::fs::write(folder.path().join("binary"), b"a: \xff\n").unwrap();
    for (file, fault) in [
        ("missing", "cannot read the file missing: "),
        (".", "cannot read the file .: "),
        ("binary", "cannot read the file binary: "),
        ("broken", "not YAML: line 1, column 4: "),
    ] {
        for (subcommand, place) in [("stream", "stderr"), ("explain", "stdout")] {
            let output = std::process::Command::new(env!("CARGO_BIN_EXE_flink-operator-rollout"))
                .args([subcommand, "--config", file, "--argocd"])
                .args(["--deployment-annotation", "a/b/c=x"])
                .current_dir(folder.path())
                .env("ARGOCD_ENV_CONFIG_CHECK", "warn")
                .stdin(std::fs::File::open(written(folder.path(), &stream("1 s"))).unwrap())
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(1), "{subcommand} {file}");
            let (told, silent) = if place == "stderr" {
                (output.stderr, output.stdout)
            } else {
                (output.stdout, output.stderr)
            };
            assert_eq!(
                String::from_utf8(silent).unwrap(),
                "",
                "{subcommand} {file}"
            );
            // Where explain wraps its lines.
            let told = String::from_utf8(told).unwrap();
            let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
            for part in [fault.trim_end(), "`ARGOCD_ENV_CONFIG_CHECK`: ", "a/b/c"] {
                assert!(told.contains(part), "{subcommand} {file}: {part} in {told}");
            }
            assert_eq!(told.matches("(InvalidFunctionConfig)").count(), 3, "{told}");
        }
    }
}

#[test]
fn results_go_to_stderr_a_line_each_severity_first() {
    let input = stream("1 s").replace("replicas: 1", "strategy: {type: Recreate}")
        + "      - {name: webhook, command: [/docker-entrypoint.sh, webhook]}\n";
    let input = input.replace("      volumes:\n      - name: conf\n        configMap: {name: flink-operator-config}\n      - {name: webhook", "      - {name: webhook")
        + "      volumes:\n      - {name: conf, configMap: {name: flink-operator-config}}\n";
    let loud = run(&[ON, "--deployment-annotation", "example.com/a=b"], &input);
    let lines: Vec<&str> = loud.stderr.lines().collect();
    let starts = |line: &str, severity| {
        line.starts_with(&format!(
            "{severity}: Deployment flink/flink-kubernetes-operator: "
        ))
    };
    assert_eq!(lines.len(), 3, "{}", loud.stderr);
    assert!(starts(lines[0], "info") && lines[0].ends_with("(AnnotationAdded)"));
    assert!(starts(lines[1], "info") && lines[1].ends_with("(ChecksumAdded)"));
    assert!(starts(lines[2], "warning") && lines[2].ends_with("(RestartCausesOutage)"));
    let quiet = run(&[ON, "--quiet"], &input);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
}

#[test]
fn quiet_leaves_errors() {
    let run = run(&[ON, "--quiet"], "kind: Service\n");
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.starts_with("error: ")
            && run.stderr.trim_end().ends_with("(NoOperatorDeployment)"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_empty_stream_is_refused_whatever_is_asked_for() {
    for input in [
        "",
        "\n",
        "# nothing\n",
        "---\n",
        "---\n# a\n---\n...\n",
        "null\n",
        "~\n---\n",
    ] {
        for args in [&[][..], &[ON], &["--check"]] {
            let run = run(args, input);
            assert_eq!((run.code, run.stdout.len()), (Some(1), 0), "{input:?}");
            assert!(
                run.stderr.contains("(EmptyInput)"),
                "{input:?}: {}",
                run.stderr
            );
        }
    }
}

#[test]
fn a_refusal_writes_nothing_to_stdout() {
    let twice = format!("{}---\n{}", config_map("1 s"), stream("2 s"));
    let cases = [
        (
            "two ConfigMaps of one name",
            twice.as_str(),
            "AmbiguousSource",
        ),
        ("no operator", "kind: Service\n", "NoOperatorDeployment"),
        (
            "a ResourceList",
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n",
            "without a subcommand",
        ),
        (
            "no YAML",
            "a: [\n",
            "error: the input is not YAML: line 1, column 4: ",
        ),
    ];
    for (what, input, message) in cases {
        let run = run(&[ON], input);
        assert_eq!((run.code, run.stdout.len()), (Some(1), 0), "{what}");
        assert!(run.stderr.contains(message), "{what}: {}", run.stderr);
    }
}
