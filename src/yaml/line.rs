//! Lines and columns of a text, by byte offset. YAML's line breaks are LF, CR LF and CR.

/// How many characters stand before a byte in its line; a byte order mark is none.
pub(super) fn column(source: &str, offset: usize) -> usize {
    let before = source.get(..offset).unwrap_or_default();
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    line.trim_start_matches('\u{feff}').chars().count()
}

/// The end of a line.
pub(super) struct LineEnd<'s> {
    /// Behind its last character.
    pub(super) text_end: usize,
    /// Behind its line break; the same where it has none.
    pub(super) next_line: usize,
    /// Its line break, or the first of the text where it has none.
    pub(super) newline: &'s str,
}

/// The end of the line that holds a byte.
pub(super) fn line_end(source: &str, offset: usize) -> LineEnd<'_> {
    let rest = source.get(offset..).unwrap_or_default();
    if let Some(at) = rest.find(['\n', '\r']) {
        let newline = line_break_at(rest, at);
        let text_end = offset + at;
        return LineEnd {
            text_end,
            next_line: text_end + newline.len(),
            newline,
        };
    }
    let first = source.find(['\n', '\r']);
    LineEnd {
        text_end: source.len(),
        next_line: source.len(),
        newline: first.map_or("\n", |first| line_break_at(source, first)),
    }
}

fn line_break_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let length = if rest.starts_with("\r\n") { 2 } else { 1 };
    rest.get(..length).unwrap_or("\n")
}

pub(super) fn line_break_before(source: &str, line_start: usize) -> &str {
    let before = source.get(..line_start).unwrap_or_default();
    let length = if before.ends_with("\r\n") { 2 } else { 1 };
    before
        .get(before.len().saturating_sub(length)..)
        .filter(|text| !text.is_empty())
        .unwrap_or("\n")
}

/// The first byte from `offset` on that is neither white space nor part of a comment.
pub(super) fn skip_blank(source: &str, mut offset: usize) -> usize {
    loop {
        let rest = source.get(offset..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
        offset += blank;
        let rest = source.get(offset..).unwrap_or_default();
        if !rest.starts_with('#') {
            return offset;
        }
        offset = line_end(source, offset).text_end;
    }
}
