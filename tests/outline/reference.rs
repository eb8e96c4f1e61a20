//! What the parser makes of a text, and what the outline has to agree with.

use std::ops::Range;

use flink_operator_rollout::yaml::outline::{self, List, Part};
use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, options};

/// A node as the parser reads it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) content: Content,
    /// Where it stands; empty where nothing is written.
    span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Scalar {
        text: String,
        style: ScalarStyle,
        tag: String,
    },
    Sequence {
        style: StructureStyle,
        tag: String,
        members: Vec<Node>,
    },
    Mapping {
        style: StructureStyle,
        tag: String,
        entries: Vec<(Node, Node)>,
    },
    Alias(String),
}

/// Nodes are equal wherever they stand.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content && self.is_absent() == other.is_absent()
    }
}

impl Node {
    fn entries(&self) -> &[(Node, Node)] {
        match &self.content {
            Content::Mapping { entries, .. } => entries,
            _ => &[],
        }
    }

    fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.only(key).is_some()
    }

    pub(crate) fn has_collection(&self, key: &str) -> bool {
        self.only(key)
            .is_some_and(|(_, (_, value))| value.text().is_none())
    }

    /// The index and the entry of a key that is given once.
    fn only(&self, key: &str) -> Option<(usize, &(Node, Node))> {
        let entries = self.entries().iter().enumerate();
        let mut found = entries.filter(|(_, (name, _))| name.text() == Some(key));
        found.next().filter(|_| found.next().is_none())
    }

    pub(crate) fn has_alias(&self) -> bool {
        match &self.content {
            Content::Scalar { .. } => false,
            Content::Sequence { members, .. } => members.iter().any(Self::has_alias),
            Content::Mapping { entries, .. } => entries
                .iter()
                .any(|(key, value)| key.has_alias() || value.has_alias()),
            Content::Alias(_) => true,
        }
    }

    /// Whether nothing is written.
    fn is_absent(&self) -> bool {
        self.span.is_empty() && self.text() == Some("~")
    }
}

/// The documents of a text that the parser accepts.
pub(crate) fn read(text: &str) -> Option<Vec<Node>> {
    let options = options! {
        emit_comments: false,
        block_scalar_eof_without_line_feed: true,
    };
    let mut documents = Vec::new();
    // The collections that are open, each with its members or its keys and values in turn.
    let mut open: Vec<(Event<'_>, Range<usize>, Vec<Node>)> = Vec::new();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.ok()?;
        let span = span.byte_range().unwrap();
        let node = match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                open.push((event, span, Vec::new()));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (start, at, nodes) = open.pop().unwrap();
                Node {
                    content: collection(start, nodes),
                    span: at.start..span.end.max(at.start),
                }
            }
            Event::Scalar(value, style, _, tag) => {
                let tag = tag.map(|tag| tag.original()).unwrap_or_default();
                Node {
                    content: Content::Scalar {
                        text: value.into_owned(),
                        style,
                        tag,
                    },
                    span,
                }
            }
            Event::Alias(_) => Node {
                content: Content::Alias(text[span.clone()].to_owned()),
                span,
            },
            _ => continue,
        };
        match open.last_mut() {
            Some((_, _, nodes)) => nodes.push(node),
            None => documents.push(node),
        }
    }
    Some(documents)
}

fn collection(start: Event<'_>, nodes: Vec<Node>) -> Content {
    match start {
        Event::SequenceStart(style, _, tag) => {
            let tag = tag.map(|tag| tag.original()).unwrap_or_default();
            Content::Sequence {
                style,
                tag,
                members: nodes,
            }
        }
        Event::MappingStart(style, _, tag) => {
            let tag = tag.map(|tag| tag.original()).unwrap_or_default();
            let mut nodes = nodes.into_iter();
            let mut entries = Vec::new();
            while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
                entries.push((key, value));
            }
            Content::Mapping {
                style,
                tag,
                entries,
            }
        }
        other => panic!("{other:?} starts no collection"),
    }
}

/// What the outline of a text came to.
#[derive(Default)]
pub(crate) struct Outcome {
    /// The parser accepts the text.
    pub(crate) is_accepted: bool,
    /// A list was found.
    pub(crate) is_list: bool,
    /// The documents were found.
    pub(crate) are_documents: bool,
    /// The kinds and metadata that were found.
    pub(crate) fields: usize,
}

/// Holds the outline of a text against the parser.
///
/// # Panics
///
/// Where they disagree.
pub(crate) fn check(text: &str) -> Outcome {
    // The parser ends the text at a NUL character.
    let nodes = if text.contains('\0') {
        None
    } else {
        read(text)
    };
    // Whatever the text is, the outline is not to panic.
    let list = outline::list(text, "items");
    let documents = outline::documents(text);
    let Some(nodes) = nodes else {
        return Outcome::default();
    };
    let mut outcome = Outcome {
        is_accepted: true,
        ..Outcome::default()
    };
    if let Some(parts) = documents {
        outcome.are_documents = true;
        outcome.fields += check_documents(text, &parts, &nodes);
    }
    if let Some(list) = list {
        outcome.is_list = true;
        outcome.fields += check_list(text, &list, &nodes);
    }
    outcome
}

fn check_documents(text: &str, parts: &[Part], nodes: &[Node]) -> usize {
    assert_eq!(parts.len(), nodes.len(), "number of documents");
    let mut fields = 0;
    let mut end = 0;
    for (part, node) in parts.iter().zip(nodes) {
        assert!(end <= part.range.start, "documents are apart and in order");
        end = part.range.end;
        let alone = read(&text[part.range.clone()]).expect("a document that parses alone");
        match alone.as_slice() {
            [] => assert!(node.is_absent(), "a document that is empty alone only"),
            [root] => assert_eq!(root, node, "a document alone"),
            more => panic!("one document that is {} alone", more.len()),
        }
        fields += check_object(text, part, node);
    }
    fields
}

fn check_list(text: &str, list: &List, nodes: &[Node]) -> usize {
    let [root] = nodes else {
        panic!("a list of {} documents", nodes.len())
    };
    assert_eq!(
        list.entries.len(),
        root.entries().len(),
        "number of entries"
    );
    let document = &outline::documents(text).expect("a list is a document")[0];
    for (index, (entry, own)) in list.entries.iter().zip(root.entries()).enumerate() {
        assert_eq!(entry.key, own.0.span, "a key");
        let range = entry_range(text, root, index, document.range.end);
        assert_eq!(entry.range, range, "an entry");
        let alone = read(&text[range]).expect("an entry that parses alone");
        assert_eq!(alone.len(), 1, "an entry alone");
        assert_eq!(
            alone[0].entries(),
            std::slice::from_ref(own),
            "an entry alone"
        );
    }
    let (index, (_, items)) = root.only("items").expect("items once");
    let Content::Sequence {
        style: StructureStyle::Block,
        members,
        ..
    } = &items.content
    else {
        panic!("items that are no block sequence");
    };
    assert_eq!(list.items.len(), members.len(), "number of items");
    let mut fields = 0;
    for (at, (part, member)) in list.items.iter().zip(members).enumerate() {
        let end = list
            .items
            .get(at + 1)
            .map_or(list.entries[index].range.end, |next| next.range.start);
        assert_eq!(part.range.end, end, "items without a gap");
        assert!(
            list.entries[index].range.start < part.range.start,
            "items in their entry"
        );
        assert!(
            part.range.start == 0 || text[..part.range.start].ends_with('\n'),
            "an item from the start of a line"
        );
        let line = &text[part.range.clone()];
        assert!(
            line.trim_start_matches(' ').starts_with('-'),
            "an item from its dash"
        );
        let alone = read(line).expect("an item that parses alone");
        let [
            Node {
                content: Content::Sequence { members: only, .. },
                ..
            },
        ] = alone.as_slice()
        else {
            panic!("an item that is no sequence alone: {alone:?}");
        };
        assert_eq!(
            only.as_slice(),
            std::slice::from_ref(member),
            "an item alone"
        );
        fields += check_object(text, part, member);
    }
    fields
}

fn check_object(text: &str, part: &Part, node: &Node) -> usize {
    if let Some(range) = &part.kind {
        let (_, (_, value)) = node.only("kind").expect("kind once");
        assert_eq!(&value.span, range, "place of the kind");
        assert_eq!(value.text(), Some(&text[range.clone()]), "kind");
        let is_plain = matches!(
            value.content,
            Content::Scalar {
                style: ScalarStyle::Plain,
                ..
            }
        );
        assert!(is_plain, "kind is a plain scalar");
        assert!(
            text[range.clone()]
                .chars()
                .all(|c| c.is_ascii_alphanumeric()),
            "kind is a word"
        );
    }
    if let Some(range) = &part.metadata {
        let (index, (_, value)) = node.only("metadata").expect("metadata once");
        assert_eq!(
            range,
            &entry_range(text, node, index, part.range.end),
            "place of the metadata"
        );
        assert!(!value.has_alias(), "metadata without an alias");
        let alone = read(&text[range.clone()]).expect("metadata that parses alone");
        let [root] = alone.as_slice() else {
            panic!("metadata that is no document alone")
        };
        let (_, (_, own)) = root.only("metadata").expect("metadata alone");
        assert_eq!(root.entries().len(), 1, "metadata alone");
        assert_eq!(own, value, "metadata alone");
    }
    usize::from(part.kind.is_some()) + usize::from(part.metadata.is_some())
}

/// From an entry's key to the line of the next one's, or to `end`.
fn entry_range(text: &str, mapping: &Node, index: usize, end: usize) -> Range<usize> {
    let start = mapping.entries()[index].0.span.start;
    let next = mapping
        .entries()
        .get(index + 1)
        .map(|(key, _)| key.span.start);
    let line_of = |at: usize| {
        text[..at]
            .rfind('\n')
            .map_or(0, |line_break| line_break + 1)
    };
    start..next.map_or(end, line_of)
}
