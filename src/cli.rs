//! What the command line takes.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde_json::{Map, json};

use flink_operator_rollout::argocd;
use flink_operator_rollout::function_config::read::{Fault, Layer, ReadLayer, file_layer};

/// Rolls the Flink Kubernetes Operator when its configuration changes, and annotates its Deployment
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, about, after_long_help = include_str!("help.txt"))]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Edit a stream of YAML or JSON manifests from stdin: Helm post-renderer, Argo CD plugin, pipe
    Stream(Stream),
    /// Tell what would be done and why, for a `ResourceList` or a stream of manifests on stdin
    Explain(Explain),
    /// Print the JSON Schema of the function config
    Schema,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or that of a subcommand, such as flink-operator-rollout-stream(1)
    Man {
        /// The subcommand
        #[arg(value_name = "SUBCOMMAND")]
        page: Option<Page>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) config: Config,
    /// The form of the answer
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) output: Output,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Output {
    /// For a person, with colour on a terminal unless `NO_COLOR` is set
    #[default]
    Text,
    /// For a script
    Json,
}

/// Shells with completions.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl From<Shell> for clap_complete::Shell {
    fn from(shell: Shell) -> Self {
        match shell {
            Shell::Bash => Self::Bash,
            Shell::Zsh => Self::Zsh,
            Shell::Fish => Self::Fish,
        }
    }
}

/// Subcommands, each of which has a manual page.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Page {
    Stream,
    Explain,
    Schema,
    Completions,
    Man,
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

impl Config {
    /// The sources of the function config, first the weakest.
    pub(crate) fn layers(&self) -> Vec<ReadLayer> {
        let mut layers = Vec::new();
        if let Some(path) = &self.file {
            layers.push(match std::fs::read_to_string(path) {
                Ok(text) => file_layer(&text),
                Err(error) => {
                    let fault = format!("cannot read the file {}: {error}", path.display());
                    Err(vec![Fault::of_all(fault)])
                }
            });
        }
        if self.argocd {
            layers.extend(argocd::layers(|name| std::env::var_os(name)));
        }
        layers.push(self.flags());
        layers
    }

    fn flags(&self) -> ReadLayer {
        let mut fields = Map::new();
        if let Some(restart) = self.restart_on_config_change {
            fields.insert("restartOnConfigChange".to_owned(), json!(restart));
        }
        let annotations = self.deployment_annotation.iter();
        let annotations: Map<_, _> = annotations
            .map(|(key, value)| (key.clone(), json!(value)))
            .collect();
        if !annotations.is_empty() {
            fields.insert("deploymentAnnotations".to_owned(), annotations.into());
        }
        Layer::of_fields(fields)
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err("expected KEY=VALUE".to_owned()),
    }
}
