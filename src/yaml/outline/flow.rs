//! The ends of quoted text and of flow collections, both of which go over lines without regard to columns.

use memchr::{memchr, memchr2};

use super::lexer::{Lexer, Unsure, ends_word};

impl Lexer<'_> {
    /// The end of quoted text.
    pub(super) fn quoted_end(&self, at: usize) -> Result<usize, Unsure> {
        let quote = self.byte(at);
        let mut next = at + 1;
        loop {
            let found = match quote {
                b'"' => memchr2(b'"', b'\\', self.rest(next)),
                _ => memchr(b'\'', self.rest(next)),
            };
            let found = next + found.ok_or(Unsure)?;
            let is_escape =
                self.byte(found) == b'\\' || (quote == b'\'' && self.byte(found + 1) == b'\'');
            if !is_escape {
                return Ok(found + 1);
            }
            next = found + 2;
        }
    }

    /// The end of a flow collection.
    pub(super) fn flow_end(&self, mut at: usize) -> Result<usize, Unsure> {
        let mut depth = 0_usize;
        loop {
            let end = match self.byte(at) {
                b'[' | b'{' => {
                    depth += 1;
                    at + 1
                }
                b']' | b'}' if depth == 1 => return Ok(at + 1),
                b']' | b'}' => {
                    depth -= 1;
                    at + 1
                }
                b',' => at + 1,
                b':' if self.is_indicator(at, b':') => at + 1,
                // With white space around, it depends on what came before.
                b':' => return Err(Unsure),
                b'"' | b'\'' => {
                    let end = self.quoted_end(at)?;
                    end + usize::from(self.byte(end) == b':')
                }
                _ if self.starts_plain(at) => self.flow_plain_end(at)?,
                _ => return Err(Unsure),
            };
            at = self.skip_flow_space(end)?;
        }
    }

    /// The end of a plain scalar in a flow collection. White space and quotes are part of it.
    fn flow_plain_end(&self, mut at: usize) -> Result<usize, Unsure> {
        loop {
            match self.byte(at) {
                b':' if self.is_indicator(at, b':') => return Ok(at),
                byte if is_flow_indicator(byte) => return Ok(at),
                byte if ends_word(byte) => {
                    let next = self.skip_white(at)?;
                    if self.byte(next) == b'#' {
                        // Behind a tab at the start of a line the scalar goes on after the comment.
                        let white = self.rest(at).get(..next - at);
                        let has_tab = white.is_some_and(|white| white.contains(&b'\t'));
                        return if has_tab { Err(Unsure) } else { Ok(at) };
                    }
                    at = next;
                }
                _ => at += 1,
            }
        }
    }

    /// Skips white space and comments.
    fn skip_flow_space(&self, mut at: usize) -> Result<usize, Unsure> {
        loop {
            at = self.skip_white(at)?;
            if self.byte(at) != b'#' {
                return Ok(at);
            }
            at = self.line_behind(at);
        }
    }

    /// Skips blanks and line breaks. The text does not end in a flow collection.
    fn skip_white(&self, at: usize) -> Result<usize, Unsure> {
        let white = self.rest(at).iter().position(|&byte| !ends_word(byte));
        white.map(|length| at + length).ok_or(Unsure)
    }
}

fn is_flow_indicator(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
}
