//! What the command line takes.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Rolls the Flink Kubernetes Operator when its configuration changes, and annotates its Deployment
#[derive(Debug, Parser)]
#[command(version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Edit a stream of YAML or JSON manifests from stdin: Helm post-renderer, Argo CD plugin, pipe
    Stream(Stream),
}

#[derive(Debug, Args)]
pub(crate) struct Stream {
    #[command(flatten)]
    pub(crate) config: Config,
    /// Write nothing, and exit 1 if the output would differ from the input
    #[arg(long)]
    pub(crate) check: bool,
    /// With --check, print what would change as a unified diff
    #[arg(long, requires = "check")]
    pub(crate) diff: bool,
    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Where the function config comes from. Flags win over the environment, the environment over the file.
#[derive(Debug, Args)]
pub(crate) struct Config {
    /// File with the function config: an `OperatorRollout`, or a `ConfigMap` with the same fields in `data`
    #[arg(long = "config", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Take the options of an Argo CD plugin from `ARGOCD_APP_PARAMETERS` and `ARGOCD_ENV_*`
    #[arg(long)]
    pub(crate) argocd: bool,
    /// Put a checksum of the configuration on the pod template
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    pub(crate) restart_on_config_change: Option<bool>,
    /// Put an annotation on the Deployment itself; may be given more than once
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) deployment_annotation: Vec<(String, String)>,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err("expected KEY=VALUE".to_owned()),
    }
}
