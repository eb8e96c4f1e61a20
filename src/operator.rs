//! Which Deployments run the operator, and which ConfigMaps and Secrets their pods read.

use std::collections::{BTreeMap, BTreeSet};

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
        if running.is_none() && runs(container, "operator")? {
            running = Some(container.clone());
        }
    }
    if running.is_none() && !target.selects() {
        return Ok(None);
    }
    let container = running.or_else(|| containers.into_iter().next());
    Ok(Some(Operator {
        deployment,
        pod,
        container,
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

/// Whether the container runs the image's entry point with `what`: by the path of `docker-entrypoint.sh`, or with no command
/// of its own by the image's name.
fn runs(container: &Field<'_>, what: &str) -> Result<bool, WrongType> {
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
    if command.is_empty() {
        let repository = image.split('@').next().unwrap_or_default();
        let name = repository
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .split(':')
            .next();
        if args.first() == Some(&Some(what)) && name == Some("flink-kubernetes-operator") {
            return Ok(true);
        }
    }
    let line = [command, args].concat();
    let is_entry_point = |word: Option<&str>| {
        word.and_then(|w| w.rsplit('/').next()) == Some("docker-entrypoint.sh")
    };
    Ok(line
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if is_entry_point(*a) && *b == Some(what))))
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
    /// As one file or directory of the volume (`subPath`) at that path, which never changes in a running container.
    SubPath(&'t str),
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
    /// Whether a restart leaves nobody to answer the admission webhook: the old pod ends before the new one starts, and the
    /// pod runs the webhook.
    ///
    /// # Errors
    ///
    /// The Deployment is not of the types that Kubernetes gives it.
    pub fn restart_stops_webhook(&self) -> Result<bool, WrongType> {
        let strategy = Field::root(self.deployment)
            .at(&["spec", "strategy", "type"])?
            .text()?;
        let mut webhook = false;
        for container in self.pod.get("containers")?.list()? {
            webhook |= runs(&container, "webhook")?;
        }
        Ok(webhook && strategy == Some("Recreate"))
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
    fn hold(&self, path: &str) -> bool {
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
                (Some(keys), Way::SubPath(at))
            }
            // An expanded sub-path is known to the kubelet alone, so any key may be the one.
            None if mount.get("subPathExpr")?.text()?.is_some() => (selected, Way::SubPath(at)),
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
