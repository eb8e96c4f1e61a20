//! The command line: reads stdin, calls the library, writes stdout.

mod cli;

use std::error::Error;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use serde_json::json;

use flink_operator_rollout::argocd;
use flink_operator_rollout::function;
use flink_operator_rollout::function_config::read::{Layer, ReadLayer, config_of, file_layer};
use flink_operator_rollout::resource_list::utf8;
use flink_operator_rollout::results::{Outcome, Severity};
use flink_operator_rollout::stream::Stream;

use cli::{Cli, Command, Config};

/// Refused, out of date, or the output could not be written.
const FAILURE: u8 = 1;
/// Wrong usage.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    if io::stdin().is_terminal() {
        let _ = Cli::command().print_help();
        return ExitCode::from(USAGE);
    }
    let done = match cli.command {
        None => run_function(),
        Some(Command::Stream(options)) => run_stream(&options),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILURE),
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::from(FAILURE)
        }
    }
}

/// The KRM function. Whether the list was accepted.
fn run_function() -> Result<bool, Box<dyn Error>> {
    let input = read_stdin()?;
    let run = function::run(utf8(&input)?)?;
    report(&run.rollout.outcomes, Severity::Warning);
    write_stdout(|out| run.write(out))?;
    Ok(!run.rollout.is_refused())
}

/// A stream of manifests. Whether it was accepted and, with `--check`, is up to date.
fn run_stream(options: &cli::Stream) -> Result<bool, Box<dyn Error>> {
    let input = read_stdin()?;
    let source = utf8(&input)?;
    let stream = Stream::read(source)?;
    let rollout = stream.roll_out(config_of(layers(&options.config)?));
    report(
        &rollout.outcomes,
        if options.quiet {
            Severity::Error
        } else {
            Severity::Info
        },
    );
    if rollout.is_refused() {
        return Ok(false);
    }
    if !options.check {
        write_stdout(|out| stream.write(&rollout.edits, out))?;
        return Ok(true);
    }
    Ok(rollout.edits.is_empty())
}

/// The sources of the function config, first the weakest.
fn layers(config: &Config) -> Result<Vec<ReadLayer>, Box<dyn Error>> {
    let mut layers = Vec::new();
    if let Some(path) = &config.file {
        let text = std::fs::read_to_string(path).map_err(|error| {
            format!(
                "cannot read the function config {}: {error}",
                path.display()
            )
        })?;
        layers.push(file_layer(&text));
    }
    if config.argocd {
        layers.extend(argocd::layers(|name| std::env::var_os(name)));
    }
    let mut flags = serde_json::Map::new();
    if let Some(restart) = config.restart_on_config_change {
        flags.insert("restartOnConfigChange".to_owned(), json!(restart));
    }
    if !config.deployment_annotation.is_empty() {
        let annotations: serde_json::Map<_, _> = config
            .deployment_annotation
            .iter()
            .map(|(key, value)| (key.clone(), json!(value)))
            .collect();
        flags.insert("deploymentAnnotations".to_owned(), annotations.into());
    }
    layers.push(Layer::of_fields(flags));
    Ok(layers)
}

fn read_stdin() -> Result<Vec<u8>, String> {
    let mut input = Vec::new();
    match io::stdin().lock().read_to_end(&mut input) {
        Ok(_) => Ok(input),
        Err(error) => Err(format!("cannot read the input: {error}")),
    }
}

/// An exit code of 0 means that all of the output was written.
fn write_stdout(
    write: impl FnOnce(&mut io::StdoutLock<'_>) -> io::Result<()>,
) -> Result<(), String> {
    let mut out = io::stdout().lock();
    write(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| format!("cannot write the output: {error}"))
}

fn report(outcomes: &[Outcome], least: Severity) {
    for outcome in outcomes.iter().filter(|outcome| outcome.severity >= least) {
        say(&outcome.to_string());
    }
}

/// A line for a person. Where stderr is closed there is nobody to tell.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
