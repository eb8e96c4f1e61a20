//! Does the outline of a text agree with the parser?

#[rustfmt::skip]
mod cases;
#[rustfmt::skip]
mod generated;
#[rustfmt::skip]
mod mutants;
mod reference;

use flink_operator_rollout::yaml::outline::{self, Part};
use proptest::prelude::*;

use self::cases::{DOCUMENTS, LISTS};
use self::mutants::{Chance, mutate};
use self::reference::check;

/// Kind and metadata of each part, empty where they are unknown.
fn fields<'t>(text: &'t str, parts: &[Part]) -> Vec<(&'t str, &'t str)> {
    let at =
        |range: &Option<std::ops::Range<usize>>| range.clone().map_or("", |range| &text[range]);
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
    eprintln!("{mutants} mutants: {accepted} accepted, {lists} lists, {documents} streams, {fields} fields");
}

fn own_texts() -> Vec<String> {
    let cases = LISTS.iter().chain(DOCUMENTS);
    cases.map(|(_, text, _)| (*text).to_owned()).collect()
}

#[test]
fn the_outline_of_a_mutant_is_what_the_parser_finds() {
    check_mutants(&own_texts(), 20_000, 1);
}

#[test]
#[ignore = "takes minutes"]
fn the_outline_of_millions_of_mutants_is_what_the_parser_finds() {
    let seed = std::env::var("SEED").map_or(2, |seed| seed.parse().unwrap());
    check_mutants(&own_texts(), 2_000_000, seed);
}
