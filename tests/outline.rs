//! Does the outline of a text agree with the parser?

#[cfg(test)]
#[path = "outline/cases.rs"]
#[rustfmt::skip]
mod cases;
#[cfg(test)]
#[path = "outline/generated.rs"]
mod generated;
#[cfg(test)]
#[path = "outline/mutants.rs"]
mod mutants;
#[cfg(test)]
#[path = "outline/reference.rs"]
mod reference;

#[cfg(test)]
mod agreement {
    use std::fs;
    use std::ops::Range;
    use std::path::{Path, PathBuf};

    use flink_operator_rollout::yaml::outline::{self, Part};
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use crate::cases::{DOCUMENTS, LISTS};
    use crate::generated;
    use crate::mutants::{Chance, mutate};
    use crate::reference::{Node, check, read};

    /// Kind and metadata of each part, empty where they are unknown.
    fn fields<'t>(text: &'t str, parts: &[Part]) -> Vec<(&'t str, &'t str)> {
        let at = |range: &Option<Range<usize>>| range.clone().map_or("", |range| &text[range]);
        parts
            .iter()
            .map(|part| (at(&part.kind), at(&part.metadata)))
            .collect()
    }

    #[test]
    fn a_list_is_outlined_as_far_as_it_is_sure() {
        for (what, text, expected) in LISTS {
            let is_accepted = check(text).is_accepted;
            assert!(is_accepted || expected.is_none(), "{what}: {text}");
            let list = outline::list(text, "items");
            let found = list.map(|list| fields(text, &list.items));
            assert_eq!(found.as_deref(), *expected, "{what}: {text}");
        }
    }

    #[test]
    fn documents_are_outlined_as_far_as_it_is_sure() {
        for (what, text, expected) in DOCUMENTS {
            let is_accepted = check(text).is_accepted;
            assert!(is_accepted || expected.is_none(), "{what}: {text}");
            let found = outline::documents(text).map(|parts| fields(text, &parts));
            assert_eq!(found.as_deref(), *expected, "{what}: {text}");
        }
    }

    #[test]
    fn a_document_begins_behind_the_line_of_its_marker_unless_it_begins_on_it() {
        let text = "\u{feff}# a\nb: c\n--- # d\ne: f\n--- g\n---\n--- |\n h\n...\n# i\n";
        let documents = outline::documents(text).unwrap();
        let found: Vec<&str> = documents
            .iter()
            .map(|part| &text[part.range.clone()])
            .collect();
        assert_eq!(found, ["# a\nb: c\n", "e: f\n", " g\n", "", " |\n h\n"]);
    }

    #[test]
    fn an_item_reaches_from_its_dash_to_the_next_or_to_the_next_entry() {
        let text = "a: b # c\nitems: # d\n  # e\n  - f\n  # g\n  -\n    h: i\n# j\n\nk: l\n";
        let list = outline::list(text, "items").unwrap();
        let found: Vec<&str> = list
            .items
            .iter()
            .map(|part| &text[part.range.clone()])
            .collect();
        assert_eq!(found, ["  - f\n  # g\n", "  -\n    h: i\n# j\n\n"]);
        let entries = list.entries.iter();
        let found: Vec<(&str, &str)> = entries
            .map(|entry| (&text[entry.key.clone()], &text[entry.range.clone()]))
            .collect();
        let items = "items: # d\n  # e\n  - f\n  # g\n  -\n    h: i\n# j\n\n";
        assert_eq!(
            found,
            [("a", "a: b # c\n"), ("items", items), ("k", "k: l\n")]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

        #[test]
        fn the_outline_of_a_list_is_what_the_parser_finds(text in generated::list()) {
            check(&text);
        }

        #[test]
        fn the_outline_of_a_stream_is_what_the_parser_finds(text in generated::stream()) {
            check(&text);
        }
    }

    /// Holds mutants of texts against the parser.
    #[expect(clippy::print_stderr, reason = "shows how much of it meant something")]
    fn check_mutants(texts: &[String], mutants: usize, seed: u64) {
        let mut chance = Chance::new(seed);
        let (mut accepted, mut lists, mut documents, mut fields) = (0, 0, 0, 0);
        for _ in 0..mutants {
            let text = &texts[chance.below(texts.len())];
            let mutant = mutate(text, &mut chance);
            let outcome = std::panic::catch_unwind(|| check(&mutant));
            let Ok(outcome) = outcome else {
                panic!("the mutant: {mutant:?}");
            };
            accepted += usize::from(outcome.is_accepted);
            lists += usize::from(outcome.is_list);
            documents += usize::from(outcome.are_documents);
            fields += outcome.fields;
        }
        eprintln!(
            "{mutants} mutants: {accepted} accepted, {lists} lists, {documents} streams, {fields} fields"
        );
    }

    /// The odd texts, and some that are put together, where the parser accepts them. Every other one is a list.
    fn texts() -> Vec<String> {
        let cases = LISTS.iter().chain(DOCUMENTS);
        let mut texts: Vec<String> = cases.map(|(_, text, _)| (*text).to_owned()).collect();
        let mut runner = TestRunner::deterministic();
        for _ in 0..300 {
            texts.push(generated::list().new_tree(&mut runner).unwrap().current());
            texts.push(generated::stream().new_tree(&mut runner).unwrap().current());
        }
        texts.retain(|text| check(text).is_accepted);
        let (lists, others): (Vec<_>, Vec<_>) =
            texts.into_iter().partition(|text| check(text).is_list);
        let lists = lists.iter().cycle();
        others
            .iter()
            .zip(lists)
            .flat_map(|(other, list)| [other.clone(), list.clone()])
            .collect()
    }

    #[test]
    fn the_outline_of_a_mutant_is_what_the_parser_finds() {
        check_mutants(&texts(), 10_000, 1);
    }

    /// `MUTANTS` says how many, `SEED` which.
    #[test]
    #[ignore = "takes minutes"]
    fn the_outline_of_millions_of_mutants_is_what_the_parser_finds() {
        let number =
            |name, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
        let mut texts = texts();
        for (_, text) in corpus() {
            for part in outline::documents(&text).unwrap_or_default() {
                texts.push(as_items(&text, &[part.clone(), part]));
            }
            texts.push(text);
        }
        texts.retain(|text| text.len() < 8_000);
        let mutants = number("MUTANTS", 1_000_000);
        check_mutants(&texts, mutants, number("SEED", 2) as u64);
    }

    /// The YAML files below a folder. One of the YAML test suite stands for the texts that it holds, too.
    fn yaml_files(folder: &Path) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(yaml_files(&path));
            } else if path
                .extension()
                .is_some_and(|extension| extension == "yaml")
            {
                let text = fs::read_to_string(&path).unwrap();
                let held = suite_texts(&text);
                found.extend(held.into_iter().map(|text| (path.clone(), text)));
                found.push((path, text));
            }
        }
        found
    }

    /// The texts that a file of the YAML test suite holds, their stand-ins for what does not show replaced.
    fn suite_texts(file: &str) -> Vec<String> {
        let held: Vec<serde_yaml::Value> = serde_yaml::from_str(file).unwrap_or_default();
        let texts = held.iter().filter_map(|test| test.get("yaml")?.as_str());
        texts
            .map(|text| {
                let text = text.replace('␣', " ").replace('»', "\t").replace('—', "");
                let text = text
                    .replace('←', "\r")
                    .replace('⇔', "\u{feff}")
                    .replace('↵', "");
                text.replace("∎\n", "")
            })
            .collect()
    }

    fn examples() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
    }

    /// The YAML files of the examples, and of the folders that the environment names in `YAML_CORPUS`.
    fn corpus() -> Vec<(PathBuf, String)> {
        let named = std::env::var_os("YAML_CORPUS").unwrap_or_default();
        let named = std::env::split_paths(&named).filter(|folder| !folder.as_os_str().is_empty());
        let folders = named.chain([examples()]);
        folders.flat_map(|folder| yaml_files(&folder)).collect()
    }

    /// The documents of a stream as the items of a list.
    fn as_items(text: &str, documents: &[Part]) -> String {
        let mut list = "kind: ResourceList\nitems:\n".to_owned();
        for part in documents {
            list.push_str("-\n");
            for line in text[part.range.clone()].lines() {
                list.extend(["  ", line, "\n"]);
            }
        }
        list
    }

    /// Whether the kind and the metadata of every document are known. One that refers to an anchor is left to the parser.
    fn is_outlined_whole(parts: &[Part], nodes: &[Node]) -> bool {
        parts.iter().zip(nodes).all(|(part, node)| {
            let is_known = part.kind.is_some() == node.has("kind")
                && part.metadata.is_some() == node.has_collection("metadata");
            is_known || node.has_alias()
        })
    }

    #[test]
    fn manifests_are_outlined_whole() {
        for (path, text) in yaml_files(&examples()) {
            let path = path.display();
            // A template of a chart is no YAML.
            let Some(nodes) = read(&text) else {
                continue;
            };
            check(&text);
            let documents = outline::documents(&text).unwrap();
            assert!(is_outlined_whole(&documents, &nodes), "{path}");
            let list = as_items(&text, &documents);
            check(&list);
            match outline::list(&list, "items") {
                Some(list) => assert!(is_outlined_whole(&list.items, &nodes), "{path}, as a list"),
                None => assert!(nodes.iter().any(Node::has_alias), "{path}, as a list"),
            }
        }
    }

    #[test]
    fn the_outline_of_a_file_is_what_the_parser_finds() {
        for (path, text) in corpus() {
            let check = |text: &str| std::panic::catch_unwind(|| check(text));
            assert!(check(&text).is_ok(), "{}: {text}", path.display());
            if let Some(documents) = outline::documents(&text) {
                let list = as_items(&text, &documents);
                assert!(
                    check(&list).is_ok(),
                    "{}, as a list: {list}",
                    path.display()
                );
            }
        }
    }
}
