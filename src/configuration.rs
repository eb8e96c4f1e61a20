//! The configuration of one operator: the ConfigMaps and Secrets that its pod reads, as far as they are among the items.

use crate::checksum::InvalidSource;
use crate::function_config::Sources;
use crate::items::Items;
use crate::operator::{Directories, Operator};
use crate::references::Reference;
use crate::resource::{Item, WrongType};
use crate::sources::{self, Ambiguous};

/// What the checksum is to cover.
#[derive(Clone, Debug)]
pub struct Configuration<'c, 'a> {
    /// In the order in which the pod template first refers to them.
    pub sources: Vec<Source<'c, 'a>>,
    /// Where the operator reads its configuration.
    pub directories: Directories<'c>,
}

/// A ConfigMap or Secret that the pod reads.
#[derive(Clone, Debug)]
pub struct Source<'c, 'a> {
    /// How the pod template refers to it.
    pub reference: Reference<'c>,
    /// The item that is meant; none where it is not among the manifests.
    pub item: Option<Item<'a>>,
}

impl Source<'_, '_> {
    /// Its kind and present name, for a person.
    #[must_use]
    pub fn name(&self) -> String {
        let item = self.item.as_ref();
        let name = item
            .and_then(|item| item.resource().name())
            .unwrap_or(self.reference.name);
        format!("{} {name}", self.reference.kind.name())
    }
}

/// Why a configuration cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError<'c, 'a> {
    /// The Deployment's fields are not what Kubernetes would take.
    #[error("{0}")]
    Deployment(WrongType),
    /// More than one item answers to a name.
    #[error(
        "{} could be any of {}: give them different names or namespaces, or put the right one into the Deployment's directory",
        .reference.described(),
        .candidates.join(", ")
    )]
    Ambiguous {
        /// What refers to it.
        reference: Reference<'c>,
        /// The items, for a person.
        candidates: Vec<String>,
    },
    /// A source is not what Kubernetes would take.
    #[error("{error}")]
    Source {
        /// The source.
        item: Item<'a>,
        /// What is wrong.
        error: InvalidSource,
    },
}

impl<'c, 'a> Configuration<'c, 'a> {
    /// Looks for everything that the operator's pod template refers to.
    ///
    /// # Errors
    ///
    /// See [`ConfigurationError`].
    pub fn of(
        operator: &Operator<'c>,
        items: &Items<'a>,
        sources: Sources,
    ) -> Result<Self, ConfigurationError<'c, 'a>> {
        let deployment = ConfigurationError::Deployment;
        let references = operator.references(sources).map_err(deployment)?;
        let directories = operator.configuration_directories().map_err(deployment)?;
        let find = |reference: Reference<'c>| match sources::find(
            items,
            reference.kind,
            reference.name,
            operator.deployment,
        ) {
            Ok(item) => Ok(Source { reference, item }),
            Err(Ambiguous { candidates }) => Err(ConfigurationError::Ambiguous {
                reference,
                candidates,
            }),
        };
        let sources = references.into_iter().map(find).collect::<Result<_, _>>()?;
        Ok(Self {
            sources,
            directories,
        })
    }
}
