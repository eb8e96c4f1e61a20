//! The nodes in block style of one document, in the order of the text.
//!
//! It keeps no stack. In text that the parser accepts, a node that is neither an entry's key nor behind a dash is the value
//! of the key or dash before it; so the column of the last key or dash says how far a block scalar or a plain scalar
//! reaches, and the columns of keys and dashes tell the collections apart.

use std::ops::Range;

use memchr::memchr;

/// Text that this lexer does not read with certainty.
#[derive(Debug)]
pub(super) struct Unsure;

/// A node, or the dash before one.
#[derive(Debug)]
pub(super) struct Token {
    /// The start of its line.
    pub(super) line: usize,
    /// The spaces and dashes before it in its line.
    pub(super) column: usize,
    pub(super) node: Node,
}

#[derive(Debug)]
pub(super) enum Node {
    /// The dash of a sequence's entry. The entry's node is the next token, if it has one.
    Dash,
    /// A mapping's key, quotes included, with its value.
    Key { key: Range<usize>, value: Value },
    /// A scalar or a flow collection that is no key.
    Other,
}

#[derive(Debug)]
pub(super) enum Value {
    /// Not on the key's line: the next token if that is its child, else null.
    Below,
    /// A plain scalar that begins here and ends on the same line.
    Line(usize),
    /// A flow collection.
    Flow,
    /// Another scalar.
    Other,
}

/// Reads one document.
pub(super) struct Lexer<'t> {
    /// The text to the end of the document.
    bytes: &'t [u8],
    /// The start of the line that holds the next token.
    line: usize,
    /// The next token.
    at: usize,
    /// The least column of a node below the last key or dash.
    inner: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, document: &Range<usize>) -> Self {
        let bytes = text.as_bytes();
        let mut lexer = Self {
            bytes: bytes.get(..document.end).unwrap_or(bytes),
            line: 0,
            at: 0,
            inner: 0,
        };
        lexer.open_line(document.start);
        lexer
    }

    /// The next token; none at the end of the document.
    pub(super) fn next(&mut self) -> Result<Option<Token>, Unsure> {
        let (line, at) = (self.line, self.at);
        if at >= self.bytes.len() {
            return Ok(None);
        }
        let column = at - line;
        let node = if self.is_indicator(at, b'-') {
            self.inner = column + 1;
            match self.next_line(at + 1) {
                Some(next) => self.open_line(next),
                None => self.at = self.skip_spaces(at + 1),
            }
            Node::Dash
        } else if let Some((key, colon)) = self.key(at)? {
            self.inner = column + 1;
            let value = self.value(colon + 1)?;
            Node::Key { key, value }
        } else if self.inner == 0 {
            // The root is no collection in block style.
            return Err(Unsure);
        } else {
            self.node(at)?;
            Node::Other
        };
        Ok(Some(Token { line, column, node }))
    }

    /// The key that begins at `at`, if one does, and its colon.
    fn key(&self, at: usize) -> Result<Option<(Range<usize>, usize)>, Unsure> {
        let end = match self.byte(at) {
            b'"' | b'\'' => self.quoted_end(at)?,
            _ if self.starts_plain(at) => self.plain_key_end(at),
            _ => return Ok(None),
        };
        let colon = self.skip_blanks(end);
        Ok(self.is_indicator(colon, b':').then_some((at..end, colon)))
    }

    fn value(&mut self, behind_colon: usize) -> Result<Value, Unsure> {
        if let Some(next) = self.next_line(behind_colon) {
            self.open_line(next);
            return Ok(Value::Below);
        }
        self.node(self.skip_blanks(behind_colon))
    }

    /// Goes behind a node that is neither an entry nor a key.
    fn node(&mut self, at: usize) -> Result<Value, Unsure> {
        match self.byte(at) {
            b'"' | b'\'' => self.close_line(self.quoted_end(at)?)?,
            b'[' | b'{' => {
                self.close_line(self.flow_end(at)?)?;
                return Ok(Value::Flow);
            }
            b'|' | b'>' => self.block_scalar(at)?,
            _ if self.starts_plain(at) => return Ok(self.plain(at)),
            _ => return Err(Unsure),
        }
        Ok(Value::Other)
    }

    pub(super) fn starts_plain(&self, at: usize) -> bool {
        match self.byte(at) {
            b'-' | b'?' | b':' => !ends_word(self.byte(at + 1)),
            b'\t' | b'"' | b'\'' | b'#' | b'%' | b'&' | b'*' | b'!' | b'@' | b'`' | b'|' | b'>'
            | b'[' | b']' | b'{' | b'}' | b',' => false,
            _ => true,
        }
    }

    /// Where a plain scalar that is a key would end.
    fn plain_key_end(&self, at: usize) -> usize {
        let mut end = at;
        let mut next = at;
        loop {
            match self.byte(next) {
                b' ' | b'\t' => {
                    next += 1;
                    continue;
                }
                b'\n' | b'\r' => return end,
                b'#' if end < next => return end,
                b':' if ends_word(self.byte(next + 1)) => return end,
                _ => next += 1,
            }
            while is_plain(self.byte(next)) {
                next += 1;
            }
            end = next;
        }
    }

    /// Goes behind a plain scalar and the lines that continue it.
    fn plain(&mut self, at: usize) -> Value {
        self.open_line(self.line_behind(at));
        if !self.is_continued() {
            return Value::Line(at);
        }
        while self.is_continued() {
            self.open_line(self.line_behind(self.at));
        }
        Value::Other
    }

    fn is_continued(&self) -> bool {
        self.at < self.bytes.len() && self.at - self.line >= self.inner
    }

    /// Goes behind a block scalar. What its header says of the end of its text does not matter here.
    fn block_scalar(&mut self, at: usize) -> Result<(), Unsure> {
        let mut header = at + 1;
        let mut indication = None;
        loop {
            match self.byte(header) {
                b'+' | b'-' => {}
                digit @ b'1'..=b'9' => indication = Some(usize::from(digit - b'0')),
                _ => break,
            }
            header += 1;
        }
        let mut line = self.next_line(header).ok_or(Unsure)?;
        let indent = match indication {
            Some(indication) => self.inner.saturating_sub(1) + indication,
            None => self.first_indent(line),
        };
        if indent >= self.inner {
            line = self.block_scalar_end(line, indent);
        }
        self.open_line(line);
        Ok(())
    }

    /// The column of the first character from `line` on.
    fn first_indent(&self, mut line: usize) -> usize {
        loop {
            let at = self.skip_spaces(line);
            match self.line_break(at) {
                Some(next) if at < self.bytes.len() => line = next,
                _ => return at - line,
            }
        }
    }

    /// The first line from `line` on that is neither empty nor indented as far.
    fn block_scalar_end(&self, mut line: usize, indent: usize) -> usize {
        while line < self.bytes.len() {
            let at = line + self.spaces(line, indent);
            line = if at - line == indent {
                self.line_behind(at)
            } else if let Some(next) = self.line_break(at) {
                next
            } else {
                break;
            }
        }
        line
    }

    /// The byte at `at`; a line feed behind the last.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(b'\n')
    }

    pub(super) fn rest(&self, at: usize) -> &'t [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    fn skip_spaces(&self, at: usize) -> usize {
        at + self.spaces(at, usize::MAX)
    }

    pub(super) fn skip_blanks(&self, mut at: usize) -> usize {
        while is_blank(self.byte(at)) {
            at += 1;
        }
        at
    }

    /// The number of spaces at `at`, but `most` at most.
    fn spaces(&self, at: usize, most: usize) -> usize {
        let bytes = self.rest(at).iter().take(most);
        bytes.take_while(|&&byte| byte == b' ').count()
    }

    pub(super) fn is_indicator(&self, at: usize, indicator: u8) -> bool {
        self.byte(at) == indicator && ends_word(self.byte(at + 1))
    }

    pub(super) fn line_behind(&self, at: usize) -> usize {
        memchr(b'\n', self.rest(at)).map_or(self.bytes.len(), |length| at + length + 1)
    }

    /// The line behind a line break at `at`.
    fn line_break(&self, at: usize) -> Option<usize> {
        match self.byte(at) {
            b'\n' => Some(at + 1),
            b'\r' => Some(at + 2),
            _ => None,
        }
    }

    /// The next line, where nothing but a comment follows in this one.
    fn next_line(&self, at: usize) -> Option<usize> {
        let next = self.skip_blanks(at);
        match self.byte(next) {
            b'#' => Some(self.line_behind(next)),
            _ => self.line_break(next),
        }
    }

    /// Goes to the first line from `line` on that holds more than a comment.
    fn open_line(&mut self, mut line: usize) {
        self.at = loop {
            let at = self.skip_spaces(line);
            if at >= self.bytes.len() {
                break at;
            }
            let next = match self.byte(at) {
                b'#' => Some(self.line_behind(at)),
                b'\t' => self.next_line(at),
                _ => self.line_break(at),
            };
            match next {
                Some(next) => line = next,
                None => break at,
            }
        };
        self.line = line;
    }

    /// Goes on behind a node that ends at `end`.
    fn close_line(&mut self, end: usize) -> Result<(), Unsure> {
        let next = self.next_line(end).ok_or(Unsure)?;
        self.open_line(next);
        Ok(())
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether a byte is part of a plain scalar whatever stands around it.
fn is_plain(byte: u8) -> bool {
    byte > b':' || !matches!(byte, b'\t' | b'\n' | b'\r' | b' ' | b'#' | b':')
}

/// Whether a byte makes an indicator of the character before it.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
