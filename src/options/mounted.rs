//! Which keys of which ConfigMaps the operator reads as configuration and logging files, and what is in force of them.

use std::collections::BTreeMap;

use super::file::{Entry, Form, Unreadable};
use crate::checksum;
use crate::configuration::{Configuration, ConfigurationError, Source};
use crate::operator::Directories;
use crate::references::{SourceKind, Use, Way};
use crate::yaml::Value;

/// A key of a ConfigMap that is a file of the operator's in its container.
#[derive(Clone, Debug)]
pub struct MountedFile {
    /// The place of the ConfigMap among the configuration's sources.
    pub source: usize,
    /// The key.
    pub key: String,
    /// What the operator takes the file for.
    pub role: Role,
    /// Its text.
    pub text: String,
    /// Whether a change to the ConfigMap changes the file in a running pod.
    pub updates: bool,
    /// The options in it; none for a logging file.
    pub options: Option<Result<Vec<Entry>, Unreadable>>,
}

/// What the operator takes a file for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Options, in a directory that comes before or after others.
    Options(Form, Layer),
    /// The logging configuration of that name.
    Logging(String),
}

/// A directory with options. A later one is laid over an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// `FLINK_CONF_DIR`.
    Base,
    /// `FLINK_OPERATOR_CONF_DIR`.
    Operator,
    /// `CONF_OVERRIDE_DIR`.
    Overrides,
}

/// The operator's files among the sources.
#[derive(Clone, Debug, Default)]
pub struct MountedFiles {
    /// In the order of the sources and their keys.
    pub files: Vec<MountedFile>,
    /// The source that is mounted at a directory of the operator's but not among the manifests, if there is one: what is in
    /// force is not known then.
    pub missing: Option<String>,
}

impl MountedFiles {
    /// Those of a configuration.
    ///
    /// # Errors
    ///
    /// A source is not what Kubernetes would take.
    pub fn of<'c, 'a>(
        configuration: &Configuration<'c, 'a>,
    ) -> Result<Self, ConfigurationError<'c, 'a>> {
        let directories = &configuration.directories;
        let mut mounted = Self::default();
        for (place, source) in configuration.sources.iter().enumerate() {
            if source.reference.kind != SourceKind::ConfigMap {
                continue;
            }
            let Some(item) = &source.item else {
                let reads = source
                    .reference
                    .uses
                    .iter()
                    .any(|r#use| is_read_by_operator(r#use, directories));
                if reads {
                    mounted.missing.get_or_insert_with(|| source.name());
                }
                continue;
            };
            let data =
                checksum::data(item.resource()).map_err(|error| ConfigurationError::Source {
                    item: item.clone(),
                    error,
                })?;
            let immutable = item.resource().root.at(&["immutable"]);
            let mutable = immutable
                .and_then(Value::text)
                .is_none_or(|text| !text.eq_ignore_ascii_case("true"));
            for (key, text) in data.text {
                if let Some(role) = role(source, &key, directories) {
                    let updates = mutable
                        && source
                            .reference
                            .uses
                            .iter()
                            .filter(|r#use| r#use.takes(&key))
                            .all(is_directory);
                    let options = match &role {
                        Role::Options(form, _) => Some(form.read(&text)),
                        Role::Logging(_) => None,
                    };
                    mounted.files.push(MountedFile {
                        source: place,
                        key,
                        role,
                        text,
                        updates,
                        options,
                    });
                }
            }
        }
        Ok(mounted)
    }

    /// The files that the operator reads its options from, the one that wins last: of two in one directory it takes
    /// `flink-conf.yaml`.
    #[must_use]
    pub fn read(&self) -> Vec<&MountedFile> {
        let mut read: BTreeMap<Layer, &MountedFile> = BTreeMap::new();
        for file in &self.files {
            if let Role::Options(form, layer) = file.role
                && (form == Form::Legacy || !read.contains_key(&layer))
            {
                read.insert(layer, file);
            }
        }
        read.into_values().collect()
    }

    /// The options in force, as far as they are known, each with the file that gives it.
    #[must_use]
    pub fn effective(&self) -> BTreeMap<&str, (&MountedFile, &Entry)> {
        let mut effective = BTreeMap::new();
        for file in self.read() {
            for entry in file.options.iter().flatten().flatten() {
                effective.insert(entry.key.as_str(), (file, entry));
            }
        }
        effective
    }
}

/// What the operator takes a key for; none where it does not read it, or something else reads it as well.
fn role(source: &Source<'_, '_>, key: &str, directories: &Directories<'_>) -> Option<Role> {
    let mut roles = source
        .reference
        .uses
        .iter()
        .filter(|r#use| r#use.takes(key))
        .map(|r#use| role_of_path(&r#use.file_of(key)?, directories));
    let first = roles.next()??;
    roles
        .all(|role| role.as_ref() == Some(&first))
        .then_some(first)
}

fn role_of_path(path: &str, directories: &Directories<'_>) -> Option<Role> {
    let (directory, name) = path.rsplit_once('/')?;
    let same = |other: &str| other.trim_end_matches('/') == directory.trim_end_matches('/');
    let layer = if directories.overrides.is_some_and(same) {
        Layer::Overrides
    } else if directories.operator.is_some_and(same) {
        Layer::Operator
    } else if same(directories.base) {
        Layer::Base
    } else {
        return None;
    };
    match (Form::of(name), name) {
        (Some(form), _) => Some(Role::Options(form, layer)),
        (None, "log4j-operator.properties" | "logback-operator.xml") => {
            Some(Role::Logging(name.to_owned()))
        }
        _ => None,
    }
}

fn is_directory(r#use: &Use<'_>) -> bool {
    matches!(r#use.way, Way::Directory(_))
}

fn is_read_by_operator(r#use: &Use<'_>, directories: &Directories<'_>) -> bool {
    let (Way::Directory(at) | Way::SubPath { at, .. }) = r#use.way else {
        return false;
    };
    directories.hold(at)
}
