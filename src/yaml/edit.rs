//! Putting entries into mappings by changing the text: every byte that is not part of the change stays.
//!
//! [`plan`] works out [`Splice`]s, [`splice`] applies them in one pass. New entries go to the start of their mapping, on lines
//! of their own behind the line of its key:
//!
//! ```yaml
//! # before                      # after: {metadata: {annotations: {new: "v"}}}
//! metadata: # about it          metadata: # about it
//!   # about the name              annotations:
//!   name: op                        new: "v"
//!                                 # about the name
//!                                 name: op
//! ```
//!
//! There no tail comment, `|+` scalar or missing final line end is near. No edit reaches another node through an anchor: an
//! alias on the way to the entry gives way to a changed copy, and aliases of a changed node give way to copies of what it was.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;

use super::copy::{COPY_ALLOWANCE, Change, Copier};
use super::line::{column, line_break_before, line_end, skip_blank};
use super::new::{Entries, New, block, flow, flow_entries, nested};
use super::scalar::{Kind, Style, quote};
use super::tree::{Content, Layout, NodeId, Position, Tag, Tree, Value};

/// One change to a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The bytes that give way; empty for an insertion.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

/// Writes the source with the splices applied.
///
/// # Errors
///
/// Those of the writer.
pub fn splice(source: &str, splices: &[Splice], out: &mut impl io::Write) -> io::Result<()> {
    let mut ordered: Vec<&Splice> = splices.iter().collect();
    ordered.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut written = 0;
    for splice in ordered {
        out.write_all(
            source
                .get(written..splice.range.start)
                .unwrap_or_default()
                .as_bytes(),
        )?;
        out.write_all(splice.text.as_bytes())?;
        written = splice.range.end;
    }
    out.write_all(source.get(written..).unwrap_or_default().as_bytes())
}

/// Entries that are to be in the mapping at a path.
#[derive(Clone, Debug)]
pub struct Assignment<'t> {
    /// Where the path begins.
    pub root: NodeId,
    /// The keys that lead to the mapping. What is missing or null on the way becomes a mapping.
    pub path: &'t [&'t str],
    /// Keys and string values, in the order in which new ones are written.
    pub entries: Vec<(String, String)>,
}

/// Why an assignment has no place in the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// Something on the path, or the value of an entry, is of another type.
    #[error("{position}: `{}` is {}, expected {expected}", .path.join("."), .found.noun())]
    WrongType {
        /// The keys that lead to it.
        path: Vec<String>,
        /// What it is.
        found: Kind,
        /// What it would have to be.
        expected: &'static str,
        /// Where it stands.
        position: Position,
    },
    /// Anchored values have to be copied, and together they expand to too much, or to themselves.
    #[error(
        "{position}: what aliases stand for would have to be copied and is too much; write it out instead"
    )]
    Expansion {
        /// Where the value stands.
        position: Position,
    },
    /// The value has a tag whose meaning is not known, or is written in a way that cannot be changed safely.
    #[error("{position}: cannot be edited safely: {reason}")]
    Unsupported {
        /// Where it stands.
        position: Position,
        /// Why, and what to write instead.
        reason: &'static str,
    },
}

/// Indentation of a new mapping where the document gives no example.
const DEFAULT_STEP: usize = 2;

/// An assignment that cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct RefusedAssignment {
    /// The root of the assignment.
    pub root: NodeId,
    /// What keeps it from being carried out.
    pub error: EditError,
}

/// Works out the splices for all assignments to one tree, whose nodes their roots are.
///
/// # Errors
///
/// The first assignment that is refused. None of them is to be applied then.
pub fn plan(
    tree: &Tree<'_>,
    assignments: &[Assignment<'_>],
) -> Result<Vec<Splice>, RefusedAssignment> {
    let mut planner = Planner {
        tree,
        splices: Vec::new(),
        changed: Vec::new(),
        replaced: HashSet::new(),
        copy_budget: tree.source.len() + COPY_ALLOWANCE,
    };
    let mut changed = HashMap::new();
    for assignment in assignments {
        let root = assignment.root;
        planner
            .assign(assignment)
            .map_err(|error| RefusedAssignment { root, error })?;
        changed.extend(planner.changed.drain(..).map(|node| (node, root)));
    }
    planner.detach_aliases(&changed)?;
    Ok(planner.splices)
}

struct Planner<'t> {
    tree: &'t Tree<'t>,
    splices: Vec<Splice>,
    /// Nodes whose value the assignment at hand changes.
    changed: Vec<NodeId>,
    /// Aliases that an edit has replaced already.
    replaced: HashSet<NodeId>,
    /// How much text copies may still take, in bytes: all of them together stay linear in the input.
    copy_budget: usize,
}

/// An entry of a mapping, on the way to the node that is its value.
#[derive(Clone, Copy)]
struct Place {
    mapping: NodeId,
    key: NodeId,
}

impl<'t> Planner<'t> {
    fn assign(&mut self, assignment: &Assignment<'_>) -> Result<(), EditError> {
        let Assignment {
            root,
            path,
            entries,
        } = assignment;
        let mut node = *root;
        let mut trail: Vec<Place> = Vec::new();
        for depth in 0..=path.len() {
            let (done, rest) = path.split_at(depth);
            self.changed.push(node);
            match &self.tree.node(node).content {
                Content::Alias(_) if depth == 0 => {
                    return Err(EditError::Unsupported {
                        position: self.position(node),
                        reason: "an object given through an alias; write it out",
                    });
                }
                Content::Alias(_) => {
                    let copy = self.copy(node, path, Some((rest, entries)))?;
                    self.replace_alias(node, copy);
                    return Ok(());
                }
                Content::Mapping(..) => {
                    let Some((&key, below)) = rest.split_first() else {
                        return self.set_entries(node, &trail, done, entries);
                    };
                    let Some((key_node, value)) = self.own_entry(node, key) else {
                        let new = match self.tree.value(node).get(key) {
                            Some(merged) => {
                                New::Flow(self.copy(merged.id(), path, Some((below, entries)))?)
                            }
                            None => nested(below, entries),
                        };
                        return self.insert(node, &trail, &[(key, new)]);
                    };
                    trail.push(Place {
                        mapping: node,
                        key: key_node,
                    });
                    node = value;
                }
                _ if self.tree.value(node).is_null() => {
                    return self.fill_null(node, &trail, &nested(rest, entries));
                }
                _ => return Err(wrong_type(self.tree, node, done, "a mapping")),
            }
        }
        Ok(())
    }

    /// The entry that the mapping itself holds.
    fn own_entry(&self, mapping: NodeId, key: &str) -> Option<(NodeId, NodeId)> {
        let Content::Mapping(_, entries) = &self.tree.node(mapping).content else {
            return None;
        };
        entries
            .iter()
            .copied()
            .find(|&(k, _)| !self.tree.is_merge_key(k) && self.tree.value(k).text() == Some(key))
    }

    fn set_entries(
        &mut self,
        mapping: NodeId,
        trail: &[Place],
        path: &[&str],
        entries: &Entries,
    ) -> Result<(), EditError> {
        let mut new = Vec::new();
        for (key, value) in entries {
            if self.tree.value(mapping).get(key).and_then(Value::as_str) == Some(value) {
                continue;
            }
            match self.own_entry(mapping, key) {
                Some((key_node, old)) => {
                    let place = Place {
                        mapping,
                        key: key_node,
                    };
                    self.replace_value(place, old, value, &[path, &[key]].concat())?;
                }
                None => new.push((key.as_str(), New::Flow(quote(value)))),
            }
        }
        if new.is_empty() {
            Ok(())
        } else {
            self.insert(mapping, trail, &new)
        }
    }

    /// Puts a string where another value stands; a comment behind that stays.
    fn replace_value(
        &mut self,
        place: Place,
        old: NodeId,
        value: &str,
        path: &[&str],
    ) -> Result<(), EditError> {
        self.changed.push(old);
        let span = self.tree.node(old).span.clone();
        match &self.tree.node(old).content {
            _ if matches!(self.tree.value(old).kind(), Kind::Mapping | Kind::Sequence) => {
                return Err(wrong_type(self.tree, old, path, "a string"));
            }
            Content::Alias(_) => self.replace_alias(old, quote(value)),
            Content::Scalar(_, Style::Block) => self.replace_block_scalar(place, old, value)?,
            Content::Scalar(..) if span.is_empty() => {
                self.write_absent_value(place, old, &quote(value))?;
            }
            _ => self.push(span, quote(value)),
        }
        self.drop_tag(old);
        Ok(())
    }

    /// `key: |+ # comment` and the lines below it become `key: "value" # comment`.
    fn replace_block_scalar(
        &mut self,
        place: Place,
        old: NodeId,
        value: &str,
    ) -> Result<(), EditError> {
        let after_key = self
            .tree
            .behind_colon(place.key)
            .ok_or_else(|| self.no_colon(place.key))?;
        let from = self.tree.behind_properties(old, after_key);
        let header = skip_blank(self.source(), from);
        let indicators = self
            .text_from(header)
            .bytes()
            .take_while(|b| b"|>+-0123456789".contains(b))
            .count();
        self.push(header..header + indicators, quote(value));
        let header = line_end(self.source(), header);
        let old_lines = header.next_line..self.tree.node(old).span.end.max(header.next_line);
        // Blank lines behind the last line of text stay.
        let text = self.source().get(old_lines.clone()).unwrap_or_default();
        let text = text.trim_end_matches([' ', '\n', '\r']);
        if !text.is_empty() {
            let last = line_end(self.source(), old_lines.start + text.len());
            let unterminated = last.text_end == last.next_line;
            let from = if unterminated {
                header.text_end
            } else {
                header.next_line
            };
            self.push(from..last.next_line, String::new());
        }
        Ok(())
    }

    fn fill_null(&mut self, null: NodeId, trail: &[Place], new: &New<'_>) -> Result<(), EditError> {
        let Some((&place, enclosing)) = trail.split_last() else {
            return Err(wrong_type(self.tree, null, &[], "a mapping"));
        };
        let span = self.tree.node(null).span.clone();
        let after_key = self.tree.behind_colon(place.key);
        let written_beside_key = after_key
            .and_then(|from| self.source().get(from..span.end.max(from)))
            .is_some_and(|between| !between.contains(['\n', '\r']));
        // A tab may stand behind a value, but not everywhere behind a colon.
        let before_tab = !span.is_empty() && self.text_from(span.end).starts_with('\t');
        match (self.layout(place.mapping), after_key, new) {
            (Layout::Block, Some(from), New::Mapping(entries))
                if written_beside_key && !before_tab =>
            {
                if span.is_empty() {
                    self.drop_tag(null);
                } else {
                    self.push(from..span.end, String::new());
                }
                let step = self.step(place.mapping, enclosing);
                let column = self.column(place.mapping) + step;
                self.insert_lines(span.end.max(from), column, step, entries);
            }
            _ => {
                if span.is_empty() {
                    self.write_absent_value(place, null, &flow(new))?;
                } else {
                    self.push(span, flow(new));
                }
                self.drop_tag(null);
            }
        }
        Ok(())
    }

    /// A value behind `key:`, or behind the anchor and tag that stand there.
    fn write_absent_value(
        &mut self,
        place: Place,
        absent: NodeId,
        text: &str,
    ) -> Result<(), EditError> {
        match (
            self.tree.behind_colon(place.key),
            self.layout(place.mapping),
        ) {
            (Some(from), _) => {
                let at = self.tree.behind_properties(absent, from);
                self.push(at..at, format!(" {text}"));
            }
            (None, Layout::Flow) => {
                let at = self.tree.node(place.key).span.end;
                self.push(at..at, format!(": {text}"));
            }
            (None, Layout::Block) => return Err(self.no_colon(place.key)),
        }
        Ok(())
    }

    /// Puts entries at the start of a mapping that is there.
    fn insert(
        &mut self,
        mapping: NodeId,
        trail: &[Place],
        entries: &[(&str, New<'_>)],
    ) -> Result<(), EditError> {
        let start = self.tree.node(mapping).span.start;
        let Content::Mapping(layout, old) = &self.tree.node(mapping).content else {
            return Ok(());
        };
        match layout {
            Layout::Flow => {
                if !self.text_from(start).starts_with('{') {
                    return Err(EditError::Unsupported {
                        position: self.position(mapping),
                        reason: "a mapping without braces; write `{key: value}`",
                    });
                }
                let mut text = flow_entries(entries);
                if !old.is_empty() {
                    let spaced = self.text_from(start + 1).starts_with(char::is_whitespace);
                    text.push_str(if spaced { "," } else { ", " });
                }
                self.push(start + 1..start + 1, text);
            }
            Layout::Block => {
                let (column, step) = (self.column(mapping), self.step(mapping, trail));
                let behind_key = trail
                    .last()
                    .and_then(|place| self.behind_key_line(place.key, start));
                if let Some(at) = behind_key {
                    let newline = line_break_before(self.source(), at);
                    self.push(at..at, block(entries, column, step, newline));
                } else {
                    // The mapping begins behind a dash or at the top of a document: its first key moves down a line.
                    let newline = line_end(self.source(), start).newline;
                    let text = block(entries, column, step, newline);
                    let (_, lines) = text.split_at(column);
                    self.push(start..start, format!("{lines}{}", " ".repeat(column)));
                }
            }
        }
        Ok(())
    }

    /// Entries on the lines behind the one that holds `offset`.
    fn insert_lines(
        &mut self,
        offset: usize,
        column: usize,
        step: usize,
        entries: &[(&str, New<'_>)],
    ) {
        let line = line_end(self.source(), offset);
        let text = block(entries, column, step, line.newline);
        if line.next_line > line.text_end {
            self.push(line.next_line..line.next_line, text);
        } else {
            let lines = text.strip_suffix(line.newline).unwrap_or(&text);
            self.push(
                line.text_end..line.text_end,
                format!("{}{lines}", line.newline),
            );
        }
    }

    /// The start of the line behind that of a key, or behind that of its value's anchor and tag where they stand on lines
    /// of their own; none where the value begins beside the key.
    fn behind_key_line(&self, key: NodeId, value: usize) -> Option<usize> {
        let mut line = line_end(self.source(), self.tree.behind_colon(key)?);
        let mut behind = line.next_line;
        while line.next_line <= value && line.next_line > line.text_end {
            let next = line_end(self.source(), line.next_line);
            let text = self
                .source()
                .get(line.next_line..next.text_end)
                .unwrap_or_default();
            if next.next_line <= value && text.trim_start().starts_with(['&', '!']) {
                behind = next.next_line;
            }
            line = next;
        }
        (behind <= value).then_some(behind)
    }

    /// Gives every alias of a changed node, or of one that a changed object stands in, a copy of what the node was.
    /// `changed` has the root of an assignment for each changed node.
    fn detach_aliases(
        &mut self,
        changed: &HashMap<NodeId, NodeId>,
    ) -> Result<(), RefusedAssignment> {
        let tree = self.tree;
        let mut roots: Vec<NodeId> = changed.values().copied().collect();
        roots.sort_by_key(|&root| tree.node(root).span.start);
        for &alias in &tree.aliases {
            let target = tree.target(alias);
            let root = changed.get(&target).copied();
            let root = root.or_else(|| first_within(tree, &roots, target));
            if let Some(root) = root.filter(|_| !self.replaced.contains(&alias)) {
                let copy = self.copy(alias, &[], None);
                let copy = copy.map_err(|error| RefusedAssignment { root, error })?;
                self.replace_alias(alias, copy);
            }
        }
        Ok(())
    }

    fn replace_alias(&mut self, alias: NodeId, text: String) {
        self.replaced.insert(alias);
        self.push(self.tree.node(alias).span.clone(), text);
    }

    /// A tag that says something else than string would not fit the new value.
    fn drop_tag(&mut self, node: NodeId) {
        if let Some((tag, range)) = self.tree.tag(node)
            && *tag != Tag::Scalar(Kind::String)
        {
            let blank = usize::from(self.text_from(range.end).starts_with(' '));
            self.push(range.start..range.end + blank, String::new());
        }
    }

    /// The value as flow text, changed by an assignment.
    fn copy(
        &mut self,
        node: NodeId,
        path: &[&str],
        change: Change<'_>,
    ) -> Result<String, EditError> {
        let copier = Copier {
            tree: self.tree,
            path,
            limit: self.copy_budget,
            text: String::new(),
        };
        let copy = copier.copy(node, change)?;
        self.copy_budget = self.copy_budget.saturating_sub(copy.len());
        Ok(copy)
    }

    fn layout(&self, mapping: NodeId) -> Layout {
        match self.tree.node(mapping).content {
            Content::Mapping(layout, _) => layout,
            _ => Layout::Flow,
        }
    }

    /// The column of a block mapping's entries.
    fn column(&self, mapping: NodeId) -> usize {
        column(self.source(), self.tree.node(mapping).span.start)
    }

    /// By how much a mapping is indented in the one around it.
    fn step(&self, mapping: NodeId, trail: &[Place]) -> usize {
        trail
            .last()
            .filter(|place| self.layout(place.mapping) == Layout::Block)
            .and_then(|place| self.column(mapping).checked_sub(self.column(place.mapping)))
            .filter(|&step| step > 0)
            .unwrap_or(DEFAULT_STEP)
    }

    fn source(&self) -> &'t str {
        self.tree.source()
    }

    fn text_from(&self, offset: usize) -> &'t str {
        self.source().get(offset..).unwrap_or_default()
    }

    fn position(&self, node: NodeId) -> Position {
        self.tree.value(node).position()
    }

    fn push(&mut self, range: Range<usize>, text: String) {
        self.splices.push(Splice { range, text });
    }

    fn no_colon(&self, key: NodeId) -> EditError {
        EditError::Unsupported {
            position: self.position(key),
            reason: "a key without a colon; write `key:`",
        }
    }
}

/// The first of the roots, which are in order, that lies within a node.
fn first_within(tree: &Tree<'_>, roots: &[NodeId], node: NodeId) -> Option<NodeId> {
    let span = |id| &tree.node(id).span;
    let first = roots.partition_point(|&root| span(root).start < span(node).start);
    let root = *roots.get(first)?;
    (span(root).end <= span(node).end).then_some(root)
}

pub(super) fn wrong_type(
    tree: &Tree<'_>,
    node: NodeId,
    path: &[&str],
    expected: &'static str,
) -> EditError {
    let value = tree.value(node);
    EditError::WrongType {
        path: path.iter().map(|&key| key.to_owned()).collect(),
        found: value.kind(),
        expected,
        position: value.position(),
    }
}
