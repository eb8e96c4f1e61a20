//! Where the documents of a text stand.
//!
//! A marker is `---` or `...` at the start of a line, with white space behind it. No context hides one: block scalars and
//! plain scalars end there, and quoted or flow text that is still open is an error.

use std::ops::Range;

use memchr::{memchr, memmem};

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Characters that readers of YAML take differently: the parser ends the text at NUL, skips a byte order mark before a
/// document or refuses it, and others end a line at U+0085, U+2028 and U+2029.
const ODD: [&[u8]; 5] = [
    b"\0",
    "\u{85}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{2029}".as_bytes(),
    BYTE_ORDER_MARK.as_bytes(),
];

/// The ranges of the documents, as many as the parser finds: from behind the marker's line, or behind the marker where
/// more than a comment follows it there, to the line of the next marker.
///
/// `None` where there is a directive, or a character that readers of YAML take differently.
pub(super) fn split(text: &str) -> Option<Vec<Range<usize>>> {
    let mut start = if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let bytes = text.as_bytes();
    if has_odd_character(bytes.get(start..)?) {
        return None;
    }
    let mut documents = Vec::new();
    let mut is_marked = false;
    for end in markers(bytes, start).into_iter().chain([bytes.len()]) {
        match first_content(bytes.get(start..end)?) {
            None if !is_marked => {}
            Some(b'%') if !is_marked => return None,
            _ => documents.push(start..end),
        }
        is_marked = bytes.get(end) == Some(&b'-');
        start = behind(bytes, end + 3);
    }
    Some(documents)
}

/// The first byte that is neither white space nor in a comment.
fn first_content(mut text: &[u8]) -> Option<u8> {
    loop {
        text = text.trim_ascii_start();
        match text.first() {
            Some(b'#') => text = memchr(b'\n', text).and_then(|end| text.get(end..))?,
            first => return first.copied(),
        }
    }
}

/// The starts of the markers, in order.
fn markers(bytes: &[u8], start: usize) -> Vec<usize> {
    let behind_break = |needle| memmem::find_iter(bytes, needle).map(|at| at + 1);
    let is_marker = |at: &usize| {
        let line = bytes.get(*at..).unwrap_or_default();
        (line.starts_with(b"---") || line.starts_with(b"..."))
            && matches!(line.get(3), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
    };
    let mut markers: Vec<usize> = std::iter::once(start)
        .chain(behind_break(b"\n---"))
        .chain(behind_break(b"\n..."))
        .filter(is_marker)
        .collect();
    markers.sort_unstable();
    markers
}

/// Where the document of a marker begins that ends at `end`.
fn behind(bytes: &[u8], end: usize) -> usize {
    let rest = bytes.get(end..).unwrap_or_default();
    let line = rest
        .get(..=memchr(b'\n', rest).unwrap_or(rest.len()))
        .unwrap_or(rest);
    match line.trim_ascii_start().first() {
        None | Some(b'#') => end + line.len(),
        Some(_) => end,
    }
}

fn has_odd_character(bytes: &[u8]) -> bool {
    const CHUNK: usize = 64;
    let followers = bytes.get(1..).unwrap_or_default();
    let chunks = bytes.chunks(CHUNK).zip(followers.chunks(CHUNK));
    let mut at = 0;
    for (chunk, followers) in chunks {
        // Without a branch, so that it compiles to vector instructions.
        let may_be_odd = chunk
            .iter()
            .zip(followers)
            .fold(0, |found, (&byte, &next)| {
                found
                    | u8::from(matches!(byte, 0 | 0xc2 | 0xe2 | 0xef))
                    | (u8::from(byte == b'\r') & u8::from(next != b'\n'))
            });
        if may_be_odd != 0 && (at..at + chunk.len()).any(|at| is_odd(bytes, at)) {
            return true;
        }
        at += chunk.len();
    }
    bytes.last().is_some_and(|byte| matches!(byte, 0 | b'\r'))
}

fn is_odd(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at..).unwrap_or_default() {
        [b'\r', next, ..] => *next != b'\n',
        rest => ODD.iter().any(|odd| rest.starts_with(odd)),
    }
}
