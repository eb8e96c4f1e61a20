//! Which Deployments run the operator, and which ConfigMaps and Secrets their pods read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::function_config::{Sources, Target};
use crate::resource::{Field, Resource, WrongType};

/// Where the operator looks for its configuration by default, as the image sets it.
const DEFAULT_CONF_DIR: &str = "/opt/flink/conf";

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
            && let Some(evidence) = runs(container, "operator")?
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

/// Something that the pod template refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A ConfigMap.
    ConfigMap,
    /// A Secret.
    Secret,
}

impl SourceKind {
    /// The kind of that name.
    #[must_use]
    pub fn named(kind: &str) -> Option<Self> {
        [Self::ConfigMap, Self::Secret]
            .into_iter()
            .find(|source| source.name() == kind)
    }

    /// Its `kind`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ConfigMap => "ConfigMap",
            Self::Secret => "Secret",
        }
    }
}

/// A ConfigMap or Secret that the pod template refers to, with each place where it does.
#[derive(Clone, Debug)]
pub struct Reference<'t> {
    /// What it is.
    pub kind: SourceKind,
    /// The name that the pod template gives.
    pub name: &'t str,
    /// Each place, in order; at least one.
    pub uses: Vec<Use<'t>>,
}

/// One place that refers to a ConfigMap or Secret.
#[derive(Clone, Debug)]
pub struct Use<'t> {
    /// The field that refers to it, from the Deployment's root.
    pub path: String,
    /// The keys that are taken, each with the file that it becomes; all of them where there is no selection.
    pub keys: Option<BTreeMap<&'t str, &'t str>>,
    /// Whether the pod starts without it.
    pub optional: bool,
    /// How the pod gets it.
    pub way: Way<'t>,
}

/// How a pod gets a ConfigMap or Secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way<'t> {
    /// As environment variables, which never change in a running container.
    Environment,
    /// As a directory at that path, which the kubelet keeps up to date.
    Directory(&'t str),
    /// As one file or directory of the volume at that path, which never changes in a running container.
    SubPath {
        /// Where it is mounted.
        at: &'t str,
        /// What of the volume is mounted there (`subPath`); unknown where the kubelet expands it (`subPathExpr`).
        of: Option<&'t str>,
    },
}

impl Use<'_> {
    /// The file that a key becomes in the container; none where it becomes none, or one that is not known.
    #[must_use]
    pub fn file_of(&self, key: &str) -> Option<String> {
        let file = match &self.keys {
            Some(keys) => *keys.get(key)?,
            None => key,
        };
        match self.way {
            Way::Environment | Way::SubPath { of: None, .. } => None,
            Way::Directory(at) => Some(format!("{}/{file}", at.trim_end_matches('/'))),
            Way::SubPath {
                at,
                of: Some(sub_path),
            } => {
                let below = file.strip_prefix(sub_path)?;
                Some(format!("{}{below}", at.trim_end_matches('/')))
            }
        }
    }

    /// Whether it takes a key.
    #[must_use]
    pub fn takes(&self, key: &str) -> bool {
        self.keys.as_ref().is_none_or(|keys| keys.contains_key(key))
    }
}

impl Reference<'_> {
    /// Its kind and name, for a person.
    #[must_use]
    pub fn described(&self) -> String {
        format!("{} {}", self.kind.name(), self.name)
    }

    /// The keys that some place takes; all of them where one place makes no selection.
    #[must_use]
    pub fn keys(&self) -> Option<BTreeSet<&str>> {
        let mut keys = BTreeSet::new();
        for r#use in &self.uses {
            keys.extend(r#use.keys.as_ref()?.keys());
        }
        Some(keys)
    }

    /// Whether every place can do without it.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.uses.iter().all(|r#use| r#use.optional)
    }
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
        let mut found = References {
            pod: &self.pod,
            references: Vec::new(),
        };
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

/// Whether a path is a directory or below it; a slash at either's end means nothing.
#[must_use]
pub fn is_within(path: &str, directory: &str) -> bool {
    let path = path.trim_end_matches('/');
    path.strip_prefix(directory.trim_end_matches('/'))
        .is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

struct References<'o, 't> {
    pod: &'o Field<'t>,
    references: Vec<Reference<'t>>,
}

impl<'t> References<'_, 't> {
    fn add(&mut self, kind: SourceKind, name: Option<&'t str>, r#use: Use<'t>) {
        let Some(name) = name else { return };
        let same =
            |reference: &&mut Reference<'_>| reference.kind == kind && reference.name == name;
        match self.references.iter_mut().find(same) {
            Some(reference) => reference.uses.push(r#use),
            None => self.references.push(Reference {
                kind,
                name,
                uses: vec![r#use],
            }),
        }
    }

    fn add_environment(&mut self, container: &Field<'t>) -> Result<(), WrongType> {
        for source in container.get("envFrom")?.list()? {
            for (key, kind) in [
                ("configMapRef", SourceKind::ConfigMap),
                ("secretRef", SourceKind::Secret),
            ] {
                let reference = source.get(key)?;
                let optional = reference.get("optional")?.is_true()?;
                let name = reference.get("name")?.text()?;
                let path = reference.path;
                self.add(
                    kind,
                    name,
                    Use {
                        path,
                        keys: None,
                        optional,
                        way: Way::Environment,
                    },
                );
            }
        }
        for variable in container.get("env")?.list()? {
            for (key, kind) in [
                ("configMapKeyRef", SourceKind::ConfigMap),
                ("secretKeyRef", SourceKind::Secret),
            ] {
                let reference = variable.at(&["valueFrom", key])?;
                let optional = reference.get("optional")?.is_true()?;
                let name = reference.get("name")?.text()?;
                let selected = reference.get("key")?.text()?;
                let keys = Some(selected.map(|key| (key, key)).into_iter().collect());
                let path = reference.path;
                self.add(
                    kind,
                    name,
                    Use {
                        path,
                        keys,
                        optional,
                        way: Way::Environment,
                    },
                );
            }
        }
        Ok(())
    }

    fn add_mounts(
        &mut self,
        container: &Field<'t>,
        counts: impl Fn(&str) -> bool,
    ) -> Result<(), WrongType> {
        for mount in container.get("volumeMounts")?.list()? {
            let path = mount.get("mountPath")?.text()?.unwrap_or_default();
            let name = mount.get("name")?.text()?;
            if !counts(path) {
                continue;
            }
            for volume in self.pod.get("volumes")?.list()? {
                if name.is_some() && volume.get("name")?.text()? == name {
                    self.add_volume(&volume, &mount, path)?;
                }
            }
        }
        Ok(())
    }

    fn add_volume(
        &mut self,
        volume: &Field<'t>,
        mount: &Field<'t>,
        at: &'t str,
    ) -> Result<(), WrongType> {
        self.add_volume_source(
            &volume.get("configMap")?,
            SourceKind::ConfigMap,
            "name",
            mount,
            at,
        )?;
        self.add_volume_source(
            &volume.get("secret")?,
            SourceKind::Secret,
            "secretName",
            mount,
            at,
        )?;
        for source in volume.at(&["projected", "sources"])?.list()? {
            self.add_volume_source(
                &source.get("configMap")?,
                SourceKind::ConfigMap,
                "name",
                mount,
                at,
            )?;
            self.add_volume_source(
                &source.get("secret")?,
                SourceKind::Secret,
                "name",
                mount,
                at,
            )?;
        }
        Ok(())
    }

    fn add_volume_source(
        &mut self,
        source: &Field<'t>,
        kind: SourceKind,
        name_key: &str,
        mount: &Field<'t>,
        at: &'t str,
    ) -> Result<(), WrongType> {
        let name = source.get(name_key)?.text()?;
        let optional = source.get("optional")?.is_true()?;
        let mut keys = BTreeMap::new();
        for item in source.get("items")?.list()? {
            if let Some(key) = item.get("key")?.text()? {
                keys.insert(key, item.get("path")?.text()?.unwrap_or(key));
            }
        }
        let selected = Some(keys).filter(|keys| !keys.is_empty());
        let sub_path = mount
            .get("subPath")?
            .text()?
            .map(|path| path.trim_matches('/'));
        let (keys, way) = match sub_path {
            Some(sub_path) => {
                let mut keys = selected.unwrap_or_else(|| BTreeMap::from([(sub_path, sub_path)]));
                keys.retain(|_, file| is_within(file, sub_path));
                (
                    Some(keys),
                    Way::SubPath {
                        at,
                        of: Some(sub_path),
                    },
                )
            }
            // An expanded sub-path is known to the kubelet alone, so any key may be the one.
            None if mount.get("subPathExpr")?.text()?.is_some() => {
                (selected, Way::SubPath { at, of: None })
            }
            None => (selected, Way::Directory(at)),
        };
        self.add(
            kind,
            name,
            Use {
                path: mount.path.clone(),
                keys,
                optional,
                way,
            },
        );
        Ok(())
    }
}
