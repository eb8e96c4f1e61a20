//! What of a configuration takes effect only at start, so that a change to it needs a restart.

use std::collections::BTreeMap;
use std::fmt;

use super::logging;
use super::mounted::{MountedFile, MountedFiles, Role};
use super::table;
use crate::checksum;

/// Whether the running operator picks up changes to its options by itself.
const DYNAMIC_CONFIG: &str = "kubernetes.operator.dynamic.config.enabled";
/// The options of plugins, which get the whole configuration once.
const PLUGINS: &str = "kubernetes.operator.plugins.";

/// Why every option counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Everything {
    /// A source that the operator reads is not among the manifests, so that what is in force is not known.
    Missing(String),
    /// A file cannot be read, so that what is in force is not known.
    Unread(String),
    /// The operator was told not to look for changes.
    DynamicConfigOff,
    /// A plugin is in use.
    Plugin(String),
    /// The file does not change in a running pod: mounted with `subPath`, or of an immutable ConfigMap.
    NeverUpdated,
}

impl fmt::Display for Everything {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(
                f,
                "{name} is not among the manifests, so that the options in force are not known"
            ),
            Self::Unread(key) => write!(
                f,
                "{key} cannot be read, so that the options in force are not known"
            ),
            Self::DynamicConfigOff => write!(f, "{DYNAMIC_CONFIG} is false"),
            Self::Plugin(key) => write!(f, "{key} is set, and a plugin gets all options at start"),
            Self::NeverUpdated => f.write_str(
                "the file never changes in a running pod (subPath, or an immutable ConfigMap)",
            ),
        }
    }
}

/// Whether an option counts, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It counts, as all do.
    Everything(Everything),
    /// It counts: it takes effect at start, or is not known.
    AtStart,
    /// It does not: the running operator, or the next Flink cluster, takes it up by itself.
    Live,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everything(everything) => write!(f, "every option counts: {everything}"),
            Self::AtStart => f.write_str("takes effect at start, or is not known"),
            Self::Live => f.write_str("taken up without a restart"),
        }
    }
}

impl Verdict {
    /// Whether a change to the option changes the checksum.
    #[must_use]
    pub fn counts(&self) -> bool {
        *self != Self::Live
    }
}

/// The judgement over the operator's files.
#[derive(Clone, Debug)]
pub struct Restart {
    mounted: MountedFiles,
    everything: Option<Everything>,
}

impl Restart {
    /// Judges the files of a configuration.
    #[must_use]
    pub fn new(mounted: MountedFiles) -> Self {
        let everything = everything(&mounted);
        Self {
            mounted,
            everything,
        }
    }

    /// The files that cannot be read as options, and count as a whole.
    pub fn unread(&self) -> impl Iterator<Item = (&MountedFile, String)> {
        self.mounted
            .files
            .iter()
            .filter_map(|file| match &file.options {
                Some(Err(error)) => Some((file, error.to_string())),
                _ => None,
            })
    }

    /// What stands for a key of a source in the checksum; none where that is its whole text.
    #[must_use]
    pub fn value(&self, source: usize, key: &str) -> Option<String> {
        let file = self.file(source, key)?;
        if let Role::Logging(name) = &file.role {
            return logging::start_only(name, &file.text).filter(|_| file.updates);
        }
        let entries = file.options.as_ref()?.as_ref().ok()?;
        let counted: BTreeMap<String, String> = entries
            .iter()
            .filter(|entry| self.verdict(file, &entry.key).counts())
            .map(|entry| (entry.key.clone(), entry.value.clone()))
            .collect();
        Some(checksum::canonical_strings(&counted))
    }

    /// Each option of a key of a source, with the verdict; none where the key holds no options.
    #[must_use]
    pub fn options(&self, source: usize, key: &str) -> Option<Vec<(String, Verdict)>> {
        let file = self.file(source, key)?;
        let entries = file.options.as_ref()?.as_ref().ok()?;
        let verdict = |key: &String| (key.clone(), self.verdict(file, key));
        Some(entries.iter().map(|entry| verdict(&entry.key)).collect())
    }

    fn file(&self, source: usize, key: &str) -> Option<&MountedFile> {
        self.mounted
            .files
            .iter()
            .find(|file| file.source == source && file.key == key)
    }

    fn verdict(&self, file: &MountedFile, key: &str) -> Verdict {
        match &self.everything {
            Some(everything) => Verdict::Everything(everything.clone()),
            None if !file.updates => Verdict::Everything(Everything::NeverUpdated),
            None if table::is_live(key) => Verdict::Live,
            None => Verdict::AtStart,
        }
    }
}

fn everything(mounted: &MountedFiles) -> Option<Everything> {
    if let Some(missing) = &mounted.missing {
        return Some(Everything::Missing(missing.clone()));
    }
    let unread = |file: &&MountedFile| matches!(file.options, Some(Err(_)));
    if let Some(file) = mounted.files.iter().find(unread) {
        return Some(Everything::Unread(file.key.clone()));
    }
    let effective = mounted.effective();
    if let Some((_, entry)) = effective.get(DYNAMIC_CONFIG)
        && !entry.value.eq_ignore_ascii_case("true")
    {
        return Some(Everything::DynamicConfigOff);
    }
    let plugin = effective.keys().find(|key| key.starts_with(PLUGINS))?;
    Some(Everything::Plugin((*plugin).to_owned()))
}
