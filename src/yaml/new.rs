//! Entries as they are to be written, in block and in flow style.

use super::scalar::{plain_or_quoted, quote};

/// Keys and string values.
pub(super) type Entries = [(String, String)];

/// What is to be written.
pub(super) enum New<'e> {
    /// A scalar or a flow collection.
    Flow(String),
    Mapping(Vec<(&'e str, New<'e>)>),
}

/// The entries, inside one mapping for each key of the path.
pub(super) fn nested<'e>(path: &[&'e str], entries: &'e Entries) -> New<'e> {
    New::Mapping(nested_entries(path, entries))
}

/// What [`nested`] puts into its outermost mapping.
pub(super) fn nested_entries<'e>(
    path: &[&'e str],
    entries: &'e Entries,
) -> Vec<(&'e str, New<'e>)> {
    match path.split_first() {
        Some((&key, below)) => vec![(key, nested(below, entries))],
        None => entries
            .iter()
            .map(|(key, value)| (key.as_str(), New::Flow(quote(value))))
            .collect(),
    }
}

/// JSON, in one line.
pub(super) fn flow(new: &New<'_>) -> String {
    match new {
        New::Flow(text) => text.clone(),
        New::Mapping(entries) => format!("{{{}}}", flow_entries(entries)),
    }
}

pub(super) fn flow_entries(entries: &[(&str, New<'_>)]) -> String {
    let entries: Vec<String> = entries
        .iter()
        .map(|(key, value)| format!("{}: {}", quote(key), flow(value)))
        .collect();
    entries.join(", ")
}

/// Whole lines at a column, each ended by the line break.
pub(super) fn block(
    entries: &[(&str, New<'_>)],
    column: usize,
    step: usize,
    newline: &str,
) -> String {
    let mut text = String::new();
    for (key, value) in entries {
        let head = format!("{}{}:", " ".repeat(column), plain_or_quoted(key));
        match value {
            New::Flow(value) => text.extend([head.as_str(), " ", value, newline]),
            New::Mapping(entries) => {
                text.extend([head.as_str(), newline]);
                text.push_str(&block(entries, column + step, step, newline));
            }
        }
    }
    text
}
