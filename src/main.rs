//! The command line: reads stdin, calls the library, writes stdout.

mod cli;

use std::error::Error;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _, ValueEnum as _};

use flink_operator_rollout::function_config::read::config_of;
use flink_operator_rollout::resource_list::{InputError, utf8};
use flink_operator_rollout::results::{Outcome, Severity};
use flink_operator_rollout::rollout::invalid_config;
use flink_operator_rollout::{explain, function, schema, stream};

use cli::{Cli, Command, Output};

/// Refused, out of date, or the output could not be written.
const FAILURE: u8 = 1;
/// Wrong usage.
const USAGE: u8 = 2;

/// Whether all is well; an error is what kept the program from telling.
type Done = Result<bool, Box<dyn Error>>;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => return print_answer(&answer),
    };
    let done = match &cli.command {
        Some(Command::Schema) => print_schema(),
        Some(Command::Completions { shell }) => print_completions(*shell),
        Some(Command::Man { page }) => print_manual(*page),
        None | Some(Command::Stream(_) | Command::Explain(_)) if io::stdin().is_terminal() => {
            let _ = Cli::command().print_help();
            return ExitCode::from(USAGE);
        }
        None => run_function(),
        Some(Command::Stream(options)) => run_stream(options),
        Some(Command::Explain(options)) => explain(options),
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

/// The help or the version, asked for or after wrong usage.
fn print_answer(answer: &clap::Error) -> ExitCode {
    match answer.print() {
        Err(error) if !answer.use_stderr() => {
            say(&format!("error: {}", unwritten(error)));
            ExitCode::from(FAILURE)
        }
        _ if answer.use_stderr() => ExitCode::from(USAGE),
        _ => ExitCode::SUCCESS,
    }
}

/// The KRM function: all is well where the list was accepted.
fn run_function() -> Done {
    let input = read_stdin()?;
    let run = function::run(utf8(&input)?)?;
    report(&run.rollout.outcomes, Severity::Warning);
    write_stdout(|out| run.write(out))?;
    Ok(!run.rollout.is_refused())
}

/// A stream of manifests: all is well where it was accepted and, with `--check`, is up to date.
fn run_stream(options: &cli::Stream) -> Done {
    let input = read_stdin()?;
    let source = utf8(&input)?;
    let least = if options.quiet {
        Severity::Error
    } else {
        Severity::Info
    };
    let config = match config_of(options.config.layers()) {
        Ok(config) => config,
        Err(faults) => {
            report(&invalid_config(None, faults).outcomes, least);
            return Ok(false);
        }
    };
    let run = stream::run(source, &config).map_err(InputError::from)?;
    report(&run.rollout.outcomes, least);
    if run.rollout.is_refused() {
        return Ok(false);
    }
    if !options.check {
        write_stdout(|out| run.write(out))?;
        return Ok(true);
    }
    if options.diff {
        write_stdout(|out| run.write_diff(out))?;
    }
    let up_to_date = run.rollout.edits.is_empty();
    if !up_to_date {
        say("error: the input is out of date: the output would differ from it");
    }
    Ok(up_to_date)
}

fn explain(options: &cli::Explain) -> Done {
    let input = read_stdin()?;
    let explanation = explain::explain(utf8(&input)?, options.config.layers())?;
    match options.output {
        Output::Text => {
            let mut out = anstream::AutoStream::auto(io::stdout().lock());
            write!(out, "{explanation}")
                .and_then(|()| out.flush())
                .map_err(unwritten)?;
        }
        Output::Json => write_stdout(|out| {
            serde_json::to_writer_pretty(&mut *out, &explanation)?;
            writeln!(out)
        })?,
    }
    Ok(!explanation.is_refused())
}

fn print_schema() -> Done {
    write_stdout(|out| writeln!(out, "{:#}", schema::json_schema()))?;
    Ok(true)
}

fn print_completions(shell: cli::Shell) -> Done {
    let mut script = Vec::new();
    let name = env!("CARGO_PKG_NAME");
    clap_complete::generate(
        clap_complete::Shell::from(shell),
        &mut Cli::command(),
        name,
        &mut script,
    );
    let mut script = String::from_utf8(script)?;
    if matches!(shell, cli::Shell::Bash) {
        // clap_complete spells a name with hyphens in two ways, so that nothing behind a subcommand would be completed:
        // https://github.com/clap-rs/clap/issues/6421. Once that is mended, this changes nothing.
        script = script.replace(&name.replace('-', "__subcmd__"), &name.replace('-', "__"));
    }
    write_stdout(|out| out.write_all(script.as_bytes()))?;
    Ok(true)
}

fn print_manual(page: Option<cli::Page>) -> Done {
    // clap's own `help` has no page.
    let mut command = Cli::command().disable_help_subcommand(true);
    // Gives the subcommands their full names.
    command.build();
    let name = page.and_then(|page| page.to_possible_value());
    let page = name.and_then(|name| command.find_subcommand(name.get_name()));
    let page = clap_mangen::Man::new(page.cloned().unwrap_or(command)).source(concat!(
        env!("CARGO_PKG_NAME"),
        " ",
        env!("CARGO_PKG_VERSION")
    ));
    write_stdout(|out| page.render(out))?;
    Ok(true)
}

/// The most that is read, in bytes: what a machine of ordinary size can hold, parsed, in memory.
const INPUT_LIMIT: u64 = 1024 * 1024 * 1024;

fn read_stdin() -> Result<Vec<u8>, String> {
    let mut input = Vec::new();
    io::stdin()
        .lock()
        .take(INPUT_LIMIT + 1)
        .read_to_end(&mut input)
        .map_err(|error| format!("cannot read the input: {error}"))?;
    if input.len() as u64 > INPUT_LIMIT {
        return Err("the input is larger than 1 GiB; split it".to_owned());
    }
    Ok(input)
}

/// An exit code of 0 means that all of the output was written.
fn write_stdout(
    write: impl FnOnce(&mut io::StdoutLock<'_>) -> io::Result<()>,
) -> Result<(), String> {
    let mut out = io::stdout().lock();
    write(&mut out)
        .and_then(|()| out.flush())
        .map_err(unwritten)
}

#[expect(clippy::needless_pass_by_value, reason = "taken by map_err")]
fn unwritten(error: io::Error) -> String {
    format!("cannot write the output: {error}")
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
