//! What holds for any list and any stream, in whatever layout: nothing else changes, twice is once, and formatting does not
//! move the checksum. The outputs are read with another YAML library than the product's.

#[cfg(test)]
#[path = "support/odd_yaml.rs"]
mod odd_yaml;

#[cfg(test)]
mod properties {
    use std::collections::BTreeMap;

    use proptest::collection::{btree_map, vec};
    use proptest::option;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde::Deserialize as _;
    use serde_json::json;
    use serde_yaml::{Deserializer, Mapping, Value};
    use sha2::{Digest, Sha256};

    use flink_operator_rollout::function;
    use flink_operator_rollout::function_config::OperatorRollout;
    use flink_operator_rollout::stream;

    use crate::odd_yaml::{Layout, Node, list, map, text, write, write_json};

    /// Operators with their configuration, and what is asked of the function.
    #[derive(Clone, Debug)]
    struct Sample {
        operators: Vec<Operator>,
        others: Vec<Node>,
        restart: bool,
        annotations: BTreeMap<String, String>,
        earlier_results: Option<Vec<Node>>,
    }

    /// A Deployment and the `ConfigMap` that it mounts.
    #[derive(Clone, Debug)]
    struct Operator {
        namespace: Option<&'static str>,
        data: BTreeMap<String, String>,
        annotations: Annotations,
        pod_labels: bool,
        pod_annotations: Annotations,
        sidecars: usize,
        /// Whether the Deployment stands before the `ConfigMap`.
        first: bool,
        in_list: bool,
    }

    /// An annotations mapping, with the metadata around it.
    #[derive(Clone, Debug)]
    enum Annotations {
        Absent,
        Null,
        Some(Vec<(String, Node)>),
    }

    impl Annotations {
        fn in_metadata(&self, mut metadata: Vec<(String, Node)>) -> Node {
            match self {
                Self::Absent => {}
                Self::Null => metadata.push(("annotations".to_owned(), Node::Null)),
                Self::Some(entries) => {
                    metadata.push(("annotations".to_owned(), Node::Map(entries.clone())));
                }
            }
            Node::Map(metadata)
        }

        /// Without null and without the keys that are ours.
        fn without(self, ours: impl Fn(&str) -> bool) -> Self {
            match self {
                Self::Some(entries) => {
                    Self::Some(entries.into_iter().filter(|(key, _)| !ours(key)).collect())
                }
                Self::Absent | Self::Null => Self::Absent,
            }
        }
    }

    impl Operator {
        fn nodes(&self, number: usize) -> Vec<Node> {
            let mut metadata = vec![("name".to_owned(), text(format!("op-{number}")))];
            metadata.extend(self.namespace.map(|ns| ("namespace".to_owned(), text(ns))));
            let config_name = text(format!("conf-{number}"));
            let config_map = map([
                ("apiVersion", text("v1")),
                ("kind", text("ConfigMap")),
                ("metadata", map([("name", config_name.clone())])),
                (
                    "data",
                    map(self.data.iter().map(|(key, value)| (key, text(value)))),
                ),
            ]);
            let mut containers = vec![map([
                ("name", text("operator")),
                (
                    "command",
                    list([text("/docker-entrypoint.sh"), text("operator")]),
                ),
                (
                    "volumeMounts",
                    list([map([
                        ("name", text("c")),
                        ("mountPath", text("/opt/flink/conf")),
                    ])]),
                ),
            ])];
            for _ in 0..self.sidecars {
                containers.insert(0, map([("name", text("sidecar")), ("command", list([]))]));
            }
            let volume = map([
                ("name", text("c")),
                ("configMap", map([("name", config_name)])),
            ]);
            let pod_spec = map([
                ("containers", list(containers)),
                ("volumes", list([volume])),
            ]);
            let labels = map([("app", text("op"))]);
            let pod_metadata = match (&self.pod_annotations, self.pod_labels) {
                (Annotations::Absent, false) => None,
                (Annotations::Null, false) => Some(Node::Null),
                (some, false) => Some(some.in_metadata(Vec::new())),
                (some, true) => Some(some.in_metadata(vec![("labels".to_owned(), labels.clone())])),
            };
            let mut template: Vec<(&str, Node)> = Vec::new();
            template.extend(pod_metadata.map(|metadata| ("metadata", metadata)));
            template.push(("spec", pod_spec));
            let deployment = map([
                ("apiVersion", text("apps/v1")),
                ("kind", text("Deployment")),
                ("metadata", self.annotations.in_metadata(metadata)),
                (
                    "spec",
                    map([
                        ("selector", map([("matchLabels", labels)])),
                        ("template", map(template)),
                    ]),
                ),
            ]);
            let mut both = vec![config_map, deployment];
            if self.first {
                both.reverse();
            }
            if !self.in_list {
                return both;
            }
            vec![map([
                ("apiVersion", text("v1")),
                ("kind", text("List")),
                ("items", Node::List(both)),
            ])]
        }

        /// By the definition: one line of canonical JSON, and SHA-256 over that.
        fn checksum(&self) -> String {
            let line = json!({"binaryData": {}, "data": self.data});
            hex::encode(Sha256::digest(format!("{line}\n")))
        }
    }

    impl Sample {
        fn items(&self) -> Vec<Node> {
            let operators = self.operators.iter().enumerate();
            let mut items: Vec<Node> = operators.flat_map(|(i, op)| op.nodes(i)).collect();
            for (i, other) in self.others.iter().enumerate() {
                items.insert((i * 3) % (items.len() + 1), other.clone());
            }
            items
        }

        fn list(&self) -> Node {
            let annotations = self.annotations.iter();
            let spec = map([
                (
                    "restartOnConfigChange",
                    Node::Plain(if self.restart { "true" } else { "false" }),
                ),
                (
                    "deploymentAnnotations",
                    map(annotations.map(|(k, v)| (k, text(v)))),
                ),
            ]);
            let config = map([
                ("apiVersion", text("fn.flink.apache.org/v1alpha1")),
                ("kind", text("OperatorRollout")),
                ("metadata", map([("name", text("rollout"))])),
                ("spec", spec),
            ]);
            let mut list = vec![
                ("apiVersion", text("config.kubernetes.io/v1")),
                ("kind", text("ResourceList")),
                ("items", Node::List(self.items())),
                ("functionConfig", config),
            ];
            let results = self.earlier_results.clone();
            list.extend(results.map(|results| ("results", Node::List(results))));
            map(list)
        }

        fn config(&self) -> OperatorRollout {
            OperatorRollout {
                restart_on_config_change: self.restart,
                deployment_annotations: self.annotations.clone(),
                ..OperatorRollout::default()
            }
        }

        /// The items as they have to read afterwards, made from how they read before.
        fn expect(&self, mut items: Vec<Value>) -> Vec<Value> {
            for item in items.iter_mut().flat_map(objects) {
                let Some(name) = item["metadata"]["name"].as_str() else {
                    continue;
                };
                let Some(number) = name.strip_prefix("op-") else {
                    continue;
                };
                let operator = &self.operators[number.parse::<usize>().unwrap()];
                for (key, value) in &self.annotations {
                    annotate(&mut item["metadata"], key, value);
                }
                if self.restart {
                    let template = &mut item["spec"]["template"];
                    annotate(
                        &mut template["metadata"],
                        "checksum/config",
                        &operator.checksum(),
                    );
                }
            }
            items
        }

        /// The same, where everything that is to be written has a place and is not there yet.
        fn only_adding(mut self) -> Self {
            for operator in &mut self.operators {
                let own = |key: &str| self.annotations.contains_key(key);
                operator.annotations = operator.annotations.clone().without(own);
                let ours = |key: &str| key == "checksum/config";
                operator.pod_annotations = operator.pod_annotations.clone().without(ours);
            }
            self
        }
    }

    /// The object, or those of the `List` that it is.
    fn objects(item: &mut Value) -> Vec<&mut Value> {
        if item["kind"] != "List" {
            return vec![item];
        }
        item["items"]
            .as_sequence_mut()
            .unwrap()
            .iter_mut()
            .collect()
    }

    fn annotate(metadata: &mut Value, key: &str, value: &str) {
        if metadata.is_null() {
            *metadata = Mapping::new().into();
        }
        let annotations = &mut metadata["annotations"];
        if annotations.is_null() {
            *annotations = Mapping::new().into();
        }
        annotations[key] = value.into();
    }

    fn words() -> impl Strategy<Value = String> {
        let odd = vec![
            "",
            "one",
            "1",
            "true",
            "null",
            "~",
            "yes",
            "0x1F",
            "2001-12-14",
            "a: b # c\nd: e\n",
            "kept\n\n\n",
            "lines\n\n  indented\n\tby a tab\nend",
            " leading",
            "trailing \nblanks  \n",
            "# no comment\n",
            "- no list\n- at all",
            "{a: [b",
            "it's \"quoted\" \\ and so on",
            "é漢😀",
            "separators \u{2028} \u{85} \u{feff}\r\n\u{7f}",
        ];
        prop_oneof![select(odd).prop_map(str::to_owned), "[a-z]{1,6}"]
    }

    fn annotations() -> impl Strategy<Value = Annotations> {
        let keys = vec![
            "note",
            "team",
            "example.com/owner",
            "checksum/config",
            "1",
            "config.kubernetes.io/path",
        ];
        let value = prop_oneof![
            6 => words().prop_map(Node::Text),
            1 => Just(Node::Plain("true")),
            1 => Just(Node::Null),
        ];
        let some = btree_map(select(keys).prop_map(str::to_owned), value, 0..4)
            .prop_map(|entries| Annotations::Some(entries.into_iter().collect()));
        prop_oneof![2 => Just(Annotations::Absent), 1 => Just(Annotations::Null), 4 => some]
    }

    fn operator() -> impl Strategy<Value = Operator> {
        let keys = vec!["config.yaml", "log4j-operator.properties", "a", "b", "B"];
        (
            option::of(Just("flink")),
            btree_map(select(keys).prop_map(str::to_owned), words(), 0..4),
            annotations(),
            any::<bool>(),
            annotations(),
            0..2_usize,
            any::<bool>(),
            any::<bool>(),
        )
            .prop_map(
                |(
                    namespace,
                    data,
                    annotations,
                    pod_labels,
                    pod_annotations,
                    sidecars,
                    first,
                    in_list,
                )| {
                    Operator {
                        namespace,
                        data,
                        annotations,
                        pod_labels,
                        pod_annotations,
                        sidecars,
                        first,
                        in_list,
                    }
                },
            )
    }

    fn anything() -> impl Strategy<Value = Node> {
        let plain = vec![
            "0777",
            "1e3",
            "yes",
            "2001-12-14",
            "1_000",
            "0x1F",
            "-.inf",
            "1.50",
            "12:30",
            "!!int 7",
        ];
        let leaf = prop_oneof![
            3 => words().prop_map(Node::Text),
            1 => Just(Node::Null),
            2 => select(plain).prop_map(Node::Plain),
        ];
        let key = select(
            &[
                "note",
                "team",
                "annotations",
                "metadata",
                "spec",
                "x y",
                "a.b/c",
            ][..],
        );
        leaf.prop_recursive(3, 12, 3, move |inner| {
            prop_oneof![
                vec(inner.clone(), 0..3).prop_map(Node::List),
                btree_map(key.clone(), inner, 0..4).prop_map(map),
            ]
        })
    }

    fn other() -> impl Strategy<Value = Node> {
        (
            select(vec!["Service", "ConfigMap", "Deployment"]),
            anything(),
        )
            .prop_map(|(kind, spec)| {
                map([
                    ("apiVersion", text("example.com/v1")),
                    ("kind", text(kind)),
                    ("metadata", map([("name", text("other"))])),
                    ("other", spec),
                ])
            })
    }

    fn sample() -> impl Strategy<Value = Sample> {
        let keys = vec!["team", "example.com/owner", "yes", "a"];
        (
            vec(operator(), 1..3),
            vec(other(), 0..3),
            any::<bool>(),
            btree_map(select(keys).prop_map(str::to_owned), words(), 0..3),
            option::of(vec(
                words().prop_map(|message| map([("message", text(message))])),
                1..3,
            )),
        )
            .prop_map(
                |(operators, others, restart, annotations, earlier_results)| Sample {
                    operators,
                    others,
                    restart,
                    annotations,
                    earlier_results,
                },
            )
    }

    fn layout() -> impl Strategy<Value = Layout> {
        (
            vec(any::<u8>(), 0..500),
            any::<bool>(),
            any::<bool>(),
            any::<bool>(),
        )
            .prop_map(|(choices, anchors, windows, final_line_end)| Layout {
                choices,
                anchors,
                windows,
                final_line_end,
            })
    }

    /// The documents of a text, to another library.
    fn read(text: &str) -> Vec<Value> {
        // It takes a byte order mark for a column.
        Deserializer::from_str(text.trim_start_matches('\u{feff}'))
            .map(|document| {
                let mut value = Value::deserialize(document)
                    .unwrap_or_else(|error| panic!("{error} in\n{text}"));
                value.apply_merge().unwrap();
                value
            })
            .collect()
    }

    /// The items of a list.
    fn read_items(list: &str) -> Vec<Value> {
        read(list)[0]["items"].as_sequence().unwrap().clone()
    }

    fn run_list(input: &str) -> String {
        let run = function::run(input).unwrap_or_else(|error| panic!("{error} in\n{input}"));
        assert!(
            !run.rollout.is_refused(),
            "{:?} in\n{input}",
            run.rollout.outcomes
        );
        let mut output = Vec::new();
        run.write(&mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    fn run_stream(input: &str, config: &OperatorRollout) -> String {
        let run = stream::run(input, config).unwrap_or_else(|error| panic!("{error} in\n{input}"));
        assert!(
            !run.rollout.is_refused(),
            "{:?} in\n{input}",
            run.rollout.outcomes
        );
        let mut output = Vec::new();
        run.write(&mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    /// Whether `output` is `input` with one piece of text put in.
    fn is_one_insertion(input: &str, output: &str) -> bool {
        let same = input
            .bytes()
            .zip(output.bytes())
            .take_while(|(a, b)| a == b);
        let same = same.count();
        output.as_bytes().ends_with(&input.as_bytes()[same..])
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 100,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn every_layout_of_the_generator_reads_the_same(sample in sample(), layout in layout()) {
            let plainest = Layout { choices: Vec::new(), anchors: false, windows: false, final_line_end: true };
            let written = write(&[sample.list()], &layout);
            prop_assert_eq!(read(&written), read(&write(&[sample.list()], &plainest)), "{}", written);
        }

        #[test]
        fn nothing_else_in_a_list_changes(sample in sample(), layout in layout()) {
            let input = write(&[sample.list()], &layout);
            let output = run_list(&input);
            prop_assert_eq!(read_items(&output), sample.expect(read_items(&input)), "{}\n{}", input, output);
            let (before, after) = (&read(&input)[0], &read(&output)[0]);
            prop_assert_eq!(&before["functionConfig"], &after["functionConfig"]);
            let earlier = before["results"].as_sequence().cloned().unwrap_or_default();
            let results = after["results"].as_sequence().unwrap();
            prop_assert!(results.len() > earlier.len() && results.starts_with(&earlier));
        }

        #[test]
        fn nothing_else_in_a_stream_changes(sample in sample(), layout in layout()) {
            let input = write(&sample.items(), &layout);
            let output = run_stream(&input, &sample.config());
            prop_assert_eq!(read(&output), sample.expect(read(&input)), "{}\n{}", input, output);
        }

        #[test]
        fn parsing_everything_gives_the_same(sample in sample(), layout in layout()) {
            let input = write(&[sample.list()], &layout);
            let mut parsed = Vec::new();
            function::run_parsed(&input).unwrap().write(&mut parsed).unwrap();
            prop_assert_eq!(run_list(&input).into_bytes(), parsed);
            let input = write(&sample.items(), &layout);
            let mut parsed = Vec::new();
            stream::run_parsed(&input, &sample.config()).unwrap().write(&mut parsed).unwrap();
            prop_assert_eq!(run_stream(&input, &sample.config()).into_bytes(), parsed);
        }

        #[test]
        fn twice_is_once(sample in sample(), layout in layout()) {
            let once = run_stream(&write(&sample.items(), &layout), &sample.config());
            prop_assert_eq!(&run_stream(&once, &sample.config()), &once);

            let once = run_list(&write(&[sample.list()], &layout));
            let twice = run_list(&once);
            prop_assert!(is_one_insertion(&once, &twice), "{}\n{}", once, twice);
            prop_assert_eq!(read_items(&once), read_items(&twice));
        }

        #[test]
        fn with_the_defaults_the_items_stay_byte_for_byte(sample in sample(), layout in layout()) {
            let idle = Sample { restart: false, annotations: BTreeMap::new(), ..sample };
            let input = write(&idle.items(), &layout);
            prop_assert_eq!(&run_stream(&input, &idle.config()), &input);

            let ended = Layout { final_line_end: true, ..layout };
            let input = write(&[idle.list()], &ended);
            let output = run_list(&input);
            prop_assert!(is_one_insertion(&input, &output), "{}\n{}", input, output);
            prop_assert_eq!(read_items(&output), read_items(&input));
        }

        #[test]
        fn without_the_inserted_text_the_input_is_back(sample in sample(), layout in layout()) {
            let sample = sample.only_adding();
            let layout = Layout { anchors: false, ..layout };
            let input = write(&sample.items(), &layout);
            let run = stream::run(&input, &sample.config()).unwrap();
            let mut edits = run.rollout.edits.clone();
            edits.sort_by_key(|edit| edit.range.start);
            let mut rest = run_stream(&input, &sample.config());
            for edit in edits.iter().rev() {
                prop_assert!(edit.range.is_empty(), "{edit:?} takes something away");
                let end = edit.range.start + edit.text.len();
                // Those before it have moved it.
                let moved: usize = edits.iter().filter(|e| e.range.start < edit.range.start).map(|e| e.text.len()).sum();
                let removed: String = rest.drain(edit.range.start + moved..end + moved).collect();
                prop_assert_eq!(&removed, &edit.text);
            }
            prop_assert_eq!(rest, input);
        }

        #[test]
        fn layout_does_not_move_the_checksum(sample in sample(), one in layout(), other in layout()) {
            let sample = Sample { restart: true, ..sample };
            let one = run_list(&write(&[sample.list()], &one));
            let other = run_list(&write(&[sample.list()], &other));
            prop_assert_eq!(read_items(&one), read_items(&other), "{}\n{}", one, other);
        }

        #[test]
        fn json_stays_json(sample in sample(), indented in any::<bool>()) {
            let input = write_json(&sample.list(), indented);
            let output = run_list(&input);
            let after: serde_json::Value = serde_json::from_str(&output).unwrap();
            prop_assert!(after["results"].is_array());
            prop_assert_eq!(read_items(&output), sample.expect(read_items(&input)), "{}\n{}", input, output);
        }

        #[test]
        fn line_ends_are_all_of_one_kind(sample in sample(), layout in layout()) {
            let input = write(&[sample.list()], &layout);
            let output = run_list(&input);
            let of_windows = output.matches("\r\n").count();
            let expected = if layout.windows && input.contains('\n') { output.matches('\n').count() } else { 0 };
            prop_assert_eq!(of_windows, expected, "{:?}", output);
        }
    }
}
