//! The decision for one operator: what to change in its Deployment, and what to tell about it.

use crate::checksum::Line;
use crate::configuration::{Configuration, ConfigurationError, Source};
use crate::covered::Covered;
use crate::function_config::annotation::TOTAL_SIZE_LIMIT;
use crate::function_config::{ConfigCheck, OperatorRollout, Sources};
use crate::items::Items;
use crate::operator::Operator;
use crate::options::check::check;
use crate::options::mounted::MountedFiles;
use crate::options::restart::Restart;
use crate::resource::{Resource, WrongType, field_path, is_orchestrator_annotation};
use crate::results::{Field, Outcome, Reason, Severity};
use crate::yaml::Value;
use crate::yaml::edit::{Assignment, EditError};

/// The path of the Deployment's own annotations.
pub const OWN_ANNOTATIONS: [&str; 2] = ["metadata", "annotations"];
/// The path of its pod template's.
pub const POD_ANNOTATIONS: [&str; 4] = ["spec", "template", "metadata", "annotations"];

/// The outcome for a Deployment that is not what Kubernetes would take.
pub(crate) fn invalid_deployment(deployment: Resource<'_>, error: &WrongType) -> Outcome {
    invalid(deployment, error).with_field(error.field())
}

/// The Deployment has no place for an annotation.
pub(crate) fn not_editable(deployment: Resource<'_>, error: &EditError) -> Outcome {
    let outcome = invalid(deployment, error);
    match error {
        EditError::WrongType { path, .. } => outcome.with_field(Field::at(field_path(path))),
        EditError::Expansion { .. } | EditError::Unsupported { .. } => outcome,
    }
}

fn invalid(deployment: Resource<'_>, error: &dyn std::error::Error) -> Outcome {
    let outcome = Outcome::new(
        Reason::InvalidDeployment,
        Severity::Error,
        error.to_string(),
    );
    outcome.about(deployment.reference(), deployment.file())
}

/// The outcome that keeps an operator from being treated.
type Refusal = Box<Outcome>;

/// The annotations to set on one operator's Deployment, with outcomes that say so; none where an outcome is an error.
pub(crate) fn decide(
    operator: &Operator<'_>,
    items: &Items<'_>,
    config: &OperatorRollout,
) -> (Vec<Assignment<'static>>, Vec<Outcome>) {
    let mut decision = Decision {
        config,
        items,
        operator,
        outcomes: Vec::new(),
    };
    let assignments = decision.assignments_or_refusal();
    (assignments, decision.outcomes)
}

struct Decision<'d, 'a> {
    config: &'d OperatorRollout,
    items: &'d Items<'a>,
    operator: &'d Operator<'d>,
    outcomes: Vec<Outcome>,
}

impl<'d, 'a> Decision<'d, 'a> {
    fn assignments_or_refusal(&mut self) -> Vec<Assignment<'static>> {
        if !self.config.restart_on_config_change {
            self.note_unmaintained_checksum();
        }
        if self.config.is_idle() {
            return Vec::new();
        }
        self.assignments().unwrap_or_else(|refusal| {
            self.outcomes.push(*refusal);
            Vec::new()
        })
    }

    fn assignments(&mut self) -> Result<Vec<Assignment<'static>>, Refusal> {
        if let Some(duplicate) = self.deployment().root.duplicate_key() {
            let path = field_path(&duplicate.path);
            let position = duplicate.key.position();
            let message = format!("`{path}` ({position}) is given twice, expected once");
            let outcome = self.outcome(Reason::InvalidDeployment, Severity::Error, message);
            return Err(Box::new(outcome.with_field(Field::at(path))));
        }
        let own = self.own_annotations()?;
        let pod = if self.config.restart_on_config_change {
            self.checksum()?
        } else {
            None
        };
        let root = self.deployment().root.id();
        let assignment = |path, entries| Assignment {
            root,
            path,
            entries,
        };
        let own = (!own.is_empty()).then(|| assignment(OWN_ANNOTATIONS.as_slice(), own));
        let pod = pod.map(|entry| assignment(POD_ANNOTATIONS.as_slice(), vec![entry]));
        Ok(own.into_iter().chain(pod).collect())
    }

    fn deployment(&self) -> Resource<'_> {
        self.operator.deployment
    }

    fn outcome(&self, reason: Reason, severity: Severity, message: String) -> Outcome {
        let deployment = self.deployment();
        Outcome::new(reason, severity, message).about(deployment.reference(), deployment.file())
    }

    /// Those of `deploymentAnnotations` that are not there yet.
    fn own_annotations(&mut self) -> Result<Vec<(String, String)>, Refusal> {
        let config = self.config;
        let mut changes = Vec::new();
        for (key, value) in &config.deployment_annotations {
            let (change, current) = Change::of(self.annotation(&OWN_ANNOTATIONS, key), value);
            let (reason, message) = match change {
                Change::Add => (
                    Reason::AnnotationAdded,
                    format!("added annotation {key} to the Deployment"),
                ),
                Change::Update => (
                    Reason::AnnotationUpdated,
                    format!("changed annotation {key} of the Deployment"),
                ),
                Change::None => (
                    Reason::AnnotationUnchanged,
                    format!("annotation {key} of the Deployment is up to date"),
                ),
            };
            let field = change.field(&OWN_ANNOTATIONS, key, current, value);
            self.outcomes.push(
                self.outcome(reason, Severity::Info, message)
                    .with_field(field),
            );
            if change != Change::None {
                changes.push((key.clone(), value.clone()));
            }
        }
        self.check_size(&changes)?;
        Ok(changes)
    }

    /// Kubernetes limits all annotations of an object together.
    fn check_size(&self, changes: &[(String, String)]) -> Result<(), Refusal> {
        let kept = |key: &str| {
            !is_orchestrator_annotation(key) && !changes.iter().any(|(changed, _)| changed == key)
        };
        let annotations = self.deployment().root.at(&OWN_ANNOTATIONS);
        let old: usize = annotations
            .into_iter()
            .flat_map(Value::entries)
            .filter_map(|(key, value)| Some((key.text()?, value.text()?)))
            .filter(|(key, _)| kept(key))
            .map(|(key, value)| key.len() + value.len())
            .sum();
        let new: usize = changes
            .iter()
            .map(|(key, value)| key.len() + value.len())
            .sum();
        if new == 0 || old + new <= TOTAL_SIZE_LIMIT {
            return Ok(());
        }
        let message = format!(
            "with deploymentAnnotations all annotations of the Deployment take {} bytes, at most {TOTAL_SIZE_LIMIT} are allowed",
            old + new
        );
        Err(self
            .outcome(Reason::InvalidFunctionConfig, Severity::Error, message)
            .into())
    }

    fn annotation(&self, path: &[&str], key: &str) -> Option<Value<'_>> {
        self.deployment().root.at(path)?.get(key)
    }

    fn note_unmaintained_checksum(&mut self) {
        let key = &self.config.checksum.annotation;
        if let Some(current) = self.annotation(&POD_ANNOTATIONS, key) {
            let message = format!(
                "{key} on the pod template stays as it is, since restartOnConfigChange is false: it no longer follows the configuration"
            );
            let mut field = Field::at(field_path(
                &[&POD_ANNOTATIONS[..], &[key.as_str()]].concat(),
            ));
            field.current_value = current.text().map(Into::into);
            let outcome = self.outcome(Reason::ChecksumNotMaintained, Severity::Info, message);
            self.outcomes.push(outcome.with_field(field));
        }
    }

    /// The checksum annotation, if it is not there yet or another.
    fn checksum(&mut self) -> Result<Option<(String, String)>, Refusal> {
        let settings = &self.config.checksum;
        let configuration = self.configuration(settings.sources)?;
        self.check_configuration(&configuration)?;
        let covered =
            Covered::of(&configuration, settings.covers).map_err(|error| self.refusal(&error))?;
        self.outcomes.extend(self.unmanaged(&configuration)?);
        if covered.lines.is_empty() {
            return Ok(None);
        }
        self.note_unread(&configuration, covered.restart.as_ref());
        let digest = covered.digest();
        let key = &settings.annotation;
        let (change, current) = Change::of(self.annotation(&POD_ANNOTATIONS, key), &digest);
        let covered: Vec<String> = covered
            .lines
            .iter()
            .map(|(source, line)| described(source, line))
            .collect();
        let covered = covered.join(", ");
        let (reason, message) = match change {
            Change::Add => (
                Reason::ChecksumAdded,
                format!(
                    "added {key} to the pod template, so that the operator restarts when its configuration changes; it covers {covered}"
                ),
            ),
            Change::Update => (
                Reason::ChecksumUpdated,
                format!(
                    "changed {key} on the pod template: the operator restarts, since its configuration has changed; it covers {covered}"
                ),
            ),
            Change::None => (
                Reason::ChecksumUnchanged,
                format!("{key} on the pod template is up to date; it covers {covered}"),
            ),
        };
        let field = change.field(&POD_ANNOTATIONS, key, current, &digest);
        self.outcomes.push(
            self.outcome(reason, Severity::Info, message)
                .with_field(field),
        );
        if change == Change::None {
            return Ok(None);
        }
        self.warn_of_outage(change)?;
        Ok(Some((key.clone(), digest)))
    }

    fn configuration(&self, sources: Sources) -> Result<Configuration<'d, 'a>, Refusal> {
        Configuration::of(self.operator, self.items, sources)
            .map_err(|error| self.refusal(&error).into())
    }

    /// Says what the operator could not load. A new pod would not start with that, where the running one keeps the old values.
    fn check_configuration(&mut self, covered: &Configuration<'_, '_>) -> Result<(), Refusal> {
        let severity = match self.config.config_check {
            ConfigCheck::Skip => return Ok(()),
            ConfigCheck::Warn => Severity::Warning,
            ConfigCheck::Refuse => Severity::Error,
        };
        let own;
        let configuration = if self.config.checksum.sources == Sources::OperatorConfig {
            covered
        } else {
            own = self.configuration(Sources::OperatorConfig)?;
            &own
        };
        let mounted = MountedFiles::of(configuration).map_err(|error| self.refusal(&error))?;
        let replicas = self
            .operator
            .replicas()
            .map_err(|error| invalid_deployment(self.deployment(), &error))?;
        self.outcomes
            .extend(check(configuration, &mounted, replicas, severity));
        Ok(())
    }

    /// Says which files count as a whole, since they cannot be read as options.
    fn note_unread(&mut self, configuration: &Configuration<'_, '_>, restart: Option<&Restart>) {
        for (file, error) in restart.into_iter().flat_map(Restart::unread) {
            let source = configuration
                .sources
                .get(file.source)
                .and_then(|source| source.item.as_ref());
            let message = format!(
                "{} counts as a whole, since it cannot be read as options: {error}",
                file.key
            );
            let outcome = Outcome::new(Reason::ConfigNotRead, Severity::Warning, message)
                .with_field(Field::at(field_path(&["data", &file.key])));
            self.outcomes.push(match source {
                Some(item) => outcome.about(item.resource().reference(), item.resource().file()),
                None => outcome,
            });
        }
    }

    fn warn_of_outage(&mut self, change: Change) -> Result<(), Refusal> {
        let stops = self.operator.restart_stops_webhook();
        if stops.map_err(|error| invalid_deployment(self.deployment(), &error))? {
            let severity = if change == Change::Add {
                Severity::Warning
            } else {
                Severity::Info
            };
            let message = "strategy Recreate: from the old pod's end until the new one is ready, the admission webhook rejects changes to Flink resources; running jobs go on";
            let outcome = self.outcome(Reason::RestartCausesOutage, severity, message.to_owned());
            self.outcomes
                .push(outcome.with_field(Field::at("spec.strategy.type")));
        }
        Ok(())
    }

    /// What to say about sources that are not among the items.
    fn unmanaged(&self, configuration: &Configuration<'_, '_>) -> Result<Option<Outcome>, Refusal> {
        let missing: Vec<&Source<'_, '_>> = configuration
            .sources
            .iter()
            .filter(|source| source.item.is_none())
            .collect();
        let names: Vec<String> = missing.iter().map(|source| source.name()).collect();
        let names = names.join(", ");
        if missing.len() == configuration.sources.len() {
            let what = if missing.is_empty() {
                let directories = self.operator.configuration_directories();
                let directory = directories
                    .map_err(|error| invalid_deployment(self.deployment(), &error))?
                    .base;
                format!("the operator's pod mounts no ConfigMap at {directory}")
            } else {
                format!("{names} is not among the manifests but brought from elsewhere")
            };
            let watched = self
                .config
                .deployment_annotations
                .keys()
                .any(|key| is_reloader_annotation(key));
            let (severity, advice) = if watched {
                (
                    Severity::Info,
                    "deploymentAnnotations lets Reloader watch it",
                )
            } else {
                (
                    Severity::Warning,
                    "let a controller such as Reloader watch it, with deploymentAnnotations {\"reloader.stakater.com/auto\": \"true\"}",
                )
            };
            let message =
                format!("no checksum: {what}, so that its changes cannot be seen here; {advice}");
            return Ok(Some(self.outcome(
                Reason::ConfigNotManaged,
                severity,
                message,
            )));
        }
        if missing.is_empty() {
            return Ok(None);
        }
        let optional = missing.iter().all(|source| source.reference.is_optional());
        let severity = if optional {
            Severity::Info
        } else {
            Severity::Warning
        };
        let message =
            format!("the checksum does not cover {names}, which is not among the manifests");
        Ok(Some(self.outcome(
            Reason::ConfigPartlyManaged,
            severity,
            message,
        )))
    }

    fn refusal(&self, error: &ConfigurationError<'_, '_>) -> Outcome {
        let message = error.to_string();
        match error {
            ConfigurationError::Deployment(error) => self
                .outcome(Reason::InvalidDeployment, Severity::Error, message)
                .with_field(error.field()),
            ConfigurationError::Ambiguous { reference, .. } => {
                let path = reference
                    .uses
                    .first()
                    .map(|r#use| r#use.path.clone())
                    .unwrap_or_default();
                self.outcome(Reason::AmbiguousSource, Severity::Error, message)
                    .with_field(Field::at(path))
            }
            ConfigurationError::Source { item, error } => {
                let source = item.resource();
                Outcome::new(Reason::InvalidConfigMap, Severity::Error, message)
                    .about(source.reference(), source.file())
                    .with_field(Field::at(error.path.clone()))
            }
        }
    }
}

/// What has to be done for an annotation to have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Add,
    Update,
    None,
}

impl Change {
    /// The change, and the text that is there.
    fn of(current: Option<Value<'_>>, wanted: &str) -> (Self, Option<String>) {
        let text = current.and_then(Value::text).map(str::to_owned);
        match current {
            None => (Self::Add, None),
            Some(current) if current.as_str() == Some(wanted) => (Self::None, text),
            Some(_) => (Self::Update, text),
        }
    }

    fn field(self, path: &[&str], key: &str, current: Option<String>, wanted: &str) -> Field {
        Field {
            path: field_path(&[path, &[key]].concat()),
            current_value: current.map(Into::into),
            proposed_value: (self != Self::None).then(|| wanted.into()),
        }
    }
}

fn described(source: &Source<'_, '_>, line: &Line) -> String {
    let keys: Vec<&str> = line.keys.iter().map(|(key, _)| key.as_str()).collect();
    format!(
        "{} ({})",
        source.name(),
        if keys.is_empty() {
            "no keys".to_owned()
        } else {
            keys.join(", ")
        }
    )
}

/// Annotations on a Deployment by which Reloader (<https://github.com/stakater/Reloader>) watches its configuration.
fn is_reloader_annotation(key: &str) -> bool {
    [
        "reloader.stakater.com/",
        "configmap.reloader.stakater.com/",
        "secret.reloader.stakater.com/",
    ]
    .iter()
    .any(|prefix| key.starts_with(prefix))
}
