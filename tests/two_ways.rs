//! The program parses only what a decision needs. Does it say and write the same as when it parses everything?

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

use flink_operator_rollout::function_config::OperatorRollout;
use flink_operator_rollout::{function, stream};
use serde::Deserialize as _;
use serde_json::Value as Json;

/// Every file below a folder that could be an input.
fn inputs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                inputs(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| {
            path.extension()
                .is_some_and(|ending| ending == "yaml" || ending == "json")
        })
        .collect()
}

/// What a run says and writes, or why it could not be made.
type Answer = Result<(Vec<String>, String), String>;

fn as_function(
    source: &str,
    run: fn(&str) -> Result<function::Run<'_>, flink_operator_rollout::resource_list::InputError>,
) -> Answer {
    let run = run(source).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    run.write(&mut out).unwrap();
    let said = run
        .rollout
        .outcomes
        .iter()
        .map(ToString::to_string)
        .collect();
    Ok((said, String::from_utf8(out).unwrap()))
}

fn as_stream<'s>(
    source: &'s str,
    config: &OperatorRollout,
    run: fn(
        &'s str,
        &OperatorRollout,
    ) -> Result<stream::Run<'s>, flink_operator_rollout::yaml::SyntaxError>,
) -> Answer {
    let run = run(source, config).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    run.write(&mut out).unwrap();
    let said = run
        .rollout
        .outcomes
        .iter()
        .map(ToString::to_string)
        .collect();
    Ok((said, String::from_utf8(out).unwrap()))
}

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "tests",
        "examples",
        "../shared/fixtures/chart",
        "../shared/fixtures/orchestrators",
        "../shared/cases",
    ];
    let files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| inputs(&root.join(folder)))
        .collect();
    assert!(files.len() > 50, "{}", files.len());
    files
}

fn switched_on() -> OperatorRollout {
    let mut config = OperatorRollout {
        restart_on_config_change: true,
        ..Default::default()
    };
    config
        .deployment_annotations
        .insert("example.com/a".to_owned(), "b".to_owned());
    config
}

/// The documents of a stream as JSON; none where JSON has no way to say what one of them says.
fn as_json(source: &str) -> Option<Vec<Json>> {
    let documents = serde_yaml::Deserializer::from_str(source);
    let documents = documents.map(|document| Json::deserialize(document).ok());
    documents.filter(|json| json != &Some(Json::Null)).collect()
}

#[test]
fn both_ways_agree_on_json_objects_that_nothing_stands_between() {
    let config = switched_on();
    let mut edited = 0;
    for file in files() {
        let source = fs::read_to_string(&file).unwrap_or_default();
        let Some(documents) = as_json(&source).filter(|documents| documents.len() > 1) else {
            continue;
        };
        let compact: Vec<String> = documents.iter().map(|json| format!("{json}\n")).collect();
        let pretty: Vec<String> = documents.iter().map(|json| format!("{json:#}")).collect();
        for source in [compact.concat(), pretty.concat()] {
            let parsed = as_stream(&source, &config, stream::run_parsed);
            let (_, output) = parsed.as_ref().unwrap();
            edited += usize::from(*output != source);
            let outlined = as_stream(&source, &config, stream::run);
            assert_eq!(outlined, parsed, "{}", file.display());
        }
    }
    assert!(edited > 20, "{edited}");
}

#[test]
fn both_ways_agree_on_every_input_at_hand() {
    let config = switched_on();
    for file in files() {
        let Ok(source) = fs::read_to_string(&file) else {
            continue;
        };
        let parsed = as_function(&source, function::run_parsed);
        // Where the whole is no YAML, the parts that matter may be: the rest passes through unread.
        if parsed.is_ok() {
            assert_eq!(
                as_function(&source, function::run),
                parsed,
                "{}",
                file.display()
            );
        }
        let parsed = as_stream(&source, &config, stream::run_parsed);
        if parsed.is_ok() {
            assert_eq!(
                as_stream(&source, &config, stream::run),
                parsed,
                "{}",
                file.display()
            );
        }
    }
}
