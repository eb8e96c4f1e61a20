//! Adding to the end of a collection, by the same rule as [`edit`](super::edit): everything that is there stays.

use std::ops::Range;

use serde_json::Value as Json;

use super::edit::Splice;
use super::emit::{entry_lines, flow, flow_members, member_lines};
use super::line::{column, line_end, skip_blank};
use super::scalar::{Style, quote};
use super::tree::{Content, Layout, NodeId, Tree, Value};

/// Puts an entry at the end of a document, behind the last one of its root mapping and the comments that follow; nothing for
/// a value that is no mapping.
#[must_use]
pub fn append_entry(mapping: Value<'_>, key: &str, value: &Json) -> Vec<Splice> {
    let Content::Mapping(layout, entries) = &mapping.tree.node(mapping.id).content else {
        return Vec::new();
    };
    match layout {
        Layout::Flow => {
            let last = entries.last().map(|&(key, value)| {
                let end = |id| mapping.tree.node(id).span.end;
                let colon = mapping.tree.behind_colon(key).unwrap_or_default();
                end(key).max(end(value)).max(colon)
            });
            append_flow(mapping, last, &format!("{}: {}", quote(key), flow(value)))
        }
        Layout::Block => {
            let last = entries.last().map(|&(_, value)| value);
            let column = column(mapping.tree.source, mapping.span().start);
            append_lines(
                mapping.tree,
                mapping.tree.end,
                last,
                column,
                &entry_lines(key, value),
            )
        }
    }
}

/// Puts members behind the last one of a sequence that is the value of `key`, or that a null value becomes; nothing for any
/// other value.
#[must_use]
pub fn append_members(key: Value<'_>, sequence: Value<'_>, members: &[Json]) -> Vec<Splice> {
    let tree = sequence.tree;
    if sequence.is_null() {
        let text = format!(" [{}]", flow_members(members));
        let from = tree.behind_colon(key.id).unwrap_or_default();
        return vec![Splice {
            range: from..from.max(sequence.span().end),
            text,
        }];
    }
    let Content::Sequence(layout, old) = &tree.node(sequence.id).content else {
        return Vec::new();
    };
    match layout {
        Layout::Flow => {
            let last = old.last().map(|&member| tree.node(member).span.end);
            append_flow(sequence, last, &flow_members(members))
        }
        Layout::Block => {
            let behind_key = tree.behind_colon(key.id).unwrap_or_default();
            let dash = skip_blank(tree.source, tree.behind_properties(sequence.id, behind_key));
            let lines: Vec<String> = members.iter().flat_map(member_lines).collect();
            let last = old.last().copied();
            append_lines(
                tree,
                sequence.span().end,
                last,
                column(tree.source, dash),
                &lines,
            )
        }
    }
}

fn append_flow(collection: Value<'_>, last: Option<usize>, text: &str) -> Vec<Splice> {
    let (at, text) = match last {
        Some(end) => (end, format!(", {text}")),
        None => (collection.span().start + 1, text.to_owned()),
    };
    vec![Splice {
        range: at..at,
        text,
    }]
}

/// Lines behind the one in which a collection ends; `last` is the last value in it.
fn append_lines(
    tree: &Tree<'_>,
    end: usize,
    last: Option<NodeId>,
    column: usize,
    lines: &[String],
) -> Vec<Splice> {
    let before = tree.source.get(..end).unwrap_or_default();
    let begins_line = before.ends_with(['\n', '\r']);
    let line = line_end(tree.source, end);
    let at = if begins_line { end } else { line.next_line };
    let indent = " ".repeat(column);
    let text = lines.iter().fold(String::new(), |text, next| {
        text + &indent + next + line.newline
    });
    if begins_line || line.next_line > line.text_end {
        return vec![Splice {
            range: at..at,
            text,
        }];
    }
    // No final line end: none afterwards either. A block scalar that ends here must not gain the one that it now gets.
    let lines = text.strip_suffix(line.newline).unwrap_or(&text);
    let text = format!("{}{lines}", line.newline);
    let mut splices = vec![Splice {
        range: at..at,
        text,
    }];
    splices.extend(last.and_then(|last| strip_chomping(tree.value(last), at)));
    splices
}

/// Makes a block scalar at the very end of a value, and of the text, one without final line feed: `|` and `|+` become `|-`.
fn strip_chomping(value: Value<'_>, text_end: usize) -> Option<Splice> {
    let tree = value.tree;
    match &tree.node(value.id).content {
        Content::Mapping(Layout::Block, entries) => {
            strip_chomping(tree.value(entries.last()?.1), text_end)
        }
        Content::Sequence(Layout::Block, members) => {
            strip_chomping(tree.value(*members.last()?), text_end)
        }
        Content::Scalar(_, Style::Block) if value.span().end == text_end => {
            let indicators = block_indicators(tree.source, value.span().start)?;
            let old = tree.source.get(indicators.clone())?;
            let text = format!("{}-", old.trim_matches(['+', '-']));
            Some(Splice {
                range: indicators,
                text,
            })
        }
        _ => None,
    }
}

/// Where the indentation and chomping indicators stand in the header line of the block scalar whose content begins at a byte.
fn block_indicators(source: &str, content: usize) -> Option<Range<usize>> {
    let header = source.get(..content)?.trim_end_matches([' ', '\n', '\r']);
    let line_start = header.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line = header.get(line_start..)?;
    line.match_indices(['|', '>']).find_map(|(at, _)| {
        let rest = line.get(at + 1..)?;
        let length = rest
            .bytes()
            .take_while(|b| b"+-0123456789".contains(b))
            .count();
        let behind = rest.get(length..)?;
        let ends = behind.trim_start().is_empty()
            || behind.starts_with([' ', '\t']) && behind.trim_start().starts_with('#');
        let start = line_start + at + 1;
        ends.then_some(start..start + length)
    })
}
