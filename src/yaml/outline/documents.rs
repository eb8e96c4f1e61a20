//! Where the documents of a text stand.
//!
//! A marker is `---` or `...` at the start of a line, with white space behind it. No context hides one: block scalars and
//! plain scalars end there, and quoted or flow text that is still open is an error.

use std::ops::Range;

use memchr::{memchr, memmem};

const BYTE_ORDER_MARK: &str = "\u{feff}";

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
    let behind = |count: usize| bytes.get(count..).unwrap_or_default();
    let all = bytes.iter().zip(behind(1)).zip(behind(2));
    let odd = all.fold(0, |odd, ((first, second), third)| {
        odd | is_odd(*first, *second, *third)
    });
    let last: Vec<u8> = [behind(bytes.len().saturating_sub(2)), b"  "].concat();
    let last = last
        .iter()
        .zip(last.iter().skip(1))
        .zip(last.iter().skip(2));
    let is_odd = last.fold(odd, |odd, ((first, second), third)| {
        odd | is_odd(*first, *second, *third)
    });
    is_odd != 0
}

/// Not 0 for three bytes that begin with an odd character. Without a branch, so that it compiles to vector instructions.
fn is_odd(first: u8, second: u8, third: u8) -> u8 {
    let nul = u8::from(first == 0);
    let carriage_return_alone = u8::from(first == b'\r') & u8::from(second != b'\n');
    let next_line = u8::from(first == 0xc2) & u8::from(second == 0x85);
    let separator =
        u8::from(first == 0xe2) & u8::from(second == 0x80) & u8::from(third | 1 == 0xa9);
    let byte_order_mark =
        u8::from(first == 0xef) & u8::from(second == 0xbb) & u8::from(third == 0xbf);
    nul | carriage_return_alone | next_line | separator | byte_order_mark
}
