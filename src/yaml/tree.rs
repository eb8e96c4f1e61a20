//! Nodes with the byte range that each came from, and a view of them that follows aliases and merge keys.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::line::{column, skip_blank};
use super::merge::Found;
use super::scalar::{Kind, Style, resolve};

/// A node of a [`Tree`], by its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) usize);

/// What one or more documents say, and where they say it. Aliases stay aliases.
#[derive(Debug)]
pub struct Tree<'a> {
    pub(super) source: &'a str,
    pub(super) nodes: Vec<Node<'a>>,
    /// Anchors and tags, which few nodes have.
    pub(super) properties: HashMap<NodeId, Properties>,
    pub(super) aliases: Vec<NodeId>,
    pub(super) documents: Vec<NodeId>,
    pub(super) found: Found,
    /// Where the text of the last document ends: before its `...`, or at the end of the text.
    pub(super) end: usize,
}

#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) content: Content<'a>,
    /// Without the anchor and the tag; empty where no value is written; a block scalar's begins behind its header line,
    /// a block collection's at its first entry.
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) enum Content<'a> {
    Scalar(Cow<'a, str>, Style),
    Sequence(Layout, Vec<NodeId>),
    Mapping(Layout, Vec<(NodeId, NodeId)>),
    Alias(NodeId),
}

/// How a collection is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Block,
    Flow,
}

#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) anchor: Option<Range<usize>>,
    pub(super) tag: Option<(Tag, Range<usize>)>,
}

/// What a tag makes of the scalar that it stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// One of the core schema's, or the non-specific `!`, for scalars of this kind.
    Scalar(Kind),
    /// `!!merge`, as kpt writes it before `<<`.
    Merge,
    /// `!!map`, `!!seq`.
    Collection,
    Unknown,
}

impl<'a> Tree<'a> {
    /// The text that was parsed.
    #[must_use]
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// The root of each document, null where a document is empty.
    pub fn documents(&self) -> impl Iterator<Item = Value<'_>> {
        self.documents.iter().map(|&id| self.value(id))
    }

    /// Whether any node is an alias.
    #[must_use]
    pub fn has_aliases(&self) -> bool {
        !self.aliases.is_empty()
    }

    /// The node of that id.
    #[must_use]
    pub fn value(&self, id: NodeId) -> Value<'_> {
        Value { tree: self, id }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "a NodeId is only made by the builder of the tree that holds it"
    )]
    pub(super) fn node(&self, id: NodeId) -> &Node<'a> {
        &self.nodes[id.0]
    }

    pub(super) fn anchor(&self, id: NodeId) -> Option<&Range<usize>> {
        self.properties.get(&id)?.anchor.as_ref()
    }

    pub(super) fn tag(&self, id: NodeId) -> Option<&(Tag, Range<usize>)> {
        self.properties.get(&id)?.tag.as_ref()
    }

    /// The node itself, or the one that the alias stands for.
    pub(super) fn target(&self, id: NodeId) -> NodeId {
        match self.node(id).content {
            Content::Alias(target) => target,
            _ => id,
        }
    }

    /// The byte behind the colon of a key, if it has one.
    pub(super) fn behind_colon(&self, key: NodeId) -> Option<usize> {
        let at = skip_blank(self.source, self.node(key).span.end);
        self.source.get(at..)?.starts_with(':').then_some(at + 1)
    }

    /// `from`, or the byte behind the node's anchor and tag where those come later.
    pub(super) fn behind_properties(&self, node: NodeId, from: usize) -> usize {
        let anchor = self.anchor(node).map_or(from, |range| range.end);
        let tag = self.tag(node).map_or(from, |(_, range)| range.end);
        from.max(anchor).max(tag)
    }

    /// Whether a mapping's key is the merge key `<<`: plain, or tagged `!!merge`.
    pub(super) fn is_merge_key(&self, key: NodeId) -> bool {
        match &self.node(key).content {
            Content::Scalar(text, style) if text == "<<" => match self.tag(key) {
                Some((tag, _)) => *tag == Tag::Merge,
                None => *style == Style::Plain,
            },
            _ => false,
        }
    }
}

/// A node as Kubernetes' tools read it: aliases followed, merge keys merged, plain scalars told from strings.
#[derive(Clone, Copy, Debug)]
pub struct Value<'t> {
    pub(super) tree: &'t Tree<'t>,
    pub(super) id: NodeId,
}

impl<'t> Value<'t> {
    /// The node's id in its tree.
    #[must_use]
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The id of the node that the value is, or that its alias stands for.
    #[must_use]
    pub fn target_id(self) -> NodeId {
        self.tree.target(self.id)
    }

    /// Whether an alias stands for the same node, here or elsewhere.
    #[must_use]
    pub fn is_shared(self) -> bool {
        let target = self.target_id();
        let stands_for_it = |&alias: &NodeId| self.tree.target(alias) == target;
        self.tree.aliases.iter().any(stands_for_it)
    }

    pub(super) fn content(self) -> &'t Content<'t> {
        &self.tree.node(self.tree.target(self.id)).content
    }

    /// What Kubernetes' tools take the value for.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.content() {
            Content::Scalar(text, style) => match self.tree.tag(self.tree.target(self.id)) {
                Some((Tag::Scalar(kind), _)) => *kind,
                Some(_) => Kind::Unknown,
                None if *style == Style::Plain => resolve(text),
                None => Kind::String,
            },
            Content::Sequence(..) => Kind::Sequence,
            Content::Mapping(..) => Kind::Mapping,
            Content::Alias(_) => Kind::Unknown,
        }
    }

    /// Whether the value is null, written or left out.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The text of a scalar of whatever kind, escapes and folding resolved.
    #[must_use]
    pub fn text(self) -> Option<&'t str> {
        match self.content() {
            Content::Scalar(text, _) => Some(text),
            _ => None,
        }
    }

    /// The text of a scalar that reads as a string.
    #[must_use]
    pub fn as_str(self) -> Option<&'t str> {
        (self.kind() == Kind::String).then(|| self.text())?
    }

    /// The members of a sequence; none for anything else.
    pub fn members(self) -> impl Iterator<Item = Value<'t>> {
        let members = match self.content() {
            Content::Sequence(_, members) => members.as_slice(),
            _ => &[],
        };
        members.iter().map(move |&id| self.tree.value(id))
    }

    /// The value of a key, looked for in the mapping itself first, then in what it merges.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Value<'t>> {
        let found = self.tree.look_up(self.target_id(), key)?;
        Some(self.tree.value(found))
    }

    /// The value at a path of keys, where it is there and not null.
    #[must_use]
    pub fn at(self, path: &[&str]) -> Option<Value<'t>> {
        path.iter()
            .try_fold(self, |value, key| value.get(key))
            .filter(|value| !value.is_null())
    }

    /// The entries of a mapping, its own before those that it merges; none for anything else.
    #[must_use]
    pub fn entries(self) -> Vec<(Value<'t>, Value<'t>)> {
        let mut seen = HashSet::new();
        let mut entries = Vec::new();
        let mut visited = HashSet::new();
        let mut waiting = vec![self.target_id()];
        while let Some(mapping) = waiting.pop() {
            let Content::Mapping(_, own) = &self.tree.node(mapping).content else {
                continue;
            };
            // Visiting a merged mapping once loses nothing, since its earliest visit wins.
            if !visited.insert(mapping) {
                continue;
            }
            let mut merged = Vec::new();
            for &(key, value) in own {
                let (id, key, value) = (key, self.tree.value(key), self.tree.value(value));
                if self.tree.is_merge_key(id) {
                    merged.extend(value.merge_sources());
                } else if seen.insert(key.text()) {
                    entries.push((key, value));
                }
            }
            waiting.extend(merged.into_iter().rev());
        }
        entries
    }

    /// The entries that a mapping holds itself, keys given twice included, merge keys among them.
    pub fn own_entries(self) -> impl Iterator<Item = (Value<'t>, Value<'t>)> {
        let entries = match self.content() {
            Content::Mapping(_, entries) => entries.as_slice(),
            _ => &[],
        };
        entries
            .iter()
            .map(move |&(key, value)| (self.tree.value(key), self.tree.value(value)))
    }

    /// The bytes of the source that the node takes, its anchor and tag aside.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        self.tree.node(self.id).span.clone()
    }

    /// How many bytes the text has that the node came from.
    #[must_use]
    pub fn input_size(self) -> usize {
        self.tree.source.len()
    }

    /// Where the node begins.
    #[must_use]
    pub fn position(self) -> Position {
        Position::of(self.tree.source, self.span().start)
    }
}

/// A place in a text, for a person: both count from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, ended by a line feed.
    pub line: usize,
    /// The character in that line.
    pub column: usize,
}

impl Position {
    /// The position of a byte of a text.
    #[must_use]
    pub fn of(source: &str, offset: usize) -> Self {
        let before = source.get(..offset).unwrap_or(source);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        Self {
            line,
            column: column(source, offset) + 1,
        }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}
