//! What the function would do and why, for a person who decides whether to switch it on.

mod text;
mod verify;

use serde::Serialize;

use crate::checksum;
use crate::configuration::{Configuration, Source};
use crate::covered::Covered;
use crate::decision::POD_ANNOTATIONS;
use crate::function_config::read::{Fault, ReadLayer, config_of, layer_of};
use crate::function_config::{Covers, OperatorRollout};
use crate::items::Items;
use crate::operator::{Operator, operator, word_in_manifest};
use crate::options::restart::Verdict;
use crate::references::{Use, Way};
use crate::resource::{Resource, WrongType};
use crate::resource_list::{InputError, ResourceList};
use crate::results::{Outcome, Severity};
use crate::rollout::{invalid_config, roll_out};
use crate::stream::{self, Stream};

/// What would happen to an input.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The function config with all defaults.
    pub config: OperatorRollout,
    /// Each operator Deployment.
    pub operators: Vec<OperatorView>,
    /// What the function would say.
    pub results: Vec<Outcome>,
    /// What it would say with `restartOnConfigChange`, where that is off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results_when_switched_on: Vec<Outcome>,
}

/// One operator Deployment.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperatorView {
    /// Kind, namespace and name.
    pub deployment: String,
    /// Where the manifest stands.
    pub place: String,
    /// What tells that it is an operator.
    pub found_by: String,
    /// What keeps the rest from being told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Each ConfigMap and Secret that the checksum is to cover.
    pub sources: Vec<SourceView>,
    /// The checksum; none where no source is among the manifests.
    pub checksum: Option<ChecksumView>,
    /// What a restart would mean.
    pub restart: Option<RestartView>,
}

/// A ConfigMap or Secret that the pod reads.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceView {
    /// Kind and name.
    pub name: String,
    /// Where the manifest stands; none where it is not among the manifests.
    pub place: Option<String>,
    /// Each place that refers to it.
    pub references: Vec<String>,
    /// Its keys. The content is never shown.
    pub keys: Vec<KeyView>,
}

/// A key of a source.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyView {
    /// The key.
    pub key: String,
    /// The size of its value in bytes (binary values and Secrets as base64): that in the checksum's line, where it counts.
    pub bytes: usize,
    /// Whether a change to it changes the checksum.
    pub counts: bool,
    /// The options in it, where the checksum covers only those that need a restart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<OptionView>,
}

/// An option of the operator.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OptionView {
    /// Its key.
    pub option: String,
    /// Whether a change to it changes the checksum.
    pub counts: bool,
    /// Why.
    pub why: String,
}

/// The checksum of a Deployment.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChecksumView {
    /// The annotation's key.
    pub annotation: String,
    /// The value that is there.
    pub current: Option<String>,
    /// The value that belongs there.
    pub value: String,
    /// What of each source is hashed.
    pub covers: Covers,
    /// A command that gives the same sum from a cluster; none where no simple one does.
    pub command: Option<String>,
}

/// What a restart means.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestartView {
    /// `spec.strategy.type`.
    pub strategy: String,
    /// Whether the pod runs the admission webhook.
    pub webhook: bool,
    /// What follows from both.
    pub meaning: &'static str,
}

/// Explains a `ResourceList` or a stream, with more layers of function config than it brings itself.
///
/// # Errors
///
/// Text that is neither.
pub fn explain(source: &str, layers: Vec<ReadLayer>) -> Result<Explanation, InputError> {
    let stream = Stream::read(source)?;
    if stream.is_resource_list {
        let list = ResourceList::read(source)?;
        let own = list.function_config().map(layer_of);
        return Ok(of_items(
            &list.items(),
            config_of(own.into_iter().chain(layers)),
        ));
    }
    let mut explanation = of_items(&stream.items, config_of(layers));
    if stream.is_empty {
        explanation.results = stream::run_parsed(source, &explanation.config)?
            .rollout
            .outcomes;
        explanation.results_when_switched_on.clear();
    }
    Ok(explanation)
}

fn of_items(items: &Items<'_>, config: Result<OperatorRollout, Vec<Fault>>) -> Explanation {
    match config {
        Ok(config) => Explanation {
            results: roll_out(items, &config).outcomes,
            results_when_switched_on: when_switched_on(items, &config),
            operators: items
                .deployments(word_in_manifest(&config.target))
                .filter_map(|item| {
                    let operator = operator(item.resource(), &config.target).ok()??;
                    Some(operator_view(items, &operator, &config))
                })
                .collect(),
            config,
        },
        Err(faults) => Explanation {
            config: OperatorRollout::default(),
            operators: Vec::new(),
            results: invalid_config(None, faults).outcomes,
            results_when_switched_on: Vec::new(),
        },
    }
}

fn when_switched_on(items: &Items<'_>, config: &OperatorRollout) -> Vec<Outcome> {
    if config.restart_on_config_change {
        return Vec::new();
    }
    let config = OperatorRollout {
        restart_on_config_change: true,
        ..config.clone()
    };
    roll_out(items, &config).outcomes
}

impl Explanation {
    /// Whether something keeps the function from doing its work.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        is_refused(&self.results)
    }
}

fn is_refused(results: &[Outcome]) -> bool {
    results
        .iter()
        .any(|result| result.severity == Severity::Error)
}

fn operator_view(
    items: &Items<'_>,
    operator: &Operator<'_>,
    config: &OperatorRollout,
) -> OperatorView {
    let deployment = operator.deployment;
    let container = operator.container().ok().flatten();
    let (path, name) = container.unwrap_or(("spec.template.spec.containers", ""));
    let mut view = OperatorView {
        deployment: described(deployment),
        place: place(deployment),
        found_by: format!("container {name} {} ({path})", operator.evidence),
        problem: None,
        sources: Vec::new(),
        checksum: None,
        restart: restart_view(operator).ok(),
    };
    if let Err(problem) = add_configuration(&mut view, items, operator, config) {
        view.problem = Some(problem);
    }
    view
}

fn add_configuration(
    view: &mut OperatorView,
    items: &Items<'_>,
    operator: &Operator<'_>,
    config: &OperatorRollout,
) -> Result<(), String> {
    let covers = config.checksum.covers;
    let configuration = Configuration::of(operator, items, config.checksum.sources)
        .map_err(|error| error.to_string())?;
    let covered = Covered::of(&configuration, covers).map_err(|error| error.to_string())?;
    for (place, source) in configuration.sources.iter().enumerate() {
        let options = |key: &str| covered.restart.as_ref()?.options(place, key);
        let line = covered
            .lines
            .iter()
            .find(|(of, _)| std::ptr::eq(*of, source));
        let hashed = line.map_or_else(Vec::new, |(_, line)| line.keys.clone());
        view.sources
            .push(source_view(source, &hashed, options).map_err(|error| error.to_string())?);
    }
    if !covered.lines.is_empty() {
        let annotation = config.checksum.annotation.clone();
        let annotations = operator.deployment.root.at(&POD_ANNOTATIONS);
        let current = annotations.and_then(|annotations| annotations.get(&annotation)?.text());
        view.checksum = Some(ChecksumView {
            current: current.map(str::to_owned),
            value: covered.digest(),
            covers,
            command: verify::command(&covered.lines, operator.deployment.namespace(), covers),
            annotation,
        });
    }
    Ok(())
}

/// `hashed` are the keys of its line in the checksum, with their sizes there.
fn source_view(
    source: &Source<'_, '_>,
    hashed: &[(String, usize)],
    options: impl Fn(&str) -> Option<Vec<(String, Verdict)>>,
) -> Result<SourceView, checksum::InvalidSource> {
    let mut keys = Vec::new();
    if let Some(item) = &source.item {
        for (key, bytes) in checksum::data(item.resource())?.sizes() {
            let in_line = hashed.iter().find(|(hashed, _)| *hashed == key);
            let options = options(&key).unwrap_or_default().into_iter();
            let options = options.map(|(option, verdict)| OptionView {
                option,
                counts: verdict.counts(),
                why: verdict.to_string(),
            });
            keys.push(KeyView {
                options: options.collect(),
                bytes: in_line.map_or(bytes, |(_, bytes)| *bytes),
                counts: in_line.is_some(),
                key,
            });
        }
    }
    Ok(SourceView {
        name: source.name(),
        place: source.item.as_ref().map(|item| place(item.resource())),
        references: source.reference.uses.iter().map(reference).collect(),
        keys,
    })
}

fn reference(r#use: &Use<'_>) -> String {
    let way = match r#use.way {
        Way::Environment => "read as environment variables".to_owned(),
        Way::Directory(path) => format!("mounted at {path}"),
        Way::SubPath { at, .. } => {
            format!("mounted at {at} (subPath: never updated in a running pod)")
        }
    };
    let optional = if r#use.optional { ", optional" } else { "" };
    format!("{way}{optional} ({})", r#use.path)
}

fn restart_view(operator: &Operator<'_>) -> Result<RestartView, WrongType> {
    let (strategy, webhook) = (operator.strategy()?, operator.has_webhook()?);
    let meaning = match (strategy, webhook) {
        ("Recreate", true) => {
            "the old pod ends before the new one starts: until that is ready, the admission webhook rejects changes to Flink resources; running jobs go on"
        }
        ("Recreate", false) => {
            "the old pod ends before the new one starts: until that is ready, changes to Flink resources wait; running jobs go on"
        }
        _ => "the new pod has to be ready before the old one ends; running jobs go on",
    };
    Ok(RestartView {
        strategy: strategy.to_owned(),
        webhook,
        meaning,
    })
}

fn described(resource: Resource<'_>) -> String {
    resource.reference().map_or_else(
        || resource.kind().to_owned(),
        |reference| reference.to_string(),
    )
}

/// The file, or the line of the input.
fn place(resource: Resource<'_>) -> String {
    match resource.file() {
        Some(file) => file.path,
        None => format!("line {}", resource.root.position().line),
    }
}
