//! A plain stream of manifests, as Helm and Argo CD have it: YAML or JSON documents, edited in place.

use std::io;
use std::rc::Rc;

use crate::function_config::OperatorRollout;
use crate::function_config::read::Fault;
use crate::resource::{Item, Resource, items};
use crate::results::{Outcome, Reason, Severity};
use crate::rollout::{Rollout, invalid_config, roll_out};
use crate::yaml::{Splice, SyntaxError, Tree, Value, parse, splice};

/// A stream as it came in.
#[derive(Debug)]
pub struct Stream<'a> {
    tree: Rc<Tree<'a>>,
}

impl<'a> Stream<'a> {
    /// Reads every document of a text.
    ///
    /// # Errors
    ///
    /// Text that is no YAML.
    pub fn read(source: &'a str) -> Result<Self, SyntaxError> {
        Ok(Self {
            tree: Rc::new(parse(source)?),
        })
    }

    /// The objects of the stream, those inside a `List` in its place.
    #[must_use]
    pub fn items(&self) -> Vec<Item<'a>> {
        items(&self.tree, self.tree.documents().map(Value::id))
    }

    /// Whether the first document is a `ResourceList`, which is no stream of manifests.
    #[must_use]
    pub fn is_resource_list(&self) -> bool {
        let first = self.tree.documents().next();
        first.is_some_and(|root| Resource { root }.kind() == "ResourceList")
    }

    /// Whether no document says anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tree.documents().all(Value::is_null)
    }

    /// Works out what a function config asks for.
    #[must_use]
    pub fn roll_out(&self, config: Result<OperatorRollout, Vec<Fault>>) -> Rollout {
        match config {
            Err(faults) => invalid_config(None, faults),
            // An empty stream is what a renderer that failed leaves in a pipe; applied, it deletes what was deployed.
            Ok(_) if self.is_empty() => Rollout::refused(vec![Outcome::new(
                Reason::EmptyInput,
                Severity::Error,
                "the input holds no document, expected manifests; did the command that writes them fail?",
            )]),
            Ok(config) => roll_out(&self.items(), &config),
        }
    }

    /// Writes the stream with the edits made.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write(&self, edits: &[Splice], out: &mut impl io::Write) -> io::Result<()> {
        splice(self.tree.source(), edits, out)
    }
}
