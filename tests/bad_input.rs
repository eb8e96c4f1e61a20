//! What does bad input get? One clear error, quickly, and never half an output.

#[cfg(test)]
#[path = "support/program.rs"]
mod program;

#[cfg(test)]
mod bad_input {
    use std::fmt::Write as _;
    use std::path::Path;

    use serde_yaml::Value;

    use crate::program::{Run, run_in};

    fn run(args: &[&str], input: &[u8]) -> Run {
        run_in(Path::new("."), args, input)
    }

    /// A list that asks for everything, with those items before an operator's.
    fn list(items: &str) -> String {
        list_with(items, "", "Data")
    }

    /// The same, with more fields for the Deployment and another coverage.
    fn list_with(items: &str, more: &str, covers: &str) -> String {
        format!(
            "\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: fn.flink.apache.org/v1alpha1
  kind: OperatorRollout
  spec: {{restartOnConfigChange: true, deploymentAnnotations: {{team: flink}}, checksum: {{covers: {covers}}}}}
items:
{items}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {{name: op}}
  spec:
    template:
      spec:
        containers:
        - command: [/docker-entrypoint.sh, operator]
          volumeMounts: [{{name: c, mountPath: /opt/flink/conf}}]
        volumes: [{{name: c, configMap: {{name: conf}}}}]
{more}"
        )
    }

    const CONFIG_MAP: &str =
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: conf}, data: {a: b}}";

    /// Nothing on stdout, one line on stderr that begins so, and exit code 1.
    fn assert_unreadable(what: &str, args: &[&str], input: &[u8], error: &str) {
        let run = run(args, input);
        assert_eq!(run.code, Some(1), "{what}: {}", run.stderr);
        assert!(run.stdout.is_empty(), "{what}");
        assert_eq!(run.stderr.lines().count(), 1, "{what}: {}", run.stderr);
        assert!(run.stderr.starts_with(error), "{what}: {}", run.stderr);
    }

    /// The list is written as it came, with an error result of that reason, and exit code 1.
    fn assert_refused(what: &str, input: &str, reason: &str, error: &str) {
        let run = run(&[], input.as_bytes());
        let output = String::from_utf8(run.stdout).unwrap();
        assert_eq!(run.code, Some(1), "{what}: {}", run.stderr);
        let results = output.strip_prefix(input.trim_end()).unwrap();
        assert!(
            results.contains(&format!("reason: {reason}")),
            "{what}: {results}"
        );
        assert_eq!(run.stderr.lines().count(), 1, "{what}: {}", run.stderr);
        assert!(run.stderr.contains(error), "{what}: {}", run.stderr);
    }

    /// The function does its work.
    fn assert_passes(what: &str, input: &str) {
        let run = run(&[], input.as_bytes());
        assert_eq!(run.code, Some(0), "{what}: {}", run.stderr);
        let output = String::from_utf8(run.stdout).unwrap();
        assert!(
            output.contains("team: \"flink\"") || output.contains("\"team\": \"flink\""),
            "{what}"
        );
        assert!(output.contains("reason: ChecksumAdded"), "{what}");
    }

    #[test]
    fn what_is_no_yaml_is_named_with_its_place() {
        let not_yaml: [(&str, &[u8], &str); 9] = [
            (
                "a quote that stays open",
                b"a: 'b\nc: d\n",
                "error: the input is not YAML: line 1, column 4: ",
            ),
            (
                "a bracket that stays open",
                b"a: [b, c\n",
                "error: the input is not YAML: line 1, column 4: ",
            ),
            (
                "a tab before a key",
                b"a:\n\tb: c\n",
                "error: the input is not YAML: line 2, column ",
            ),
            (
                "an entry that is not aligned",
                b"a: b\n  c: d\n",
                "error: the input is not YAML: line 2, column ",
            ),
            (
                "an alias of nothing",
                b"a: *b\n",
                "error: the input is not YAML: line 1, column 4: ",
            ),
            (
                "a NUL",
                b"a: b\nc: \0d\n",
                "error: the input is not YAML: line 2, column 4: a NUL character",
            ),
            (
                "a NUL at the end",
                b"a: b\n\0",
                "error: the input is not YAML: line 2, column 1: a NUL character",
            ),
            (
                "Latin-1",
                b"a: b\nc: \xe4\n",
                "error: line 2, column 4: the input is not UTF-8",
            ),
            (
                "half a character",
                b"a: \xc3\xa9\nb: \xe2\x82",
                "error: line 2, column 4: the input is not UTF-8",
            ),
        ];
        for (what, input, error) in not_yaml {
            for args in [&[][..], &["stream"], &["explain"]] {
                assert_unreadable(what, args, input, error);
            }
        }
    }

    #[test]
    fn what_is_no_list_is_named_with_what_it_is() {
        let position =
            "error: line 1, column 1: expected a ResourceList (config.kubernetes.io/v1), found ";
        let not_a_list = [
            ("", "error: the input is empty, expected a ResourceList"),
            (
                "# nothing\n",
                "error: the input is empty, expected a ResourceList",
            ),
            ("text\n", "a string"),
            ("- a\n", "a list"),
            ("a: b\n", "a mapping without `kind`"),
            (
                "kind: ResourceList\n",
                "`ResourceList` without `apiVersion`",
            ),
            (
                "{apiVersion: apps/v1, kind: Deployment}\n",
                "`Deployment` of `apps/v1`",
            ),
            (
                "{apiVersion: v1, kind: ResourceList}\n",
                "`ResourceList` of `v1`",
            ),
        ];
        for (input, found) in not_a_list {
            let error = if found.starts_with("error") {
                found.to_owned()
            } else {
                format!("{position}{found}")
            };
            assert_unreadable(input, &[], input.as_bytes(), &error);
        }
    }

    #[test]
    fn a_list_is_one_document_with_every_key_once() {
        let head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n";
        let faults = [
            (
                "items: []\n---\nitems: []\n",
                "error: line 5, column 1: a second document behind the ResourceList",
            ),
            (
                "items: []\nitems: []\n",
                "error: line 4, column 1: key `items` is given twice",
            ),
            (
                "items: {}\n",
                "error: line 3, column 8: `items` is a mapping, expected a list",
            ),
            (
                "items: text\n",
                "error: line 3, column 8: `items` is a string, expected a list",
            ),
            (
                "items: 7\n",
                "error: line 3, column 8: `items` is a number, expected a list",
            ),
            (
                "items: []\nresults: true\n",
                "error: line 4, column 10: `results` is a boolean, expected a list",
            ),
        ];
        for (fields, error) in faults {
            let input = format!("{head}{fields}");
            assert_unreadable(fields, &[], input.as_bytes(), error);
        }
    }

    #[test]
    fn nesting_beyond_reason_is_refused_quickly() {
        let deep = ["[", "- ", "{a: ", "? ", "[{a: "];
        for open in deep {
            let nested = open.repeat(100_000);
            let error = "error: the input is not YAML: line ";
            assert_unreadable(open, &[], nested.as_bytes(), error);
            assert_unreadable(open, &["stream"], nested.as_bytes(), error);
            let in_an_item = format!("{}- {nested}\n", list(CONFIG_MAP));
            assert_unreadable(open, &[], in_an_item.as_bytes(), error);
        }
    }

    /// An object that holds anchors `b0` to `b29`, each nine of the one before.
    fn bomb(first: &str, of_nine: impl Fn(&str) -> String) -> String {
        let mut text = format!("- apiVersion: example.com/v1\n  kind: Bomb\n  b0: &b0 {first}\n");
        for i in 1..30 {
            let nine = of_nine(&format!("*b{}", i - 1));
            let _ = writeln!(text, "  b{i}: &b{i} {nine}");
        }
        text
    }

    fn bomb_of_lists() -> String {
        bomb("[x, x]", |alias| format!("[{}]", [alias; 9].join(", ")))
    }

    fn bomb_of_mappings() -> String {
        bomb("{k: v}", |alias| {
            let entries: Vec<String> = (0..9).map(|i| format!("k{i}: {alias}")).collect();
            format!("{{{}}}", entries.join(", "))
        })
    }

    fn bomb_of_merges() -> String {
        bomb("{k: v}", |alias| {
            format!("{{<<: [{}]}}", [alias; 9].join(", "))
        })
    }

    #[test]
    fn an_alias_bomb_that_is_not_read_passes_as_it_came() {
        for bomb in [bomb_of_lists(), bomb_of_mappings(), bomb_of_merges()] {
            assert_passes("beside", &list(&format!("{bomb}{CONFIG_MAP}")));
            let in_the_deployment =
                list_with(&format!("{bomb}{CONFIG_MAP}"), "  status: *b29\n", "Data");
            assert_passes("in the Deployment", &in_the_deployment);
            let in_the_config_map = CONFIG_MAP.replace(", data:", ", extra: *b29, data:");
            assert_passes(
                "in the ConfigMap",
                &list(&format!("{bomb}{in_the_config_map}")),
            );
        }
    }

    #[test]
    fn an_alias_bomb_in_the_data_is_refused() {
        let data = |bomb: String, data: &str| {
            list(&format!("{bomb}{}", CONFIG_MAP.replace("{a: b}", data)))
        };
        let (reason, error) = ("InvalidConfigMap", "ConfigMap conf: `data.a` (line ");
        assert_refused(
            "a value",
            &data(bomb_of_lists(), "{a: *b29}"),
            reason,
            error,
        );
        assert_refused(
            "all",
            &data(bomb_of_mappings(), "*b29"),
            reason,
            "ConfigMap conf: `data.k0` (line ",
        );
        let long = format!(
            "- {{apiVersion: v1, kind: X, long: &b {}}}\n",
            "x".repeat(200_000)
        );
        let many: Vec<String> = (0..10_000).map(|i| format!("k{i}: *b")).collect();
        let many = format!("{{{}}}", many.join(", "));
        let error = "expands to too much through aliases; write it out instead";
        assert_refused("many times a long value", &data(long, &many), reason, error);
        assert_passes("a merge", &data(bomb_of_merges(), "{<<: *b29}"));
    }

    #[test]
    fn an_alias_bomb_in_a_whole_manifest_is_refused() {
        let long = format!(
            "- {{apiVersion: v1, kind: X, b29: &b29 {}}}\n",
            "x".repeat(200_000)
        );
        let many = format!("[{}]", vec!["*b29"; 10_000].join(", "));
        for (bomb, extra) in [
            (bomb_of_lists(), "*b29"),
            (bomb_of_mappings(), "*b29"),
            (long, many.as_str()),
        ] {
            let config_map = CONFIG_MAP.replace(", data:", &format!(", extra: {extra}, data:"));
            let input = list_with(&format!("{bomb}{config_map}"), "", "Manifest");
            let error = "expands to too much through aliases; write it out instead";
            assert_refused(extra, &input, "InvalidConfigMap", error);
        }
    }

    #[test]
    fn an_alias_bomb_where_an_annotation_goes_is_refused() {
        let too_much = "what aliases stand for would have to be copied and is too much";
        let edits = [
            ("*b29", bomb_of_mappings(), too_much),
            (
                "{name: op, annotations: *b29}",
                bomb_of_mappings(),
                too_much,
            ),
            (
                "{name: op, annotations: *b29}",
                bomb_of_lists(),
                "`metadata.annotations` is a list, expected a mapping",
            ),
            (
                "{name: op, annotations: {team: *b29}}",
                bomb_of_lists(),
                "expected a string",
            ),
        ];
        for (metadata, bomb, error) in edits {
            let input = list(&format!("{bomb}{CONFIG_MAP}")).replace("{name: op}", metadata);
            let run = run(&[], input.as_bytes());
            assert_eq!(run.code, Some(1), "{metadata}");
            assert!(run.stderr.contains(error), "{metadata}: {}", run.stderr);
        }
        let merged = list(&format!("{}{CONFIG_MAP}", bomb_of_merges()));
        assert_passes(
            "a merge",
            &merged.replace("{name: op}", "{name: op, annotations: {<<: *b29}}"),
        );
        assert_passes(
            "labels",
            &merged.replace("{name: op}", "{name: op, labels: *b29}"),
        );
    }

    #[test]
    fn aliases_of_what_changes_are_copied_within_bounds() {
        let aliases = format!("  status: [{}]\n", vec!["*op"; 20_000].join(", "));
        let input = list_with(CONFIG_MAP, &aliases, "Data");
        let few = input.replace("{name: op}", "&op {name: op}");
        assert_passes("small", &few);
        let long = format!(
            "&op {{name: op, labels: {{long: {}}}}}",
            "x".repeat(100_000)
        );
        let many = input.replace("{name: op}", &long);
        assert_refused(
            "large",
            &many,
            "InvalidDeployment",
            "what aliases stand for would have to be copied and is too much",
        );
    }

    #[test]
    fn an_anchor_that_holds_itself_does_no_harm() {
        let in_other_items = [
            "- {apiVersion: v1, kind: X, a: &a [*a]}",
            "- {apiVersion: v1, kind: X, a: &a {k: *a}}",
            "- {apiVersion: v1, kind: X, a: &a {<<: *a}}",
            "- &a {apiVersion: v1, <<: *a}",
            "- {apiVersion: v1, kind: List, items: &a [*a]}",
            "- &a {apiVersion: v1, kind: List, items: [*a]}",
        ];
        for item in in_other_items {
            assert_passes(item, &list(&format!("{item}\n{CONFIG_MAP}")));
        }
        let in_the_way = [
            ("&a {name: op, annotations: *a}", "copied and is too much"),
            (
                "{name: op, annotations: &a {note: *a}}",
                "copied and is too much",
            ),
            (
                "{name: op, annotations: &a [*a]}",
                "`metadata.annotations` is a list",
            ),
        ];
        for (metadata, error) in in_the_way {
            let input = list(CONFIG_MAP).replace("{name: op}", metadata);
            assert_refused(metadata, &input, "InvalidDeployment", error);
        }
        assert_passes(
            "a merge",
            &list(CONFIG_MAP).replace("{name: op}", "&a {name: op, <<: *a}"),
        );
        let data = list(&CONFIG_MAP.replace("{a: b}", "&a {a: *a}"));
        assert_refused("data", &data, "InvalidConfigMap", "`data.a` (line ");
        let manifest = CONFIG_MAP.replace("- {", "- &a {extra: *a, ");
        let manifest = list_with(&manifest, "", "Manifest");
        assert_refused(
            "manifest",
            &manifest,
            "InvalidConfigMap",
            "expands to too much",
        );
    }

    #[test]
    fn long_chains_of_merge_keys_are_followed_quickly() {
        let mut chain = String::from("- &m0 {apiVersion: v1, kind: X}\n");
        for i in 1..5_000 {
            let _ = writeln!(chain, "- &m{i} {{<<: *m{}}}", i - 1);
        }
        assert_passes("a chain", &list(&format!("{chain}{CONFIG_MAP}")));
        let keys: Vec<String> = (0..5_000).map(|i| format!("k{i}: v")).collect();
        let wide = format!("- &m {{apiVersion: v1, kind: X, {}}}\n", keys.join(", "));
        let wide = wide + &"- <<: *m\n".repeat(5_000);
        assert_passes("a wide one", &list(&format!("{wide}{CONFIG_MAP}")));
    }

    #[test]
    fn a_key_twice_is_refused_where_it_is_read() {
        let twice = [
            (
                "{a: b}",
                "{a: b, a: c}",
                "ConfigMap conf: `data.a` (line 8, column 74) is given twice, expected once",
            ),
            (
                "{name: op}",
                "{name: op, name: op}",
                "Deployment op: `metadata.name` (line 11, column 24) is given twice, expected once",
            ),
            (
                "conf}]",
                "conf, name: d}]",
                "Deployment op: `spec.template.spec.containers[0].volumeMounts[0].name` (line 17, column 64) is given twice, expected once",
            ),
        ];
        for (from, to, error) in twice {
            let input = list(CONFIG_MAP).replace(from, to);
            let run = run(&[], input.as_bytes());
            assert_eq!(run.code, Some(1), "{to}");
            assert!(run.stderr.contains(error), "{to}: {}", run.stderr);
        }
        let other =
            "- {apiVersion: v1, kind: Service, metadata: {name: s, name: t}, kind: Service}";
        assert_passes("beside", &list(&format!("{other}\n{CONFIG_MAP}")));
    }

    /// All of the prefixes: either a clear error and nothing else, or a list.
    #[test]
    fn a_truncated_list_is_a_list_or_an_error() {
        use flink_operator_rollout::function;
        let input = list(
            "- apiVersion: v1\n  kind: ConfigMap # é\n  metadata: {name: 'conf'}\n  data:\n    \"a\\u0062\": |+\n      é\n\n    b: >-\n      c\n    <<: &m {k: d}\n    l: *m",
        );
        let mut lists = 0;
        for end in 0..=input.len() {
            let Some(prefix) = input.get(..end) else {
                continue;
            };
            match function::run(prefix) {
                Err(error) => {
                    let error = error.to_string();
                    assert!(!error.is_empty() && !error.contains('\n'), "{end}: {error}");
                }
                Ok(run) => {
                    lists += 1;
                    let mut output = Vec::new();
                    run.write(&mut output).unwrap();
                    let output = String::from_utf8(output).unwrap();
                    let list: Value = serde_yaml::from_str(&output)
                        .unwrap_or_else(|error| panic!("{end}: {error}\n{output}"));
                    assert_eq!(list["kind"], "ResourceList", "{end}");
                    assert!(list.get("items").is_some(), "{end}: {output}");
                    let results = list["results"].as_sequence().unwrap();
                    let is_error = |result: &Value| result["severity"] == "error";
                    assert_eq!(
                        results.iter().any(is_error),
                        run.rollout.is_refused(),
                        "{end}"
                    );
                }
            }
        }
        assert!(lists > 100, "only {lists} prefixes are lists");
    }

    #[test]
    fn a_truncated_stream_is_written_whole_or_not_at_all() {
        let list = list(CONFIG_MAP);
        let stream = list.split_once("items:\n").unwrap().1;
        for end in (0..stream.len()).step_by(7) {
            let run = run(
                &["stream", "--deployment-annotation=a=b"],
                &stream.as_bytes()[..end],
            );
            match run.code {
                Some(0) => assert!(run.stdout.len() > end, "{end}"),
                code => {
                    assert_eq!(code, Some(1), "{end}: {}", run.stderr);
                    assert!(
                        run.stdout.is_empty() && run.stderr.starts_with("error: "),
                        "{end}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_truncated_character_is_an_error() {
        let input = list(CONFIG_MAP).replace("{a: b}", "{a: é}");
        let end = input.find('é').unwrap() + 1;
        assert_unreadable(
            "half",
            &[],
            &input.as_bytes()[..end],
            "error: line 8, column ",
        );
    }
}
