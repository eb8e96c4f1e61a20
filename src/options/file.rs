//! The two forms of the operator's configuration file, read as Flink reads them.

use crate::yaml::{Kind, SyntaxError, Value, parse};

/// An option as a file gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its key, nested keys joined with dots.
    pub key: String,
    /// Its value as text; a list in one line, in brackets.
    pub value: String,
    /// The line of the file, from 1.
    pub line: usize,
}

/// The forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `config.yaml`: standard YAML, nested or dotted keys.
    Standard,
    /// `flink-conf.yaml`: `key: value` lines, which only look like YAML.
    Legacy,
}

/// Why the operator could not load a file. It refuses the whole file then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// No YAML.
    #[error("it is not YAML: {0}")]
    Syntax(#[from] SyntaxError),
    /// No mapping, or several documents.
    #[error("line {line}: it holds {found}, expected one mapping of options")]
    NotAMapping {
        /// What it is instead.
        found: &'static str,
        /// Where, from 1.
        line: usize,
    },
    /// A key with nothing behind it, or `null`: Flink's loader ends there.
    #[error("line {line}: `{key}` has no value, expected one, or `\"\"` for an empty one")]
    NoValue {
        /// The key, nested keys joined with dots.
        key: String,
        /// Where, from 1.
        line: usize,
    },
    /// A key twice in one mapping.
    #[error("line {line}: key `{key}` is given twice, expected once")]
    DuplicateKey {
        /// The key.
        key: String,
        /// The second one's line, from 1.
        line: usize,
    },
}

impl Form {
    /// The form that a file of that name has.
    #[must_use]
    pub fn of(file_name: &str) -> Option<Self> {
        match file_name {
            "config.yaml" => Some(Self::Standard),
            "flink-conf.yaml" => Some(Self::Legacy),
            _ => None,
        }
    }

    /// The options in a file's text, in order. The last of several with one key is in force.
    ///
    /// # Errors
    ///
    /// See [`Unreadable`]; the legacy form never fails, it skips what it does not understand.
    pub fn read(self, text: &str) -> Result<Vec<Entry>, Unreadable> {
        match self {
            Self::Standard => standard(text),
            Self::Legacy => Ok(legacy(text)),
        }
    }
}

fn standard(text: &str) -> Result<Vec<Entry>, Unreadable> {
    let tree = parse(text)?;
    let mut documents = tree.documents();
    let Some(root) = documents.next() else {
        return Ok(Vec::new());
    };
    if let Some(second) = documents.next() {
        let line = second.position().line;
        return Err(Unreadable::NotAMapping {
            found: "a second document",
            line,
        });
    }
    if let Some(duplicate) = root.duplicate_key() {
        let line = duplicate.key.position().line;
        let key = duplicate.key.text().unwrap_or_default().to_owned();
        return Err(Unreadable::DuplicateKey { key, line });
    }
    match root.kind() {
        Kind::Null => Ok(Vec::new()),
        Kind::Mapping => {
            let mut entries = Vec::new();
            flatten(root, "", 0, &mut entries)?;
            Ok(entries)
        }
        kind => {
            let line = root.position().line;
            Err(Unreadable::NotAMapping {
                found: kind.noun(),
                line,
            })
        }
    }
}

/// Deeper than any parsed text: a mapping that holds itself through an alias ends here.
const DEPTH: usize = 300;

fn flatten(
    mapping: Value<'_>,
    prefix: &str,
    depth: usize,
    entries: &mut Vec<Entry>,
) -> Result<(), Unreadable> {
    for (key, value) in mapping.entries() {
        let line = key.position().line;
        let key = format!("{prefix}{}", key.text().unwrap_or_default());
        match value.kind() {
            Kind::Null => return Err(Unreadable::NoValue { key, line }),
            Kind::Mapping if depth < DEPTH => {
                flatten(value, &format!("{key}."), depth + 1, entries)?;
            }
            _ => entries.push(Entry {
                key,
                value: in_one_line(value, depth),
                line,
            }),
        }
    }
    Ok(())
}

/// Flink keeps a list as its YAML text in flow style.
fn in_one_line(value: Value<'_>, depth: usize) -> String {
    let nested = |value: Value<'_>| in_one_line(value, depth + 1);
    match value.kind() {
        Kind::Null => String::new(),
        _ if depth > DEPTH => String::new(),
        Kind::Sequence => {
            let members: Vec<String> = value.members().map(nested).collect();
            format!("[{}]", members.join(", "))
        }
        Kind::Mapping => {
            let entry = |(key, value): (Value<'_>, Value<'_>)| {
                format!("{}: {}", nested(key), nested(value))
            };
            let entries: Vec<String> = value.entries().into_iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
        _ => value.text().unwrap_or_default().to_owned(),
    }
}

/// `key: value` a line. `#` begins a comment even inside a value; a line without `: `, or with nothing on a side of it, is
/// skipped.
fn legacy(text: &str) -> Vec<Entry> {
    let normalised = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = normalised.split('\n').zip(1..);
    lines
        .filter_map(|(text, line)| {
            let option = text.split('#').next().map(trim)?;
            let (key, value) = option.split_once(": ")?;
            let (key, value) = (trim(key).to_owned(), trim(value).to_owned());
            (!key.is_empty() && !value.is_empty()).then_some(Entry { key, value, line })
        })
        .collect()
}

/// Java's `String.trim`: everything up to U+0020.
fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}
