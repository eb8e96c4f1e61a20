//! The layout of an explanation for a person.

use std::fmt::{self, Display};

use anstyle::{AnsiColor, Style};

use super::{ChecksumView, Explanation, OperatorView, SourceView};
use crate::results::Severity;

const HEADING: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const FAINT: Style = Style::new().dimmed();
const CAUTION: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// The text, with terminal escapes for colour; who writes it strips them where they are not wanted.
impl Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for operator in &self.operators {
            write_operator(f, operator)?;
        }
        writeln!(f, "{HEADING}With this function config{HEADING:#}")?;
        row(
            f,
            "restartOnConfigChange",
            self.config.restart_on_config_change,
        )?;
        row(
            f,
            "deploymentAnnotations",
            self.config.deployment_annotations.len(),
        )?;
        writeln!(f, "  it says")?;
        for result in &self.results {
            let style = match result.severity {
                Severity::Info => GOOD,
                Severity::Warning => CAUTION,
                Severity::Error => BAD,
            };
            writeln!(
                f,
                "    {style}{}{style:#}: {} ({:?})",
                result.severity, result.message, result.tags.reason
            )?;
        }
        Ok(())
    }
}

fn write_operator(f: &mut fmt::Formatter<'_>, operator: &OperatorView) -> fmt::Result {
    writeln!(
        f,
        "{HEADING}{}{HEADING:#} {FAINT}{}{FAINT:#}",
        operator.deployment, operator.place
    )?;
    row(f, "found by", &operator.found_by)?;
    for source in &operator.sources {
        write_source(f, source)?;
    }
    match (&operator.problem, &operator.checksum) {
        (Some(problem), _) => row(f, "checksum", format_args!("{BAD}none{BAD:#}: {problem}"))?,
        (None, Some(checksum)) => write_checksum(f, checksum)?,
        (None, None) => {
            row(
                f,
                "checksum",
                format_args!("{CAUTION}none{CAUTION:#}: no source is among the manifests"),
            )?;
        }
    }
    if let Some(restart) = &operator.restart {
        row(
            f,
            "a restart",
            format_args!("strategy {}: {}", restart.strategy, restart.meaning),
        )?;
    }
    writeln!(f)
}

fn write_source(f: &mut fmt::Formatter<'_>, source: &SourceView) -> fmt::Result {
    match &source.place {
        Some(place) => row(
            f,
            "source",
            format_args!("{} {FAINT}{place}{FAINT:#}", source.name),
        )?,
        None => row(
            f,
            "source",
            format_args!(
                "{} {CAUTION}not among the manifests{CAUTION:#}",
                source.name
            ),
        )?,
    }
    for reference in &source.references {
        row(f, "", reference)?;
    }
    for key in &source.keys {
        let mark = mark(key.counts);
        row(
            f,
            "",
            format_args!("{mark}  {} ({} bytes)", key.key, key.bytes),
        )?;
        for option in &key.options {
            let mark = self::mark(option.counts);
            row(
                f,
                "",
                format_args!("  {mark}  {} {FAINT}{}{FAINT:#}", option.option, option.why),
            )?;
        }
    }
    Ok(())
}

fn write_checksum(f: &mut fmt::Formatter<'_>, checksum: &ChecksumView) -> fmt::Result {
    let change = match &checksum.current {
        Some(current) if *current == checksum.value => format!("{GOOD}already there{GOOD:#}"),
        Some(current) => format!("{CAUTION}{current} is there{CAUTION:#}"),
        None => format!("{CAUTION}not there yet{CAUTION:#}"),
    };
    row(
        f,
        "checksum",
        format_args!("{}: {} ({change})", checksum.annotation, checksum.value),
    )?;
    row(f, "covers", format_args!("{:?}", checksum.covers))?;
    match &checksum.command {
        Some(command) => row(f, "check it with", command),
        None => row(
            f,
            "check it with",
            "no simple command gives this sum from a cluster; covers Data or Mounted have one",
        ),
    }
}

fn mark(counts: bool) -> String {
    let (style, text) = if counts {
        (GOOD, "counts")
    } else {
        (FAINT, "does not count")
    };
    format!("{style}{text:<14}{style:#}")
}

/// A line of two columns.
fn row(f: &mut fmt::Formatter<'_>, label: &str, value: impl Display) -> fmt::Result {
    writeln!(f, "  {label:<22}{value}")
}
