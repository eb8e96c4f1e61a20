//! Where the objects of a text stand, found line by line without parsing them.
//!
//! Most of what passes through needs no decision, so it need not be parsed: a [`Part`] says where an object stands, and
//! where its kind and its metadata do, so that the caller parses the parts that matter and passes the others on.
//!
//! What is returned is what the parser finds, provided that it accepts the text; what is skipped is not validated. Where
//! a line could be read in more than one way, or by other readers in another way, nothing is returned: `None` for the
//! whole says that the text has to be parsed, `None` for the kind or the metadata of a part that this part has to be.

mod documents;
mod flow;
mod lexer;

use std::collections::HashSet;
use std::ops::Range;

use self::lexer::{Lexer, Node, Token, Unsure, Value};

/// A part of the text that holds one object: an item of a list, or a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// An item: from the start of the line that holds its dash to the start of the line that holds the next one's, or to
    /// the end of the list. Parsed alone it is a sequence of one.
    ///
    /// A document: from behind its `---` line, or from the start of the text without a byte order mark, to the start of
    /// the line of the next marker. Where its content begins on the marker's line, from behind the marker. The range of
    /// an empty document holds nothing, or nothing but comments, and parsed alone it is no document.
    pub range: Range<usize>,
    /// The value of its top-level `kind`, where that is one plain scalar of ASCII letters and digits on the line of its
    /// key, and the key is given once.
    pub kind: Option<Range<usize>>,
    /// Its top-level `metadata` entry, from the first byte of the key to the start of the line of the next entry or to
    /// the end of the part, where its value is a collection, and the key is given once. Parsed alone it is a mapping of
    /// this entry; it holds no alias.
    pub metadata: Option<Range<usize>>,
}

/// A mapping in block style that holds a list of objects among its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The entries of the mapping, no key twice.
    pub entries: Vec<Entry>,
    /// The items of the list, at least one.
    pub items: Vec<Part>,
}

/// An entry of a mapping in block style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its key, a plain scalar.
    pub key: Range<usize>,
    /// From the start of the key to the start of the line of the next entry's, or to the end of the document. Parsed alone
    /// it is a mapping of this entry.
    pub range: Range<usize>,
}

/// The entries of a text's one document, and the items of the entry `items_key`.
///
/// `None` where the text has to be parsed:
///
/// - another number of documents than one, or a directive;
/// - items that are no block sequence, or none at all;
/// - a root key that is indented, quoted or given twice;
/// - an anchor, an alias or a tag before any node, for an alias may stand for a node of another item;
/// - a key that is explicit (`? `), empty or a collection, a tab as indentation or behind a dash, and in flow text what
///   depends on white space in more than one way (`{"a" :b}`);
/// - a NUL character, a carriage return alone, a byte order mark that is not the text's first character, or U+0085, U+2028
///   or U+2029, at which other readers end a line;
/// - text that is no YAML, as far as that shows.
#[must_use]
pub fn list(text: &str, items_key: &str) -> Option<List> {
    let documents = documents::split(text)?;
    let [document] = documents.as_slice() else {
        return None;
    };
    let mut list = ListReader::new(text, items_key);
    let mut lexer = Lexer::new(text, document);
    while let Some(token) = lexer.next().ok()? {
        list.take(&token).ok()?;
    }
    list.finish(document.end)
}

/// The documents of a text, as many as the parser finds.
///
/// `None` where the text has to be parsed: a directive, and the characters for which [`list`] gives up. What else makes
/// [`list`] give up leaves the kind and the metadata of that document unknown.
#[must_use]
pub fn documents(text: &str) -> Option<Vec<Part>> {
    let documents = documents::split(text)?;
    Some(documents.into_iter().map(|at| document(text, at)).collect())
}

fn document(text: &str, range: Range<usize>) -> Part {
    let mut object = ObjectReader::new(text, range.start);
    let mut lexer = Lexer::new(text, &range);
    while !object.unknown {
        match lexer.next() {
            Ok(Some(token)) => object.take(&token),
            Ok(None) => return object.finish(range.end),
            Err(Unsure) => break,
        }
    }
    Part::unknown(range)
}

impl Part {
    fn unknown(range: Range<usize>) -> Self {
        Self {
            range,
            kind: None,
            metadata: None,
        }
    }
}

/// Takes the tokens of a list's document.
struct ListReader<'t> {
    text: &'t str,
    items_key: &'t str,
    entries: Vec<Entry>,
    keys: HashSet<&'t str>,
    items: Vec<Part>,
    in_items: bool,
    /// The column of the items' dashes.
    dashes: usize,
    /// The item that is open.
    item: Option<ObjectReader<'t>>,
}

impl<'t> ListReader<'t> {
    fn new(text: &'t str, items_key: &'t str) -> Self {
        Self {
            text,
            items_key,
            entries: Vec::new(),
            keys: HashSet::new(),
            items: Vec::new(),
            in_items: false,
            dashes: 0,
            item: None,
        }
    }

    fn take(&mut self, token: &Token) -> Result<(), Unsure> {
        match (&token.node, &mut self.item) {
            (Node::Key { key, value }, _) if token.column == 0 => self.entry(token, key, value),
            _ if !self.in_items => Ok(()),
            (Node::Dash, item) if item.is_none() || token.column == self.dashes => {
                self.dashes = token.column;
                self.open_item(token.line);
                Ok(())
            }
            (_, Some(item)) => {
                item.take(token);
                Ok(())
            }
            (_, None) => Err(Unsure),
        }
    }

    fn entry(&mut self, token: &Token, key: &Range<usize>, value: &Value) -> Result<(), Unsure> {
        let name = plain_key(self.text, key).ok_or(Unsure)?;
        if !self.keys.insert(name) {
            return Err(Unsure);
        }
        self.close_entry(token.line);
        self.entries.push(Entry {
            key: key.clone(),
            range: key.start..key.start,
        });
        self.in_items = name == self.items_key;
        match value {
            Value::Below => Ok(()),
            _ if self.in_items => Err(Unsure),
            _ => Ok(()),
        }
    }

    fn close_entry(&mut self, end: usize) {
        self.close_item(end);
        if let Some(entry) = self.entries.last_mut() {
            entry.range.end = end;
        }
    }

    fn open_item(&mut self, line: usize) {
        self.close_item(line);
        self.item = Some(ObjectReader::new(self.text, line));
    }

    fn close_item(&mut self, end: usize) {
        self.items
            .extend(self.item.take().map(|item| item.finish(end)));
    }

    fn finish(mut self, end: usize) -> Option<List> {
        self.close_entry(end);
        (!self.items.is_empty()).then_some(List {
            entries: self.entries,
            items: self.items,
        })
    }
}

/// Takes the tokens of an object, and keeps what its top level says of kind and metadata.
struct ObjectReader<'t> {
    text: &'t str,
    start: usize,
    /// The column of its keys.
    column: Option<usize>,
    /// It has a key that would have to be decoded.
    unknown: bool,
    kind: Once,
    metadata: Once,
    /// The start of the metadata's key, while no other key has followed.
    open_metadata: Option<usize>,
    /// The value of the last key is a collection.
    holds_collection: bool,
}

/// What is known of an entry that is to be given once.
#[derive(Default)]
enum Once {
    #[default]
    Never,
    Known(Range<usize>),
    Unknown,
}

impl Once {
    fn give(&mut self, range: Option<Range<usize>>) {
        *self = match (&self, range) {
            (Self::Never, Some(range)) => Self::Known(range),
            _ => Self::Unknown,
        };
    }

    fn known(self) -> Option<Range<usize>> {
        match self {
            Self::Known(range) => Some(range),
            Self::Never | Self::Unknown => None,
        }
    }
}

impl<'t> ObjectReader<'t> {
    fn new(text: &'t str, start: usize) -> Self {
        Self {
            text,
            start,
            column: None,
            unknown: false,
            kind: Once::Never,
            metadata: Once::Never,
            open_metadata: None,
            holds_collection: false,
        }
    }

    fn take(&mut self, token: &Token) {
        let column = *self.column.get_or_insert(token.column);
        match &token.node {
            Node::Key { key, value } if token.column == column => self.entry(token, key, value),
            Node::Key { .. } | Node::Dash => self.holds_collection = true,
            Node::Other => {}
        }
    }

    fn entry(&mut self, token: &Token, key: &Range<usize>, value: &Value) {
        self.close_metadata(token.line);
        self.holds_collection = matches!(value, Value::Flow);
        match plain_key(self.text, key) {
            Some("kind") => self.kind.give(match value {
                Value::Line(start) => word(self.text, *start),
                Value::Below | Value::Flow | Value::Other => None,
            }),
            Some("metadata") => self.open_metadata = Some(key.start),
            Some(_) => {}
            None => self.unknown = true,
        }
    }

    fn close_metadata(&mut self, end: usize) {
        if let Some(start) = self.open_metadata.take() {
            self.metadata
                .give(self.holds_collection.then_some(start..end));
        }
    }

    fn finish(mut self, end: usize) -> Part {
        self.close_metadata(end);
        let range = self.start..end;
        if self.unknown {
            return Part::unknown(range);
        }
        Part {
            range,
            kind: self.kind.known(),
            metadata: self.metadata.known(),
        }
    }
}

/// The text of a key that is a plain scalar.
fn plain_key<'t>(text: &'t str, key: &Range<usize>) -> Option<&'t str> {
    let key = text.get(key.clone())?;
    (!key.starts_with(['"', '\''])).then_some(key)
}

/// The plain scalar at `start`, where it is of ASCII letters and digits, and all that its line holds but for a comment.
fn word(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    let end = start + rest.len() - behind.len();
    let next = behind.trim_start_matches([' ', '\t']);
    let is_over = match next.chars().next() {
        None | Some('\n' | '\r') => true,
        Some('#') => next.len() < behind.len(),
        Some(_) => false,
    };
    (is_over && end > start).then_some(start..end)
}
