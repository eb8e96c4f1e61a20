//! The layout of an explanation for a person.

use std::fmt::{self, Display};

use anstyle::{AnsiColor, Style};

use super::{ChecksumView, Explanation, KeyView, OperatorView, OptionView, SourceView, is_refused};
use crate::results::{Field, Outcome, Reason, Severity};

const HEADING: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const FAINT: Style = Style::new().dimmed();
const CAUTION: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// The column at which texts begin, behind their labels.
const MARGIN: usize = 14;
/// The column at which they are wrapped; a word longer than a line stays whole.
const WIDTH: usize = 100;

/// The text, with terminal escapes for colour; who writes it strips them where they are not wanted.
impl Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for operator in &self.operators {
            write_operator(f, operator)?;
            writeln!(f)?;
        }
        let switch = self.config.restart_on_config_change;
        write_results(f, &self.results, switch)?;
        if !self.results_when_switched_on.is_empty() {
            writeln!(f)?;
            write_results(f, &self.results_when_switched_on, true)?;
        }
        Ok(())
    }
}

fn write_operator(f: &mut fmt::Formatter<'_>, operator: &OperatorView) -> fmt::Result {
    heading(f, &format!("{} ({})", operator.deployment, operator.place))?;
    row(f, FAINT, "found by", &operator.found_by)?;
    for source in &operator.sources {
        write_source(f, source)?;
    }
    match (&operator.problem, &operator.checksum) {
        (Some(problem), _) => row(f, BAD, "checksum", &format!("none: {problem}"))?,
        (None, Some(checksum)) => write_checksum(f, checksum)?,
        (None, None) => row(
            f,
            CAUTION,
            "no checksum",
            "no source is among the manifests",
        )?,
    }
    if let Some(restart) = &operator.restart {
        let meaning = format!("strategy {}: {}", restart.strategy, restart.meaning);
        row(f, FAINT, "a restart", &meaning)?;
    }
    Ok(())
}

fn write_source(f: &mut fmt::Formatter<'_>, source: &SourceView) -> fmt::Result {
    let (style, place) = match &source.place {
        Some(place) => (FAINT, format!(" ({place})")),
        None => (CAUTION, ", not among the manifests".to_owned()),
    };
    row(f, style, "source", &format!("{}{place}", source.name))?;
    for reference in &source.references {
        row(f, FAINT, "", reference)?;
    }
    let name_width = source.keys.iter().map(|key| key.key.len()).max();
    for key in &source.keys {
        write_key(f, key, name_width.unwrap_or_default())?;
    }
    Ok(())
}

fn write_key(f: &mut fmt::Formatter<'_>, key: &KeyView, name_width: usize) -> fmt::Result {
    let (style, label) = if key.counts {
        (GOOD, "  counts")
    } else {
        (FAINT, "  left out")
    };
    let size = format!("{:<name_width$}  {:>6} bytes", visible(&key.key), key.bytes);
    line(f, style, label, &size)?;
    // The options of each kind together, so that the reason is told once.
    let mut kinds: Vec<(bool, &str)> = Vec::new();
    for option in &key.options {
        let kind = (option.counts, option.why.as_str());
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.sort_by_key(|(counts, _)| !counts);
    for (counts, why) in kinds {
        let of_kind = |option: &&OptionView| option.counts == counts && option.why == why;
        let mark = if counts { "counts" } else { "left out" };
        row(f, style, "", &format!("{mark}, {why}:"))?;
        for option in key.options.iter().filter(of_kind) {
            line(f, style, "", &format!("  {}", visible(&option.option)))?;
        }
    }
    Ok(())
}

fn write_checksum(f: &mut fmt::Formatter<'_>, checksum: &ChecksumView) -> fmt::Result {
    row(f, FAINT, "covers", &format!("{:?}", checksum.covers))?;
    row(f, FAINT, "checksum", &checksum.value)?;
    let Some(command) = &checksum.command else {
        let text = "no simple command gives this sum from a cluster; with covers: Data or Mounted one does";
        return row(f, FAINT, "check with", text);
    };
    // Broken where a shell reads on, so that it can be pasted.
    let command = command.replace(" | ", " |\n").replace("; ", ";\n");
    for (index, part) in command.lines().enumerate() {
        let label = if index == 0 { "check with" } else { "" };
        line(f, FAINT, label, part)?;
    }
    Ok(())
}

/// What would change, then what else there is to say.
fn write_results(f: &mut fmt::Formatter<'_>, results: &[Outcome], switch: bool) -> fmt::Result {
    let what = if is_refused(results) {
        "Nothing would change"
    } else {
        "What would change"
    };
    heading(f, &format!("{what} with restartOnConfigChange: {switch}"))?;
    let (changes, notes): (Vec<&Outcome>, Vec<&Outcome>) = results
        .iter()
        .partition(|result| change(result.tags.reason).is_some());
    let mut resource = None;
    for result in changes.into_iter().chain(notes) {
        if let Some(next) = &result.resource_ref
            && resource != Some(next)
        {
            writeln!(f, "  {}", visible(&next.to_string()))?;
            resource = Some(next);
        }
        write_result(f, result)?;
    }
    Ok(())
}

/// What a result says of an annotation; none for one that says something else.
fn change(reason: Reason) -> Option<(Style, &'static str)> {
    match reason {
        Reason::ChecksumAdded | Reason::AnnotationAdded => Some((GOOD, "add")),
        Reason::ChecksumUpdated | Reason::AnnotationUpdated => Some((CAUTION, "change")),
        Reason::ChecksumUnchanged | Reason::AnnotationUnchanged => Some((FAINT, "unchanged")),
        _ => None,
    }
}

fn write_result(f: &mut fmt::Formatter<'_>, result: &Outcome) -> fmt::Result {
    if let (Some((style, label)), Some(field)) = (change(result.tags.reason), &result.field) {
        return row(f, style, label, &changed(field));
    }
    let style = match result.severity {
        Severity::Info => GOOD,
        Severity::Warning => CAUTION,
        Severity::Error => BAD,
    };
    let text = format!("{} ({:?})", result.message, result.tags.reason);
    row(f, style, &result.severity.to_string(), &text)
}

fn changed(field: &Field) -> String {
    let path = &field.path;
    match (&field.current_value, &field.proposed_value) {
        (Some(current), Some(proposed)) => format!("{path}: {current} to {proposed}"),
        (None, Some(value)) | (Some(value), None) => format!("{path}: {value}"),
        (None, None) => path.clone(),
    }
}

fn heading(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    writeln!(f, "{HEADING}{}{HEADING:#}", visible(text))
}

/// A label and a text, wrapped.
fn row(f: &mut fmt::Formatter<'_>, style: Style, label: &str, text: &str) -> fmt::Result {
    let mut label = label;
    let mut part = String::new();
    for word in visible(text).split(' ') {
        let width = part.chars().count() + 1 + word.chars().count();
        if !part.is_empty() && MARGIN + width > WIDTH {
            line(f, style, label, &part)?;
            label = "";
            part.clear();
        }
        if !part.is_empty() {
            part.push(' ');
        }
        part.push_str(word);
    }
    line(f, style, label, &part)
}

fn line(f: &mut fmt::Formatter<'_>, style: Style, label: &str, text: &str) -> fmt::Result {
    let width = MARGIN - 2;
    match label {
        "" => writeln!(f, "{:MARGIN$}{text}", ""),
        label => writeln!(f, "  {style}{label:<width$}{style:#}{text}"),
    }
}

/// With each control character escaped, which a name may hold and a terminal would obey.
fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            visible.extend(c.escape_default());
        } else {
            visible.push(c);
        }
    }
    visible
}
