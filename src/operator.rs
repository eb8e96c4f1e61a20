//! Which Deployments run the operator, and what of their pod templates tells how it is configured.

use std::fmt;

use crate::function_config::{Sources, Target};
use crate::references::{Reference, References, SourceKind, is_within};
use crate::resource::{Field, Resource, WrongType};

/// Where the operator looks for its configuration by default, as the image sets it.
const DEFAULT_CONF_DIR: &str = "/opt/flink/conf";

/// The argument of the image's entry point that makes it run the operator.
const OPERATOR: &str = "operator";

/// A word that the manifest of every operator's Deployment holds; none where `target` decides.
#[must_use]
pub fn word_in_manifest(target: &Target) -> Option<&'static str> {
    (!target.selects()).then_some(OPERATOR)
}

/// A Deployment whose configuration is looked after.
#[derive(Clone, Debug)]
pub struct Operator<'t> {
    /// The Deployment.
    pub deployment: Resource<'t>,
    pod: Field<'t>,
    /// The container that runs the operator; none in a pod without containers.
    container: Option<Field<'t>>,
    /// What tells that it is one.
    pub evidence: Evidence,
}

/// What tells that a Deployment is the operator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A container runs `docker-entrypoint.sh operator`.
    EntryPoint,
    /// A container of the operator's image has `operator` as its first argument.
    Image,
    /// Nothing but `target`, which selects it.
    Target,
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EntryPoint => "runs docker-entrypoint.sh operator",
            Self::Image => "runs the image flink-kubernetes-operator with the argument operator",
            Self::Target => "is the first of a Deployment that target selects",
        })
    }
}

/// The Deployment as an operator's, if it is the one that is looked for.
///
/// # Errors
///
/// The pod template is not of the types that Kubernetes gives it, so that it cannot be told.
pub fn operator<'t>(
    deployment: Resource<'t>,
    target: &Target,
) -> Result<Option<Operator<'t>>, WrongType> {
    if !is_deployment(deployment) || target.selects() && !is_selected(deployment, target) {
        return Ok(None);
    }
    let pod = Field::root(deployment).at(&["spec", "template", "spec"])?;
    let containers = pod.get("containers")?.list()?;
    let mut running = None;
    for container in &containers {
        if running.is_none()
            && let Some(evidence) = runs(container, OPERATOR)?
        {
            running = Some((container.clone(), evidence));
        }
    }
    if running.is_none() && !target.selects() {
        return Ok(None);
    }
    let (container, evidence) = match running {
        Some((container, evidence)) => (Some(container), evidence),
        None => (containers.into_iter().next(), Evidence::Target),
    };
    Ok(Some(Operator {
        deployment,
        pod,
        container,
        evidence,
    }))
}

/// `Deployment` of `apps`, or of `extensions` where it came from.
#[must_use]
pub fn is_deployment(resource: Resource<'_>) -> bool {
    let group = resource.api_version().split('/').next();
    resource.kind() == "Deployment" && matches!(group, Some("apps" | "extensions"))
}

fn is_selected(deployment: Resource<'_>, target: &Target) -> bool {
    let labels = deployment.root.at(&["metadata", "labels"]);
    let has_label = |(key, value): (&String, &String)| {
        labels.and_then(|labels| labels.get(key)?.as_str()) == Some(value)
    };
    target
        .name
        .as_ref()
        .is_none_or(|name| deployment.was_named(name))
        && target
            .namespace
            .as_deref()
            .is_none_or(|ns| deployment.namespace() == Some(ns))
        && target.labels.iter().all(has_label)
}

/// Whether, and by what, the container runs the image's entry point with `what`.
fn runs(container: &Field<'_>, what: &str) -> Result<Option<Evidence>, WrongType> {
    let words = |key| {
        container
            .get(key)?
            .list()?
            .iter()
            .map(Field::text)
            .collect::<Result<Vec<_>, _>>()
    };
    let (command, args): (Vec<_>, Vec<_>) = (words("command")?, words("args")?);
    let image = container.get("image")?.text()?.unwrap_or_default();
    let repository = image.split('@').next().unwrap_or_default();
    let image_name = repository
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .split(':')
        .next();
    if command.is_empty()
        && args.first() == Some(&Some(what))
        && image_name == Some("flink-kubernetes-operator")
    {
        return Ok(Some(Evidence::Image));
    }
    let line = [command, args].concat();
    let is_entry_point = |word: Option<&str>| {
        word.and_then(|word| word.rsplit('/').next()) == Some("docker-entrypoint.sh")
    };
    let runs = line
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if is_entry_point(*a) && *b == Some(what)));
    Ok(runs.then_some(Evidence::EntryPoint))
}

impl<'t> Operator<'t> {
    /// The field of the container that runs the operator, and the container's name.
    ///
    /// # Errors
    ///
    /// The name is no scalar.
    pub fn container(&self) -> Result<Option<(&str, &'t str)>, WrongType> {
        let Some(container) = &self.container else {
            return Ok(None);
        };
        let name = container.get("name")?.text()?.unwrap_or_default();
        Ok(Some((&container.path, name)))
    }

    /// How the Deployment replaces its pods; `RollingUpdate` by default.
    ///
    /// # Errors
    ///
    /// The Deployment is not of the types that Kubernetes gives it.
    pub fn strategy(&self) -> Result<&'t str, WrongType> {
        let strategy = Field::root(self.deployment)
            .at(&["spec", "strategy", "type"])?
            .text()?;
        Ok(strategy.unwrap_or("RollingUpdate"))
    }

    /// How many pods are to run; 1 by default.
    ///
    /// # Errors
    ///
    /// `spec.replicas` is no scalar.
    pub fn replicas(&self) -> Result<u32, WrongType> {
        let replicas = Field::root(self.deployment)
            .at(&["spec", "replicas"])?
            .text()?;
        Ok(replicas
            .and_then(|replicas| replicas.parse().ok())
            .unwrap_or(1))
    }

    /// Whether the pod runs the admission webhook.
    ///
    /// # Errors
    ///
    /// The pod template is not of the types that Kubernetes gives it.
    pub fn has_webhook(&self) -> Result<bool, WrongType> {
        for container in self.pod.get("containers")?.list()? {
            if runs(&container, "webhook")?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a restart leaves nobody to answer the admission webhook: the old pod ends before the new one starts, and the
    /// pod runs the webhook.
    ///
    /// # Errors
    ///
    /// The Deployment is not of the types that Kubernetes gives it.
    pub fn restart_stops_webhook(&self) -> Result<bool, WrongType> {
        Ok(self.strategy()? == "Recreate" && self.has_webhook()?)
    }

    /// The directories that the operator reads its configuration from: the literal values of the variables that name them.
    ///
    /// # Errors
    ///
    /// The environment is not of the types that Kubernetes gives it.
    pub fn configuration_directories(&self) -> Result<Directories<'t>, WrongType> {
        let mut directories = Directories {
            base: DEFAULT_CONF_DIR,
            overrides: None,
            operator: None,
        };
        let Some(container) = &self.container else {
            return Ok(directories);
        };
        for variable in container.get("env")?.list()? {
            let name = variable.get("name")?.text()?;
            let Some(value) = variable.get("value")?.text()? else {
                continue;
            };
            match name {
                Some("FLINK_CONF_DIR") => directories.base = value,
                Some("CONF_OVERRIDE_DIR") => directories.overrides = Some(value),
                Some("FLINK_OPERATOR_CONF_DIR") => directories.operator = Some(value),
                _ => {}
            }
        }
        Ok(directories)
    }

    /// What the checksum is to cover, in the order in which the pod template first refers to it.
    ///
    /// # Errors
    ///
    /// The pod template is not of the types that Kubernetes gives it.
    pub fn references(&self, sources: Sources) -> Result<Vec<Reference<'t>>, WrongType> {
        let mut found = References::of(&self.pod);
        match (sources, &self.container) {
            (Sources::OperatorConfig, Some(container)) => {
                let directories = self.configuration_directories()?;
                found.add_mounts(container, |path| directories.hold(path))?;
                found
                    .references
                    .retain(|reference| reference.kind == SourceKind::ConfigMap);
            }
            (Sources::OperatorConfig, None) => {}
            (Sources::AllConfigMaps | Sources::AllConfigMapsAndSecrets, _) => {
                for group in ["initContainers", "containers"] {
                    for container in self.pod.get(group)?.list()? {
                        found.add_environment(&container)?;
                        found.add_mounts(&container, |_| true)?;
                    }
                }
                if sources == Sources::AllConfigMaps {
                    found
                        .references
                        .retain(|reference| reference.kind == SourceKind::ConfigMap);
                }
            }
        }
        Ok(found.references)
    }
}

/// Where the operator reads its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directories<'t> {
    /// `FLINK_CONF_DIR`.
    pub base: &'t str,
    /// `CONF_OVERRIDE_DIR`, laid over the base.
    pub overrides: Option<&'t str>,
    /// `FLINK_OPERATOR_CONF_DIR`, which charts before 1.0 used.
    pub operator: Option<&'t str>,
}

impl Directories<'_> {
    /// Whether a path is one of them or below it.
    #[must_use]
    pub fn hold(&self, path: &str) -> bool {
        let directories = [Some(self.base), self.overrides, self.operator];
        directories
            .into_iter()
            .flatten()
            .any(|directory| is_within(path, directory))
    }
}
