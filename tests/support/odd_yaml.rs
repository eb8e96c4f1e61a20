//! YAML as people write it: one value in many layouts, all of which read the same.
//!
//! A [`Node`] says what a text means; [`write`] puts it into words by a list of choices: block or flow, comments anywhere, quotes,
//! block scalars, anchors, aliases, merge keys, explicit keys, any order. With no choices the text is the plainest.

use std::fmt::Write as _;

/// What a text means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Text(String),
    /// A plain scalar as it stands, whatever it is taken for.
    Plain(&'static str),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

pub(crate) fn text(text: impl Into<String>) -> Node {
    Node::Text(text.into())
}

pub(crate) fn list(members: impl IntoIterator<Item = Node>) -> Node {
    Node::List(members.into_iter().collect())
}

pub(crate) fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Node)>) -> Node {
    let entries = entries.into_iter();
    Node::Map(entries.map(|(key, value)| (key.into(), value)).collect())
}

/// How a text is laid out.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// What is chosen wherever there is a choice, in order; 0 is the plainest, and holds when they have run out.
    pub(crate) choices: Vec<u8>,
    /// Whether anything but plain scalars, quotes and lines may be chosen: nothing that stands for another place.
    pub(crate) anchors: bool,
    pub(crate) windows: bool,
    /// Whether the last line has an end, where the text can do without.
    pub(crate) final_line_end: bool,
}

/// One document, or several.
pub(crate) fn write(documents: &[Node], layout: &Layout) -> String {
    let mut writer = Writer {
        layout,
        taken: 0,
        out: String::new(),
        anchors: Vec::new(),
        kept: false,
        block_end: false,
    };
    if writer.choose(10) == 1 {
        writer.out.push('\u{feff}');
    }
    for (i, document) in documents.iter().enumerate() {
        writer.document(document, i > 0);
    }
    let mut out = writer.out;
    if !layout.final_line_end && !writer.block_end {
        out.truncate(out.trim_end_matches('\n').len());
    }
    if layout.windows {
        out = out.replace('\n', "\r\n");
    }
    out
}

/// One document as JSON, indented or on one line.
pub(crate) fn write_json(document: &Node, indented: bool) -> String {
    let json = json(document);
    let text = if indented {
        format!("{json:#}\n")
    } else {
        json.to_string()
    };
    // Allowed in JSON, but to no YAML reader.
    text.replace('\u{7f}', "\\u007f")
}

fn json(node: &Node) -> serde_json::Value {
    match node {
        Node::Null => serde_json::Value::Null,
        Node::Text(text) => text.as_str().into(),
        Node::Plain(plain) => serde_json::from_str(plain).unwrap_or_else(|_| (*plain).into()),
        Node::List(members) => members.iter().map(json).collect(),
        Node::Map(entries) => entries.iter().map(|(k, v)| (k.clone(), json(v))).collect(),
    }
}

struct Writer<'l> {
    layout: &'l Layout,
    taken: usize,
    out: String,
    /// What the anchors of this document stand for.
    anchors: Vec<(String, Node)>,
    /// Behind a block scalar that keeps its line ends, where a blank line would become a part of it.
    kept: bool,
    /// Behind a block scalar, whose last line end counts.
    block_end: bool,
}

impl Writer<'_> {
    fn choose(&mut self, choices: u8) -> u8 {
        let choice = self.layout.choices.get(self.taken).copied().unwrap_or(0);
        self.taken += 1;
        choice % choices
    }

    fn document(&mut self, document: &Node, further: bool) {
        self.anchors.clear();
        match self.choose(6) {
            1 => self.out.push_str("---\n"),
            2 => self.out.push_str("--- # begins\n"),
            3 if !further => self.out.push_str("%YAML 1.1\n---\n"),
            _ if further => self.out.push_str("---\n"),
            _ => {}
        }
        self.kept = false;
        match document {
            Node::Map(entries) if !entries.is_empty() => {
                let column = if self.choose(8) == 1 { 2 } else { 0 };
                self.entries(entries, column, false);
            }
            other => {
                let flow = self.flow(other, 0);
                self.out.push_str(&flow);
                self.end_line();
            }
        }
    }

    fn pad(&mut self, column: usize) {
        self.out.push_str(&" ".repeat(column));
    }

    /// The rest of a line, with a comment or without.
    fn end_line(&mut self) {
        let after_indicator = self.out.ends_with(['-', ':']);
        let comment = match self.choose(12) {
            1 => " # c",
            2 => "  # {\"a\": [b, 'c",
            3 => " # annotations: x: - y",
            4 if !after_indicator => "\t# é|",
            5 => "   ",
            _ => "",
        };
        self.out.push_str(comment);
        self.out.push('\n');
        self.kept = false;
        self.block_end = false;
    }

    /// What may stand between two entries.
    fn gap(&mut self, column: usize) {
        match self.choose(14) {
            1 if !self.kept => self.out.push('\n'),
            2 => {
                self.pad(column);
                self.out.push_str("# over it: [\n");
                self.kept = false;
                self.block_end = false;
            }
            3 if !self.block_end => self.out.push_str("  \n"),
            _ => {}
        }
    }

    /// The entries of a block mapping; the first one's indentation may be there already.
    fn entries(&mut self, entries: &[(String, Node)], column: usize, mut begun: bool) {
        let mut entries: Vec<_> = entries.iter().collect();
        match self.choose(6) {
            1 => entries.reverse(),
            2 => {
                let by = usize::from(self.choose(7)) % entries.len();
                entries.rotate_left(by);
            }
            _ => {}
        }
        let merged = self.merged(&entries);
        if let Some((anchor, by_anchor)) = &merged {
            entries.retain(|entry| !by_anchor.contains(entry));
            if !std::mem::take(&mut begun) {
                self.pad(column);
            }
            let tag = if self.choose(3) == 1 { "!!merge " } else { "" };
            let _ = write!(self.out, "{tag}<<: *{anchor}");
            self.end_line();
        }
        for (key, value) in entries {
            if !std::mem::take(&mut begun) {
                self.gap(column);
                self.pad(column);
            }
            let explicit = self.choose(20) == 1;
            if explicit {
                self.out.push_str("? ");
            }
            let key = self.key(key);
            self.out.push_str(&key);
            if explicit {
                self.end_line();
                self.pad(column);
            } else if self.choose(12) == 1 {
                self.out.push(' ');
            }
            self.out.push(':');
            self.value(value, column, false);
        }
    }

    /// An anchor whose entries are all among these, to be merged.
    fn merged<'e>(
        &mut self,
        entries: &[&'e (String, Node)],
    ) -> Option<(String, Vec<&'e (String, Node)>)> {
        if !self.layout.anchors || self.choose(3) != 1 {
            return None;
        }
        self.anchors.iter().find_map(|(name, node)| match node {
            Node::Map(old) if !old.is_empty() => {
                let same = entries.iter().copied().filter(|entry| old.contains(entry));
                let same: Vec<_> = same.collect();
                (same.len() == old.len()).then(|| (name.clone(), same))
            }
            _ => None,
        })
    }

    fn members(&mut self, members: &[Node], column: usize) {
        for member in members {
            self.gap(column);
            self.pad(column);
            self.out.push('-');
            match member {
                Node::Map(entries) if !entries.is_empty() && self.choose(4) != 1 => {
                    let (step, begun) = match self.choose(6) {
                        1 => ("   ", true),
                        2 => (" # head\n", false),
                        3 => ("\n", false),
                        4 => (" # head\n\n", false),
                        _ => (" ", true),
                    };
                    let column = column + 1 + if begun { step.len() } else { 1 };
                    self.out.push_str(step);
                    self.kept = false;
                    self.entries(entries, column, begun);
                }
                other => self.value(other, column, true),
            }
        }
    }

    /// A value behind a key's colon or a dash, to the end of its last line. A list behind a key may stand at the key's column.
    fn value(&mut self, value: &Node, column: usize, behind_dash: bool) {
        if let Some(alias) = self.alias(value) {
            let _ = write!(self.out, " *{alias}");
            return self.end_line();
        }
        let anchored = self.anchor(value);
        if let Some(name) = &anchored {
            let _ = write!(self.out, " &{name}");
        }
        match value {
            Node::Map(entries) if !entries.is_empty() && self.choose(5) != 1 => {
                let tag = if self.choose(20) == 1 { " !!map" } else { "" };
                self.out.push_str(tag);
                self.end_line();
                let step = self.step();
                self.entries(entries, column + step, false);
            }
            Node::List(members) if !members.is_empty() && self.choose(5) != 1 => {
                self.end_line();
                let step = if behind_dash || self.choose(2) == 1 {
                    self.step()
                } else {
                    0
                };
                self.members(members, column + step);
            }
            Node::Text(text) if self.choose(3) == 1 && fits_block(text) => {
                self.block_scalar(text, column);
            }
            Node::Null => {
                let null = ["", " null", " ~"][usize::from(self.choose(3))];
                self.out.push_str(null);
                self.end_line();
            }
            other => {
                let flow = self.flow(other, column);
                self.out.push(' ');
                self.out.push_str(&flow);
                self.end_line();
            }
        }
        self.anchors
            .extend(anchored.map(|name| (name, value.clone())));
    }

    fn step(&mut self) -> usize {
        [2, 4, 1, 3][usize::from(self.choose(4))]
    }

    fn block_scalar(&mut self, text: &str, column: usize) {
        let body = text.strip_suffix('\n');
        let chomping = match body {
            None => "-",
            Some(body) if body.ends_with('\n') => "+",
            Some(_) => "",
        };
        let _ = write!(self.out, " |{chomping}");
        self.end_line();
        let step = self.step();
        for line in body.unwrap_or(text).split('\n') {
            if !line.is_empty() {
                self.pad(column + step);
            }
            self.out.push_str(line);
            self.out.push('\n');
        }
        self.kept = chomping == "+";
        self.block_end = true;
    }

    /// The name of an anchor that stands for the same value, if it is to be used.
    fn alias(&mut self, value: &Node) -> Option<String> {
        if !self.layout.anchors || self.choose(2) != 1 {
            return None;
        }
        let same = self.anchors.iter().find(|(_, node)| node == value);
        same.map(|(name, _)| name.clone())
    }

    /// The name of a new anchor, if the value is to have one.
    fn anchor(&mut self, value: &Node) -> Option<String> {
        let choice = self.layout.anchors && *value != Node::Null && self.choose(6) == 1;
        choice.then(|| format!("a{}", self.anchors.len() + self.taken))
    }

    /// A value in flow style. It may go on in the next line, behind `column`.
    fn flow(&mut self, value: &Node, column: usize) -> String {
        match value {
            Node::Null => ["null", "~"][usize::from(self.choose(2))].to_owned(),
            Node::Plain(plain) => (*plain).to_owned(),
            Node::Text(text) => self.quoted(text),
            Node::List(members) => {
                let members = members.iter().map(|member| self.flow_value(member, column));
                let members: Vec<String> = members.collect();
                self.bracketed("[", &members, "]", column)
            }
            Node::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| {
                    let key = self.key(key);
                    format!("{key}: {}", self.flow_value(value, column))
                });
                let entries: Vec<String> = entries.collect();
                self.bracketed("{", &entries, "}", column)
            }
        }
    }

    fn flow_value(&mut self, value: &Node, column: usize) -> String {
        if let Some(alias) = self.alias(value) {
            return format!("*{alias} ");
        }
        let Some(name) = self.anchor(value) else {
            return self.flow(value, column);
        };
        let flow = self.flow(value, column);
        self.anchors.push((name.clone(), value.clone()));
        format!("&{name} {flow}")
    }

    fn bracketed(&mut self, open: &str, parts: &[String], close: &str, column: usize) -> String {
        let next_line = format!("\n{}", " ".repeat(column + 2));
        let (before, between, after) = match self.choose(6) {
            1 => (" ", " , ", " "),
            2 => ("", ",", ""),
            3 => (next_line.as_str(), ", ", ""),
            4 if !parts.is_empty() => ("", ", ", ","),
            5 => (" # }\n  ", ", ", ""),
            _ => ("", ", ", ""),
        };
        let before = match before {
            " # }\n  " => format!(" # }}{next_line}"),
            before => before.to_owned(),
        };
        format!("{open}{before}{}{after}{close}", parts.join(between))
    }

    fn key(&mut self, key: &str) -> String {
        match self.choose(5) {
            1 => serde_json::to_string(key).unwrap(),
            2 => format!("'{key}'"),
            _ if is_simple(key) => key.to_owned(),
            _ => serde_json::to_string(key).unwrap(),
        }
    }

    fn quoted(&mut self, text: &str) -> String {
        let one_line = !text
            .chars()
            .any(|c| c.is_control() || "\u{2028}\u{feff}".contains(c));
        match self.choose(5) {
            1 if one_line => format!("'{}'", text.replace('\'', "''")),
            2 => escaped(text),
            3 if is_simple(text) => format!("!!str {text}"),
            _ if is_simple(text) => text.to_owned(),
            _ => escaped(text),
        }
    }
}

/// In double quotes, with every character escaped that is not a letter.
fn escaped(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            'a'..='z' | ' ' | '/' | '.' | ':' | '#' | '-' => out.push(c),
            '\n' => out.push_str("\\n"),
            '\u{100}'.. => {
                let _ = write!(out, "\\U{:08x}", u32::from(c));
            }
            _ => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

/// Whether a text, written as it is, is a string to every reader.
fn is_simple(text: &str) -> bool {
    let reserved = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-./_".contains(&b))
        && !reserved.contains(&text)
}

fn fits_block(text: &str) -> bool {
    let printable = |c: char| c == '\n' || c == '\t' || !c.is_control();
    text.starts_with(|c: char| c.is_alphanumeric() || c == '#' || c == '-')
        && text
            .chars()
            .all(|c| printable(c) && !"\u{2028}\u{2029}\u{85}\u{feff}".contains(c))
}
