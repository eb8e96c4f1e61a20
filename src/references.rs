//! Which ConfigMaps and Secrets a pod template refers to, where, and what it takes of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::resource::{Field, WrongType};

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

/// Whether a path is a directory or below it; a slash at either's end means nothing.
#[must_use]
pub fn is_within(path: &str, directory: &str) -> bool {
    let path = path.trim_end_matches('/');
    path.strip_prefix(directory.trim_end_matches('/'))
        .is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

/// The references of a pod template, as they are found.
pub(crate) struct References<'o, 't> {
    pod: &'o Field<'t>,
    pub(crate) references: Vec<Reference<'t>>,
}

impl<'o, 't> References<'o, 't> {
    /// None yet, of the pod template's `spec`.
    pub(crate) fn of(pod: &'o Field<'t>) -> Self {
        Self {
            pod,
            references: Vec::new(),
        }
    }

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

    pub(crate) fn add_environment(&mut self, container: &Field<'t>) -> Result<(), WrongType> {
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

    pub(crate) fn add_mounts(
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
