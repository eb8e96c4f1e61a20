//! Where the objects of a text stand, found line by line without parsing them.
//!
//! Most of what passes through needs no decision, so it need not be parsed: a [`Part`] says where an object stands, and
//! where its kind and its metadata do, so that the caller parses the parts that matter and passes the others on.
//!
//! What is returned is what the parser finds, provided that it accepts the text; what is skipped is not validated. Where
//! a line could be read in more than one way, or by other readers in another way, nothing is returned: `None` for the
//! whole says that the text has to be parsed, `None` for the kind or the metadata of a part that this part has to be.

use std::ops::Range;

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
    /// the end of the part, where the key is given once. Parsed alone it is a mapping of this entry, which has the same
    /// value if that is a mapping; it holds no alias.
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
    /// From the start of the key to the start of the line of the next entry's, or to the end of the document.
    pub range: Range<usize>,
}

/// The entries of a text's one document, and the items of the entry `items_key`.
///
/// `None` where the text has to be parsed: another number of documents than one, items that are no block sequence or
/// none at all, a root key that is quoted or given twice, an anchor, an alias or a tag at the start of any node, an
/// explicit key (`? `), a tab as indentation or behind a dash, a directive, a NUL character, a carriage return alone, a
/// byte order mark that is not the text's first character, or U+0085, U+2028 or U+2029, which others take for line breaks.
#[must_use]
pub fn list(text: &str, items_key: &str) -> Option<List> {
    let _ = (text, items_key);
    None
}

/// The documents of a text, as many as the parser finds.
///
/// `None` where the text has to be parsed: a directive, and the characters for which [`list`] gives up. What else makes
/// [`list`] give up leaves the kind and the metadata of that document unknown.
#[must_use]
pub fn documents(text: &str) -> Option<Vec<Part>> {
    let _ = text;
    None
}
