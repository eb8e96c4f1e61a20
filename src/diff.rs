//! What an edit changes, as a unified diff that `patch` and `git apply` take.

use std::io;
use std::ops::Range;

use similar::TextDiff;

/// Writes the difference of two texts; nothing where there is none.
///
/// It has no lines of context, in which a neighbouring Secret could be shown. Where one of `secrets`, ranges of the old
/// text, reaches into a line that changes, a note stands in place of the lines, and `patch` refuses that.
///
/// # Errors
///
/// Those of the writer.
pub fn write(
    old: &str,
    new: &str,
    secrets: &[Range<usize>],
    out: &mut impl io::Write,
) -> io::Result<()> {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let line_ends = ends(&old_lines);
    let is_secret = |line: usize| {
        let start = line
            .checked_sub(1)
            .map_or(Some(&0), |before| line_ends.get(before));
        let line = start.zip(line_ends.get(line));
        line.is_some_and(|(start, end)| {
            secrets
                .iter()
                .any(|secret| secret.start < *end && *start < secret.end)
        })
    };
    let diff = TextDiff::configure().diff_slices(&old_lines, &new_lines);
    let mut diff = diff.unified_diff();
    for (place, hunk) in diff.context_radius(0).iter_hunks().enumerate() {
        if place == 0 {
            writeln!(out, "--- input\n+++ output")?;
        }
        let mut changed = hunk.iter_changes().filter_map(|change| change.old_index());
        if changed.any(is_secret) {
            writeln!(out, "{} not shown: a Secret is on this line", hunk.header())?;
            continue;
        }
        writeln!(out, "{}", hunk.header())?;
        for change in hunk.iter_changes() {
            write!(out, "{}{}", change.tag(), change.value())?;
            if !change.value().ends_with('\n') {
                writeln!(out, "\n\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

/// The lines as `patch` counts them: a carriage return alone ends none.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Where each line ends, in bytes.
fn ends(lines: &[&str]) -> Vec<usize> {
    let add = |end: &mut usize, line: &&str| {
        *end += line.len();
        Some(*end)
    };
    lines.iter().scan(0, add).collect()
}
