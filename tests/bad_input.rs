//! Input that is wrong, or made to do harm: does it get one clear answer, in time, with nothing half-written?

#![cfg(test)]

#[path = "support/operator.rs"]
mod operator;
#[path = "support/program.rs"]
mod program;

use std::fmt::Write as _;
use std::path::Path;

use operator::{DEPLOYMENT, config_map, stream};
use program::{Run, run_in};

const CONFIG: &str = "functionConfig: {apiVersion: fn.flink.apache.org/v1alpha1, kind: OperatorRollout, spec: {restartOnConfigChange: true, deploymentAnnotations: {example.com/a: b}}}\n";

fn run(input: &[u8]) -> Run {
    run_in(Path::new("."), &[], input)
}

/// A list of objects, each given as a document.
fn list(objects: &[&str]) -> String {
    let mut text =
        format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n{CONFIG}items:\n");
    for object in objects {
        let lines: Vec<String> = object.lines().map(|line| format!("  {line}\n")).collect();
        text.push_str("- ");
        text.push_str(lines.concat().trim_start());
    }
    text
}

/// The input cannot be read: one line on stderr with the place, nothing on stdout.
fn assert_unreadable(input: &[u8], what: &str) {
    for args in [&[][..], &["stream"], &["explain"]] {
        let run = run_in(Path::new("."), args, input);
        assert_eq!(
            (run.code, run.stdout.len()),
            (Some(1), 0),
            "{what} {args:?}: {}",
            run.stderr
        );
        assert_eq!(
            run.stderr.lines().count(),
            1,
            "{what} {args:?}: {}",
            run.stderr
        );
        assert!(
            run.stderr.starts_with("error: ") && run.stderr.contains("line "),
            "{what} {args:?}: {}",
            run.stderr
        );
    }
}

/// The list can be read, and one thing in it is refused: its items come back as they were, with one error of that reason.
fn assert_refused(input: &str, reason: &str, parts: &[&str]) {
    let run = run(input.as_bytes());
    assert_eq!(run.code, Some(1), "{input}");
    let output = String::from_utf8(run.stdout).unwrap();
    assert!(output.starts_with(input.trim_end()), "{output}");
    assert_eq!(output.matches("severity: error").count(), 1, "{output}");
    assert!(
        output.contains(&format!("reason: {reason}")),
        "{reason}: {output}"
    );
    for part in parts {
        assert!(run.stderr.contains(part), "{part} in {}", run.stderr);
    }
}

#[test]
fn what_is_no_yaml_is_told_with_its_place() {
    let cases: [(&str, &[u8]); 9] = [
        ("an open bracket", b"items: [\n"),
        ("an open quote", b"items: \"a\n"),
        ("a tab for indentation", b"a:\n\t- b\n"),
        ("an unknown alias", b"a: *b\n"),
        ("not UTF-8", b"a: \xff\n"),
        ("UTF-16", b"\xff\xfea\x00:\x00 \x001\x00\n\x00"),
        ("a NUL", b"a: b\n\0c: d\n"),
        ("two values", b"a: b: c\n"),
        ("a wrong indentation", b"a:\n    b: 1\n  c: 2\n"),
    ];
    for (what, input) in cases {
        assert_unreadable(input, what);
    }
}

#[test]
fn deep_nesting_is_told_quickly() {
    for text in [
        "[".repeat(100_000),
        "- ".repeat(100_000),
        "{a: ".repeat(100_000),
        "? ".repeat(100_000),
    ] {
        assert_unreadable(format!("x: 1\ny:\n {text}\n").as_bytes(), &text[..4]);
    }
}

#[test]
fn what_is_no_resource_list_says_what_was_expected() {
    for (input, part) in [
        ("", "the input is empty"),
        ("# nothing\n", "the input is empty"),
        ("a: 1\n", "a mapping without `kind`"),
        ("[a]\n", "a list"),
        ("apiVersion: v1\nkind: Pod\n", "`Pod` of `v1`"),
        (
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: text\n",
            "`items` is a string",
        ),
        (
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nresults: {a: b}\n",
            "`results` is a mapping",
        ),
        (
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nitems: []\n",
            "`items` is given twice",
        ),
        (
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n---\na: b\n",
            "a second document",
        ),
    ] {
        let run = run(input.as_bytes());
        assert_eq!((run.code, run.stdout.len()), (Some(1), 0), "{input}");
        assert!(
            run.stderr.lines().count() == 1 && run.stderr.contains(part),
            "{input}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_list_that_is_cut_off_anywhere_is_a_list_or_told() {
    let whole = list(&[&config_map("15 s"), DEPLOYMENT]);
    for end in 0..whole.len() {
        let Some(cut) = whole.get(..end) else {
            continue;
        };
        let run = run(cut.as_bytes());
        assert!(!run.stderr.contains("panicked"), "{end}: {}", run.stderr);
        match run.code {
            Some(0) => {}
            Some(1) => assert!(
                run.stderr.lines().all(|line| line.starts_with("error: ")),
                "{end}: {}",
                run.stderr
            ),
            code => panic!("{end}: {code:?}: {}", run.stderr),
        }
        if !run.stdout.is_empty() {
            let list: serde_yaml::Value = serde_yaml::from_slice(&run.stdout).unwrap();
            assert_eq!(list["kind"], "ResourceList", "{end}");
            assert!(list.get("items").is_some(), "{end}");
        }
    }
}

#[test]
fn a_stream_that_is_cut_off_anywhere_is_written_whole_or_not_at_all() {
    let whole = stream("15 s");
    for end in (0..whole.len()).step_by(5) {
        let run = run_in(
            Path::new("."),
            &["stream", "--restart-on-config-change"],
            &whole.as_bytes()[..end],
        );
        assert!(!run.stderr.contains("panicked"), "{end}: {}", run.stderr);
        match run.code {
            Some(0) => assert!(run.stdout.len() >= end, "{end}"),
            Some(1) => assert_eq!(run.stdout.len(), 0, "{end}"),
            code => panic!("{end}: {code:?}: {}", run.stderr),
        }
    }
}

/// Nine aliases of nine aliases, and so on.
fn bomb(key: &str) -> String {
    let mut text = format!("{key}:\n  a0: &a0 {{x: lol}}\n");
    for level in 1..10 {
        let alias = format!("*a{}", level - 1);
        let members: Vec<String> = (0..9).map(|n| format!("k{n}: {alias}")).collect();
        let members = members.join(", ");
        let _ = writeln!(text, "  a{level}: &a{level} {{{members}}}");
    }
    text
}

#[test]
fn an_alias_bomb_beside_the_operator_passes_through() {
    let input = list(&[
        &bomb("apiVersion: example.com/v1\nkind: Bomb\nspec"),
        &config_map("15 s"),
        DEPLOYMENT,
    ]);
    let run = run(input.as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let output = String::from_utf8(run.stdout).unwrap();
    assert!(
        output.contains("checksum/config") && output.contains("    a9: &a9 {k0: *a8, k1: *a8,")
    );
}

#[test]
fn an_alias_bomb_where_it_would_be_expanded_is_refused() {
    let in_data = config_map("15 s") + "  bomb: 1\n";
    let in_data = in_data.replace("  bomb: 1\n", "") + &bomb("extra");
    let manifest = list(&[&in_data, DEPLOYMENT]).replace(
        "{restartOnConfigChange: true,",
        "{restartOnConfigChange: true, checksum: {covers: Manifest},",
    );
    assert_refused(&manifest, "InvalidConfigMap", &["expands to too much"]);

    let long = "x".repeat(100_000);
    let aliases: Vec<String> = (0..1000).map(|n| format!("  k{n}: *long\n")).collect();
    let aliases = aliases.concat();
    let amplified = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: flink-operator-config, namespace: flink}}\ndata:\n  long: &long {long}\n{aliases}"
    );
    assert_refused(
        &list(&[&amplified, DEPLOYMENT]),
        "InvalidConfigMap",
        &["expands to too much"],
    );

    let on_the_path = DEPLOYMENT.replace(
        "  namespace: flink\n",
        "  namespace: flink\n  annotations: *a9\n",
    );
    assert_refused(
        &list(&[
            &bomb("apiVersion: v1\nkind: Bomb\nspec"),
            &config_map("15 s"),
            &on_the_path,
        ]),
        "InvalidDeployment",
        &["what aliases stand for"],
    );
}

#[test]
fn merge_keys_that_multiply_or_go_in_circles_end() {
    let mut merges = "apiVersion: v1\nkind: Merges\nm0: &m0 {a: b}\n".to_owned();
    for level in 1..40 {
        let below = level - 1;
        let _ = writeln!(merges, "m{level}: &m{level} {{<<: [*m{below}, *m{below}]}}");
    }
    let deployment = DEPLOYMENT.replace(
        "  namespace: flink\n",
        "  namespace: flink\n  annotations: {<<: *m39}\n",
    );
    let run = run(list(&[&merges, &config_map("15 s"), &deployment]).as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);

    // What merges itself merges nothing new.
    let circle = DEPLOYMENT.replace(
        "  namespace: flink\n",
        "  namespace: flink\n  annotations: &c {<<: *c, x: y}\n",
    );
    let run = self::run(list(&[&config_map("15 s"), &circle]).as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let output = String::from_utf8(run.stdout).unwrap();
    assert!(
        output.contains("annotations: &c {\"example.com/a\": \"b\", <<: {\"x\": \"y\"}, x: y}"),
        "{output}"
    );
}

#[test]
fn a_key_twice_is_refused_where_it_is_read() {
    let twice = config_map("15 s") + "  flink-conf.yaml: other\n";
    assert_refused(
        &list(&[&twice, DEPLOYMENT]),
        "InvalidConfigMap",
        &["`flink-conf.yaml`", "given twice"],
    );
    let command = "        command: [/docker-entrypoint.sh, operator]\n";
    let twice = DEPLOYMENT.replace(command, &format!("{command}        command: []\n"));
    assert_refused(
        &list(&[&config_map("15 s"), &twice]),
        "InvalidDeployment",
        &["`command`", "given twice"],
    );
}

#[test]
fn a_value_that_is_no_string_is_refused_with_its_path() {
    for value in [
        "1",
        "true",
        "0x1F",
        "1e3",
        "[a]",
        "{a: b}",
        "!!binary aGk=",
        ".5",
        "1_000",
    ] {
        let config = config_map("15 s") + &format!("  k: {value}\n");
        assert_refused(
            &list(&[&config, DEPLOYMENT]),
            "InvalidConfigMap",
            &["data.k", "expected a string"],
        );
    }
    let config = config_map("15 s") + "binaryData: {k: \"not base64!\"}\n";
    assert_refused(
        &list(&[&config, DEPLOYMENT]),
        "InvalidConfigMap",
        &["binaryData.k", "not base64"],
    );
    let config = config_map("15 s").replace(
        "data:\n  flink-conf.yaml: |\n    kubernetes",
        "data: text\nx:\n  y: |\n    kubernetes",
    );
    assert_refused(
        &list(&[&config, DEPLOYMENT]),
        "InvalidConfigMap",
        &["`data`", "a string", "expected a mapping"],
    );
}

#[test]
fn a_wrong_type_on_the_way_to_the_configuration_is_refused_with_its_path() {
    let containers = "      containers:\n      - name: operator\n        command: [/docker-entrypoint.sh, operator]\n        volumeMounts:\n        - {name: conf, mountPath: /opt/flink/conf}\n";
    assert!(DEPLOYMENT.contains(containers));
    let cases = [
        (
            containers,
            "      containers: operator\n",
            "spec.template.spec.containers",
        ),
        (
            containers,
            "      containers: {operator: x}\n",
            "spec.template.spec.containers",
        ),
        (
            containers,
            "      containers: [operator]\n",
            "spec.template.spec.containers[0]",
        ),
        (
            "        command: [/docker-entrypoint.sh, operator]\n",
            "        command: docker-entrypoint.sh operator\n",
            "spec.template.spec.containers[0].command",
        ),
        (
            "[/docker-entrypoint.sh, operator]",
            "[/docker-entrypoint.sh, operator]\n        env: text",
            "spec.template.spec.containers[0].env",
        ),
        (
            "[/docker-entrypoint.sh, operator]",
            "[/docker-entrypoint.sh, operator]\n        env: [text]",
            "spec.template.spec.containers[0].env[0]",
        ),
        (
            "        volumeMounts:\n        - {name: conf, mountPath: /opt/flink/conf}\n",
            "        volumeMounts: 5\n",
            "spec.template.spec.containers[0].volumeMounts",
        ),
        (
            "mountPath: /opt/flink/conf}",
            "mountPath: [/opt/flink/conf]}",
            "spec.template.spec.containers[0].volumeMounts[0].mountPath",
        ),
        (
            "      - name: conf\n        configMap: {name: flink-operator-config}\n",
            "        conf: x\n",
            "spec.template.spec.volumes",
        ),
        (
            "configMap: {name: flink-operator-config}",
            "configMap: text",
            "spec.template.spec.volumes[0].configMap",
        ),
        (
            "configMap: {name: flink-operator-config}",
            "configMap: {name: a, items: x}",
            "spec.template.spec.volumes[0].configMap.items",
        ),
        (
            "configMap: {name: flink-operator-config}",
            "configMap: {name: a, optional: maybe}",
            "spec.template.spec.volumes[0].configMap.optional",
        ),
        (
            "  namespace: flink\n",
            "  namespace: flink\n  annotations: text\n",
            "metadata.annotations",
        ),
        (
            "  namespace: flink\n",
            "  namespace: flink\n  annotations: [a]\n",
            "metadata.annotations",
        ),
        (
            "  namespace: flink\n",
            "  namespace: flink\n  annotations: {example.com/a: [b]}\n",
            "metadata.annotations.example.com/a",
        ),
        (
            "      labels: {app: operator}\n",
            "      annotations: 5\n",
            "spec.template.metadata.annotations",
        ),
        (
            "    metadata:\n      labels: {app: operator}\n",
            "    metadata: text\n",
            "spec.template.metadata",
        ),
    ];
    for (from, to, path) in cases {
        assert!(DEPLOYMENT.contains(from), "{from}");
        let deployment = DEPLOYMENT.replacen(from, to, 1);
        assert_refused(
            &list(&[&config_map("15 s"), &deployment]),
            "InvalidDeployment",
            &[path],
        );
    }
}
