//! What the checksum of one operator is made of.

use crate::checksum::{self, Line};
use crate::configuration::{Configuration, ConfigurationError, Source};
use crate::function_config::Covers;
use crate::options::mounted::MountedFiles;
use crate::options::restart::Restart;

/// The lines that are hashed.
#[derive(Clone, Debug)]
pub struct Covered<'s, 'c, 'a> {
    /// The line of each source that is among the items.
    pub lines: Vec<(&'s Source<'c, 'a>, Line)>,
    /// What counts under [`Covers::RestartRequired`].
    pub restart: Option<Restart>,
}

impl<'s, 'c, 'a> Covered<'s, 'c, 'a> {
    /// What a configuration gives.
    ///
    /// # Errors
    ///
    /// A source is not what Kubernetes would take.
    pub fn of(
        configuration: &'s Configuration<'c, 'a>,
        covers: Covers,
    ) -> Result<Self, ConfigurationError<'c, 'a>> {
        let restart = match covers {
            Covers::RestartRequired => Some(Restart::new(MountedFiles::of(configuration)?)),
            Covers::Manifest | Covers::Data | Covers::Mounted => None,
        };
        let mut lines = Vec::new();
        for (place, source) in configuration.sources.iter().enumerate() {
            if let Some(item) = &source.item {
                let keys = source.reference.keys();
                let restart_value = |key: &str| restart.as_ref()?.value(place, key);
                let line = checksum::line(item.resource(), covers, keys.as_ref(), restart_value)
                    .map_err(|error| ConfigurationError::Source {
                        item: item.clone(),
                        error,
                    })?;
                lines.push((source, line));
            }
        }
        Ok(Self { lines, restart })
    }

    /// The checksum.
    #[must_use]
    pub fn digest(&self) -> String {
        checksum::digest(self.lines.iter().map(|(_, line)| line))
    }
}
