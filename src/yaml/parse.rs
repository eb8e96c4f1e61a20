//! Parser events to nodes.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, options};

use super::json;
use super::merge::Found;
use super::outline::List;
use super::scalar::{Kind, Style};
use super::tree::{Content, Layout, Node, NodeId, Position, Properties, Tag, Tree};

/// Text that is not YAML.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {reason}")]
pub struct SyntaxError {
    /// Where the parser gave up.
    pub position: Position,
    /// What it found wrong there.
    pub reason: String,
}

/// Reads YAML or JSON documents.
///
/// # Errors
///
/// Text that is not YAML, nests deeper than 255 levels, holds a NUL character, or refers to an anchor that is not there.
pub fn parse(source: &str) -> Result<Tree<'_>, SyntaxError> {
    parse_range(source, 0..source.len())
}

/// Reads a stream of documents in which JSON objects may follow each other without a marker.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_stream(source: &str) -> Result<Tree<'_>, SyntaxError> {
    let mut builder = Builder::new(source);
    for part in json::parts(source) {
        builder.read(part)?;
    }
    Ok(builder.tree)
}

/// Reads a part of a text as if it stood alone; positions are those in the whole text.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_range(source: &str, range: Range<usize>) -> Result<Tree<'_>, SyntaxError> {
    let mut builder = Builder::new(source);
    builder.read(range)?;
    Ok(builder.tree)
}

/// Reads the mapping that an outline tells of, entry by entry, but for the list of objects, which stays without members.
///
/// # Errors
///
/// As [`parse`]; none where an entry is not what the outline says.
pub fn parse_outline<'a>(
    source: &'a str,
    outline: &List,
    items_key: &str,
) -> Result<Option<Tree<'a>>, SyntaxError> {
    let mut builder = Builder::new(source);
    let mut entries = Vec::new();
    for entry in &outline.entries {
        let key = source.get(entry.key.clone()).unwrap_or_default();
        if key == items_key {
            let key = Content::Scalar(key.into(), Style::Plain);
            let items = Content::Sequence(Layout::Block, Vec::new());
            let behind_key = entry.key.end..entry.range.end;
            entries.push((
                builder.push(key, entry.key.clone()),
                builder.push(items, behind_key),
            ));
            continue;
        }
        builder.read(entry.range.clone())?;
        let document = builder
            .tree
            .documents
            .pop()
            .map(|id| &builder.tree.node(id).content);
        match document {
            Some(Content::Mapping(Layout::Block, parsed)) if parsed.len() == 1 => {
                entries.extend(parsed);
            }
            _ => return Ok(None),
        }
    }
    let start = outline.entries.first().map_or(0, |entry| entry.range.start);
    let end = outline
        .entries
        .last()
        .map_or(start, |entry| entry.range.end);
    let root = builder.push(Content::Mapping(Layout::Block, entries), start..end);
    builder.tree.documents = vec![root];
    builder.tree.end = end;
    Ok(Some(builder.tree))
}

struct Builder<'a> {
    tree: Tree<'a>,
    /// Where the parsed text begins in the source.
    offset: usize,
    /// The collections that are open, each mapping with a key that still waits for its value.
    open: Vec<(NodeId, Option<NodeId>)>,
    anchored: HashMap<usize, NodeId>,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str) -> Self {
        let tree = Tree {
            source,
            nodes: Vec::new(),
            properties: HashMap::new(),
            aliases: Vec::new(),
            documents: Vec::new(),
            found: Found::default(),
            end: source.len(),
        };
        Self {
            tree,
            offset: 0,
            open: Vec::new(),
            anchored: HashMap::new(),
        }
    }

    /// Adds the documents of a part of the source to the tree.
    fn read(&mut self, range: Range<usize>) -> Result<(), SyntaxError> {
        let source = self.tree.source;
        let text = source.get(range.clone()).unwrap_or_default();
        let error = |at: usize, reason: String| SyntaxError {
            position: Position::of(source, range.start + at),
            reason,
        };
        // The parser takes a NUL for the end of the text, which would hide what comes after it.
        if let Some(at) = text.find('\0') {
            return Err(error(
                at,
                "a NUL character, which YAML does not allow".to_owned(),
            ));
        }
        let options = options! {
            emit_comments: false,
            emit_anchor_events: true,
            block_scalar_eof_without_line_feed: true, // as go-yaml reads it
        };
        self.offset = range.start;
        self.anchored.clear();
        self.tree.end = range.end;
        for event in Parser::new_from_str_with_options(text, options) {
            let (event, span) = event.map_err(|scan: ScanError| {
                error(
                    scan.marker().byte_offset().unwrap_or(text.len()),
                    scan.info(),
                )
            })?;
            self.take(event, span);
        }
        Ok(())
    }

    fn take(&mut self, event: Event<'a>, span: Span) {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let absent = style == ScalarStyle::Plain && span.is_empty();
                let content = match style {
                    _ if absent => Content::Scalar("".into(), Style::Plain),
                    ScalarStyle::Plain => Content::Scalar(text, Style::Plain),
                    ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                        Content::Scalar(text, Style::Quoted)
                    }
                    ScalarStyle::Literal | ScalarStyle::Folded => {
                        Content::Scalar(text, Style::Block)
                    }
                };
                self.add(content, span, anchor, tag.as_deref());
            }
            Event::SequenceStart(style, anchor, tag) => {
                let content = Content::Sequence(layout(style), Vec::new());
                let id = self.add(content, span, anchor, tag.as_deref());
                self.open.push((id, None));
            }
            Event::MappingStart(style, anchor, tag) => {
                let content = Content::Mapping(layout(style), Vec::new());
                let id = self.add(content, span, anchor, tag.as_deref());
                self.open.push((id, None));
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::DocumentEnd if !span.is_empty() => self.tree.end = self.range(span).start,
            Event::Alias(anchor) => {
                // The parser has refused an alias without an anchor by now.
                if let Some(&target) = self.anchored.get(&anchor) {
                    let id = self.add(Content::Alias(target), span, 0, None);
                    self.tree.aliases.push(id);
                }
            }
            Event::Anchor(anchor, _) => {
                if let Some(&id) = self.anchored.get(&anchor) {
                    self.tree.properties.entry(id).or_default().anchor = Some(self.range(span));
                }
            }
            _ => {}
        }
    }

    fn range(&self, span: Span) -> Range<usize> {
        let range = span.byte_range().unwrap_or_default();
        self.offset + range.start..self.offset + range.end
    }

    /// The parser lets a block scalar end where the next token begins; the indentation before that is not the scalar's.
    fn block_scalar_range(&self, span: Span) -> Range<usize> {
        let range = self.range(span);
        let ends_input = range.end == self.tree.source.len();
        let before = self.tree.source.get(..range.end).unwrap_or_default();
        let lines = before.trim_end_matches(' ');
        if ends_input || lines.len() < range.start || !lines.ends_with(['\n', '\r']) {
            return range;
        }
        range.start..lines.len()
    }

    fn add(
        &mut self,
        content: Content<'a>,
        span: Span,
        anchor: usize,
        tag: Option<&granit_parser::Tag>,
    ) -> NodeId {
        let range = match content {
            Content::Scalar(_, Style::Block) => self.block_scalar_range(span),
            _ => self.range(span),
        };
        let id = self.push(content, range);
        if anchor > 0 {
            self.anchored.insert(anchor, id);
        }
        if let Some(tag) = tag {
            let at = span.tag_span().map_or(0..0, |span| self.range(span));
            let properties = Properties {
                anchor: None,
                tag: Some((meaning(tag), at)),
            };
            self.tree.properties.insert(id, properties);
        }
        self.attach(id);
        id
    }

    fn push(&mut self, content: Content<'a>, span: Range<usize>) -> NodeId {
        self.tree.nodes.push(Node { content, span });
        NodeId(self.tree.nodes.len() - 1)
    }

    fn attach(&mut self, id: NodeId) {
        let Some((parent, waiting_key)) = self.open.last_mut() else {
            self.tree.documents.push(id);
            return;
        };
        match self
            .tree
            .nodes
            .get_mut(parent.0)
            .map(|node| &mut node.content)
        {
            Some(Content::Sequence(_, members)) => members.push(id),
            Some(Content::Mapping(_, entries)) => match waiting_key.take() {
                Some(key) => entries.push((key, id)),
                None => *waiting_key = Some(id),
            },
            _ => {}
        }
    }

    /// A flow collection ends at its bracket, a block collection where its last entry does: the parser's own end lies
    /// behind the comments that follow.
    fn close(&mut self, span: Span) {
        let Some((id, _)) = self.open.pop() else {
            return;
        };
        let last = match &self.tree.node(id).content {
            Content::Sequence(Layout::Block, members) => members.last().copied(),
            Content::Mapping(Layout::Block, entries) => entries.last().map(|&(key, value)| {
                let end = |id| self.tree.node(id).span.end;
                if end(key) > end(value) { key } else { value }
            }),
            _ => None,
        };
        let end = last.map_or(self.range(span).end, |last| self.tree.node(last).span.end);
        if let Some(node) = self.tree.nodes.get_mut(id.0) {
            node.span.end = end.max(node.span.start);
        }
    }
}

fn layout(style: StructureStyle) -> Layout {
    match style {
        StructureStyle::Block => Layout::Block,
        StructureStyle::Flow => Layout::Flow,
    }
}

/// The namespace of the tags that are written `!!`.
const YAML_TAGS: &str = "tag:yaml.org,2002:";

fn meaning(tag: &granit_parser::Tag) -> Tag {
    match tag.suffix_in_namespace(YAML_TAGS).as_deref() {
        Some("str" | "timestamp") => Tag::Scalar(Kind::String),
        Some("null") => Tag::Scalar(Kind::Null),
        Some("bool") => Tag::Scalar(Kind::Bool),
        Some("int" | "float") => Tag::Scalar(Kind::Number),
        Some("merge") => Tag::Merge,
        Some("map" | "seq") => Tag::Collection,
        None if tag.original() == "!" => Tag::Scalar(Kind::String),
        _ => Tag::Unknown,
    }
}
