//! The documents: does what they show work as shown, and do their tables hold all there is?
//!
//! A fenced block says by its info string how it is checked:
//!
//! - `console`: run by `cargo test`; its output, where shown, has to be the real one;
//! - `console needs-…`: run likewise with those tools, by `.ci/run`; the needs in [`ELSEWHERE`] cannot be met there, and what has them
//!   has to be valid bash, no more;
//! - `yaml`, `json`: parsed, and a function config has to be accepted; with a path behind, a part of that file;
//! - `mermaid`: the same picture in each language.

#[cfg(test)]
#[expect(dead_code, reason = "other tests need more of it")]
#[path = "support/manifests.rs"]
mod manifests;
#[cfg(test)]
#[path = "support/markdown.rs"]
mod markdown;
#[cfg(test)]
#[expect(dead_code, reason = "other tests need more of it")]
#[path = "support/package.rs"]
mod package;
#[cfg(test)]
#[path = "support/session.rs"]
mod session;

#[cfg(test)]
mod readme {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use flink_operator_rollout::function_config::read::{config_of, file_layer};
    use flink_operator_rollout::function_config::spec_schema;
    use flink_operator_rollout::results::Reason;
    use serde_json::Value as Json;

    use crate::manifests::{only, read};
    use crate::markdown::{Block, blocks, code, links, table};
    use crate::package::files_below;
    use crate::session;

    const READMES: [&str; 2] = ["README.md", "README.zh.md"];
    const PAGES: [&str; 6] = [
        "docs/design.md",
        "docs/options.md",
        "docs/options.zh.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
    ];
    /// A running cluster, and an image that was released and signed.
    const ELSEWHERE: [&str; 2] = ["needs-cluster", "needs-release"];
    const HELM_3: &str = "needs-helm3";

    struct Document {
        /// Relative to the repository.
        path: PathBuf,
        text: String,
    }

    impl Document {
        fn at(path: impl Into<PathBuf>) -> Self {
            let path = path.into();
            let text = fs::read_to_string(root().join(&path)).unwrap();
            Self { path, text }
        }

        fn blocks(&self, language: &str) -> Vec<Block> {
            let mut blocks = blocks(&self.text);
            blocks.retain(|block| block.language == language);
            blocks
        }

        /// Where its commands are to be run.
        fn folder(&self) -> &str {
            self.path.parent().unwrap().to_str().unwrap()
        }

        fn place(&self, block: &Block) -> String {
            format!("{}:{}", self.path.display(), block.line)
        }
    }

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    fn readmes() -> [Document; 2] {
        READMES.map(Document::at)
    }

    fn documents() -> Vec<Document> {
        let examples = example_files().filter(|path| path.ends_with("README.md"));
        let pages = READMES.iter().chain(&PAGES).map(PathBuf::from);
        pages.chain(examples).map(Document::at).collect()
    }

    fn example_files() -> impl Iterator<Item = PathBuf> {
        let files = files_below(&root().join("examples")).into_iter();
        files.map(|path| Path::new("examples").join(path))
    }

    /// Runs the sessions whose needs are of a kind; how many there were.
    fn run_sessions(wanted: impl Fn(&[String]) -> bool) -> usize {
        let mut count = 0;
        // The other README has the same ones.
        for document in documents()
            .iter()
            .filter(|d| d.path != Path::new(READMES[1]))
        {
            for block in document.blocks("console") {
                if wanted(&block.words) {
                    let place = document.place(&block);
                    let helm = if block.words == [HELM_3] {
                        "helm3"
                    } else {
                        "helm"
                    };
                    session::run(&block.text, document.folder(), &place, helm);
                    count += 1;
                }
            }
        }
        count
    }

    fn can_be_met(needs: &[String]) -> bool {
        !needs.iter().any(|need| ELSEWHERE.contains(&need.as_str()))
    }

    #[test]
    fn commands_that_need_no_tools_work_as_shown() {
        assert_ne!(run_sessions(<[String]>::is_empty), 0);
    }

    #[test]
    #[ignore = "needs jq, kpt, kubectl, helm, podman and the image"]
    fn commands_that_need_tools_work_as_shown() {
        let here = |needs: &[String]| {
            !needs.is_empty() && can_be_met(needs) && !needs.iter().any(|need| need == HELM_3)
        };
        assert_ne!(run_sessions(here), 0);
    }

    #[test]
    #[ignore = "needs helm3"]
    fn commands_for_helm_3_work_as_shown() {
        assert_ne!(run_sessions(|needs| needs == [HELM_3]), 0);
    }

    #[test]
    fn all_commands_are_valid_and_say_what_they_need() {
        let known = [
            "needs-helm",
            HELM_3,
            "needs-image",
            "needs-jq",
            "needs-kpt",
            "needs-kubectl",
        ];
        for document in documents() {
            for block in document.blocks("console") {
                for need in &block.words {
                    let known = known.iter().chain(&ELSEWHERE).any(|known| known == need);
                    assert!(known, "{}: {need}", document.place(&block));
                }
                session::check_syntax(&block.text);
            }
        }
    }

    #[test]
    fn every_block_is_of_a_kind_that_is_checked() {
        for document in documents() {
            for block in blocks(&document.text) {
                let checked = ["console", "yaml", "json", "mermaid"];
                let known = checked.contains(&block.language.as_str());
                assert!(known, "{}", document.place(&block));
            }
        }
    }

    #[test]
    fn yaml_and_json_are_read_and_function_configs_are_accepted() {
        for document in documents() {
            for block in document.blocks("yaml") {
                for manifest in read(&block.text) {
                    if manifest["kind"] == "OperatorRollout" {
                        let config = config_of([file_layer(&block.text)]);
                        assert!(config.is_ok(), "{}: {config:?}", document.place(&block));
                    }
                }
            }
            for block in document.blocks("json") {
                serde_json::from_str::<Json>(&block.text).unwrap();
            }
        }
    }

    #[test]
    fn a_snippet_that_names_a_file_is_a_part_of_it() {
        for document in documents() {
            for block in blocks(&document.text) {
                if let ("yaml" | "json", [path]) = (block.language.as_str(), &block.words[..]) {
                    let file = fs::read_to_string(root().join(path)).unwrap();
                    assert!(file.contains(&block.text), "{}", document.place(&block));
                }
            }
        }
    }

    #[test]
    fn both_readmes_show_the_same() {
        let [english, chinese] = readmes().map(|readme| shown(&readme));
        assert!(!english.is_empty());
        assert_eq!(english, chinese);
    }

    /// The blocks of a document, those of a picture without the words in it.
    fn shown(document: &Document) -> Vec<(String, Vec<String>, String)> {
        let blocks = blocks(&document.text).into_iter();
        blocks
            .map(|block| {
                let text = if block.language == "mermaid" {
                    block.text.split('"').step_by(2).collect()
                } else {
                    block.text
                };
                (block.language, block.words, text)
            })
            .collect()
    }

    #[test]
    fn links_lead_to_files_that_are_there() {
        for document in documents() {
            for link in links(&document.text) {
                let file = root().join(document.folder()).join(link);
                assert!(file.exists(), "{}: {link}", document.path.display());
            }
        }
    }

    #[test]
    fn images_and_the_helm_plugin_are_of_this_version() {
        let version = env!("CARGO_PKG_VERSION");
        let examples = example_files().map(Document::at);
        let mut count = 0;
        for file in documents().into_iter().chain(examples) {
            for tagged in ["flink-operator-rollout:v", "rollout-installer:v", "tags/v"] {
                for behind in file.text.split(tagged).skip(1) {
                    assert!(behind.starts_with(version), "{}", file.path.display());
                    count += 1;
                }
            }
        }
        assert_ne!(count, 0);
        let plugin = Document::at("examples/helm/plugin/plugin.yaml");
        assert_eq!(read(&plugin.text)[0]["version"], version);
    }

    #[test]
    fn each_dependency_is_accounted_for() {
        let manifest = Document::at("Cargo.toml").text;
        let sections = manifest.split("\n[");
        let dependencies: BTreeSet<&str> = sections
            .filter(|section| section.split(']').next().unwrap().ends_with("dependencies"))
            .flat_map(|section| section.lines().filter_map(|line| line.split_once(" = ")))
            .map(|(name, _)| name)
            .collect();
        assert!(dependencies.contains("serde") && dependencies.contains("tempfile"));
        for readme in readmes() {
            let rows = table(&readme.text, "dependencies");
            let in_table: BTreeSet<&str> = rows.iter().flat_map(|row| code(row[0])).collect();
            assert_eq!(in_table, dependencies, "{}", readme.path.display());
        }
    }

    /// A field without fields of its own.
    struct Option {
        path: String,
        /// As the table writes it.
        default: String,
        /// Those that it can have, where they are few.
        values: Vec<String>,
    }

    /// The options that the function config has, by its schema.
    fn options() -> Vec<Option> {
        let mut options = Vec::new();
        add_options("", &spec_schema(), &mut options);
        options
    }

    fn add_options(parent: &str, schema: &Json, options: &mut Vec<Option>) {
        for (name, field) in schema["properties"].as_object().unwrap() {
            let path = format!("{parent}{name}");
            if field.get("properties").is_some() {
                add_options(&format!("{path}."), field, options);
                continue;
            }
            let default = match &field["default"] {
                Json::Null => "–".to_owned(),
                Json::String(text) => format!("`{text}`"),
                other => format!("`{other}`"),
            };
            options.push(Option {
                path,
                default,
                values: values(field),
            });
        }
    }

    /// The strings of an enumeration, in each of the ways to write one.
    fn values(schema: &Json) -> Vec<String> {
        let listed = schema["enum"].as_array().into_iter().flatten();
        let choices = schema["oneOf"].as_array().into_iter().flatten();
        let chosen = choices.map(|choice| &choice["const"]);
        listed
            .chain(chosen)
            .map(|value| value.as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn the_options_table_has_each_option_with_its_default_and_values() {
        let options = options();
        assert!(options.iter().any(|option| !option.values.is_empty()));
        for readme in readmes() {
            let rows = table(&readme.text, "options");
            let in_table: Vec<(&str, &str)> =
                rows.iter().map(|row| (code(row[0])[0], row[1])).collect();
            let in_schema: Vec<(&str, &str)> = options
                .iter()
                .map(|option| (option.path.as_str(), option.default.as_str()))
                .collect();
            assert_eq!(in_table, in_schema, "{}", readme.path.display());
            for (row, option) in rows.iter().zip(&options) {
                for value in &option.values {
                    assert!(code(row[2]).contains(&value.as_str()), "{value}: {row:?}");
                }
            }
        }
    }

    #[test]
    fn the_results_table_has_each_reason_once() {
        let schema = schemars::schema_for!(Reason).to_value();
        let reasons = values(&schema);
        assert!(reasons.contains(&"ChecksumAdded".to_owned()));
        for readme in readmes() {
            let rows = table(&readme.text, "results");
            let in_table: Vec<&str> = rows.iter().map(|row| code(row[0])[0]).collect();
            assert_eq!(in_table, reasons, "{}", readme.path.display());
        }
    }

    #[test]
    fn the_quickstart_is_one_input_in_both_forms() {
        let text = |path: &str| fs::read_to_string(root().join(path)).unwrap();
        let stream = read(&text("examples/quickstart/manifests.yaml"));
        let list = read(&text("examples/quickstart/resource-list.yaml"));
        assert_eq!(stream, list);
        let deployment = only(&stream, "Deployment");
        let containers = deployment["spec"]["template"]["spec"]["containers"].as_sequence();
        let names: BTreeSet<&str> = containers
            .unwrap()
            .iter()
            .map(|container| container["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            BTreeSet::from(["flink-kubernetes-operator", "flink-webhook"])
        );
    }
}
