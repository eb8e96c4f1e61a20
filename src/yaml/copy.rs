//! Copies of anchored values, for where an alias gives way to what it stands for.

use super::edit::{EditError, wrong_type};
use super::new::{Entries, New, flow, nested, nested_entries};
use super::scalar::{Kind, quote};
use super::tree::{NodeId, Tree, Value};

/// How much text all copies may take together, in bytes, on top of the input's size.
pub(super) const COPY_ALLOWANCE: usize = 1024 * 1024;
/// Deeper than any tree; a copy that gets there goes in a circle.
const COPY_DEPTH: usize = 600;

/// The entries that the copy is to have, in the mapping at a path below the copied node.
pub(super) type Change<'e> = Option<(&'e [&'e str], &'e Entries)>;

/// Writes a value as flow text in one line, aliases expanded.
pub(super) struct Copier<'t> {
    pub(super) tree: &'t Tree<'t>,
    /// The whole path of the change, of which a [`Change`] has what is still to go.
    pub(super) path: &'t [&'t str],
    /// The most text that the copy may take, in bytes.
    pub(super) limit: usize,
    pub(super) text: String,
}

impl<'t> Copier<'t> {
    pub(super) fn copy(mut self, node: NodeId, change: Change<'_>) -> Result<String, EditError> {
        self.value(node, change, 0)?;
        Ok(self.text)
    }

    fn value(&mut self, node: NodeId, change: Change<'_>, depth: usize) -> Result<(), EditError> {
        if self.text.len() > self.limit || depth > COPY_DEPTH {
            return Err(EditError::Expansion {
                position: self.tree.value(node).position(),
            });
        }
        let value = self.tree.value(node);
        match (value.kind(), change) {
            (Kind::Mapping, _) => self.mapping(value, change, depth)?,
            (Kind::Null, Some((path, entries))) => {
                self.text.push_str(&flow(&nested(path, entries)));
            }
            (_, Some((path, _))) => {
                return Err(wrong_type(self.tree, node, self.done(path), "a mapping"));
            }
            (Kind::Sequence, None) => {
                self.text.push('[');
                for (i, member) in value.members().enumerate() {
                    self.text.push_str(if i > 0 { ", " } else { "" });
                    self.value(member.id(), None, depth + 1)?;
                }
                self.text.push(']');
            }
            (Kind::Null, None) => self.text.push_str("null"),
            (Kind::Bool | Kind::Number, None) => {
                self.text.push_str(value.text().unwrap_or_default());
            }
            (Kind::String, None) => self.text.push_str(&quote(value.text().unwrap_or_default())),
            (Kind::Unknown, None) => {
                return Err(EditError::Unsupported {
                    position: self.tree.value(node).position(),
                    reason: "a value with a tag, used through an alias; write it out instead",
                });
            }
        }
        Ok(())
    }

    /// The keys that lead to where so much of the path is still to go.
    fn done(&self, rest: &[&str]) -> &'t [&'t str] {
        let done = self.path.len().saturating_sub(rest.len());
        self.path.get(..done).unwrap_or_default()
    }

    fn mapping(
        &mut self,
        mapping: Value<'_>,
        change: Change<'_>,
        depth: usize,
    ) -> Result<(), EditError> {
        let old = mapping.entries();
        let new = change.map_or_else(Vec::new, |(path, entries)| nested_entries(path, entries));
        let is_old = |key: &str| old.iter().any(|(old_key, _)| old_key.text() == Some(key));
        self.text.push('{');
        let mut separator = "";
        for (key, value) in new.iter().filter(|(key, _)| !is_old(key)) {
            self.text
                .extend([separator, &quote(key), ": ", &flow(value)]);
            separator = ", ";
        }
        for (key, value) in &old {
            let key = key.text().unwrap_or_default();
            self.text.extend([separator, &quote(key), ": "]);
            separator = ", ";
            match (new.iter().find(|(new_key, _)| *new_key == key), change) {
                (Some((_, New::Flow(text))), Some((path, _))) => {
                    if matches!(value.kind(), Kind::Mapping | Kind::Sequence) {
                        let path = [self.done(path), &[key]].concat();
                        return Err(wrong_type(self.tree, value.id(), &path, "a string"));
                    }
                    self.text.push_str(text);
                }
                (Some(_), Some(([_, below @ ..], entries))) => {
                    self.value(value.id(), Some((below, entries)), depth + 1)?;
                }
                _ => self.value(value.id(), None, depth + 1)?,
            }
        }
        self.text.push('}');
        Ok(())
    }
}
