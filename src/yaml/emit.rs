//! New values as YAML text that every reader gives back as they were.

use serde_json::Value as Json;

use super::scalar::{plain_or_quoted, quote};

pub(super) fn entry_lines(key: &str, value: &Json) -> Vec<String> {
    let key = plain_or_quoted(key);
    let nested = match value {
        Json::Object(entries) if !entries.is_empty() => lines(value)
            .into_iter()
            .map(|line| format!("  {line}"))
            .collect(),
        Json::Array(members) if !members.is_empty() => lines(value),
        _ => return vec![format!("{key}: {}", scalar(value))],
    };
    [vec![format!("{key}:")], nested].concat()
}

pub(super) fn member_lines(member: &Json) -> Vec<String> {
    let mut prefix = "- ";
    lines(member)
        .into_iter()
        .map(|line| format!("{}{line}", std::mem::replace(&mut prefix, "  ")))
        .collect()
}

/// A value in block style, as lines at column 0.
#[must_use]
pub fn lines(value: &Json) -> Vec<String> {
    match value {
        Json::Object(entries) if !entries.is_empty() => entries
            .iter()
            .flat_map(|(key, value)| entry_lines(key, value))
            .collect(),
        Json::Array(members) if !members.is_empty() => {
            members.iter().flat_map(member_lines).collect()
        }
        _ => vec![scalar(value)],
    }
}

fn scalar(value: &Json) -> String {
    match value {
        Json::String(text) => plain_or_quoted(text),
        _ => value.to_string(),
    }
}

/// JSON in one line, escaped for YAML readers too.
pub(super) fn flow(value: &Json) -> String {
    match value {
        Json::String(text) => quote(text),
        Json::Array(members) => format!("[{}]", flow_members(members)),
        Json::Object(entries) => {
            let entry = |(key, value): (&String, &Json)| format!("{}: {}", quote(key), flow(value));
            let entries: Vec<String> = entries.iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
        _ => value.to_string(),
    }
}

pub(super) fn flow_members(members: &[Json]) -> String {
    let members: Vec<String> = members.iter().map(flow).collect();
    members.join(", ")
}
