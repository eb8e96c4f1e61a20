//! The command line: reads stdin, calls the library, writes stdout.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser};

use flink_operator_rollout::function;
use flink_operator_rollout::resource_list::utf8;
use flink_operator_rollout::results::{Outcome, Severity};

/// Wrong usage.
const USAGE: u8 = 2;
/// Refused, or the output could not be written.
const REFUSED: u8 = 1;

/// Rolls the Flink Kubernetes Operator when its configuration changes, and annotates its Deployment
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {}

fn main() -> ExitCode {
    let Cli {} = Cli::parse();
    if io::stdin().is_terminal() {
        let _ = Cli::command().print_help();
        return ExitCode::from(USAGE);
    }
    match function() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(REFUSED),
        Err(error) => {
            report(error.as_ref());
            ExitCode::from(REFUSED)
        }
    }
}

/// The KRM function. Whether the list was accepted.
fn function() -> Result<bool, Box<dyn std::error::Error>> {
    let input = read_stdin()?;
    let run = function::run(utf8(&input)?)?;
    for outcome in run
        .rollout
        .outcomes
        .iter()
        .filter(|outcome| outcome.severity > Severity::Info)
    {
        say(outcome);
    }
    let mut out = io::stdout().lock();
    run.write(&mut out)
        .and_then(|()| out.flush())
        .map_err(WriteError)?;
    Ok(!run.rollout.is_refused())
}

fn read_stdin() -> Result<Vec<u8>, ReadError> {
    let mut input = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut input)
        .map_err(ReadError)?;
    Ok(input)
}

#[derive(Debug, thiserror::Error)]
#[error("cannot read the input: {0}")]
struct ReadError(io::Error);

#[derive(Debug, thiserror::Error)]
#[error("cannot write the output: {0}")]
struct WriteError(io::Error);

#[expect(
    clippy::print_stderr,
    reason = "where the protocol has messages for people"
)]
fn say(outcome: &Outcome) {
    eprintln!("{outcome}");
}

#[expect(
    clippy::print_stderr,
    reason = "where the protocol has messages for people"
)]
fn report(error: &dyn std::error::Error) {
    eprintln!("error: {error}");
}
