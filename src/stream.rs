//! A plain stream of manifests, as Helm and Argo CD have it: YAML or JSON documents, edited in place.

use std::io;
use std::rc::Rc;

use crate::function_config::OperatorRollout;
use crate::function_config::read::{Fault, Layer, ReadLayer, from_layers, layer_of};
use crate::resource::{Item, items};
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

/// The function config of a file.
///
/// # Errors
///
/// Everything in it that is no YAML, unknown or of the wrong type.
pub fn file_layer(text: &str) -> ReadLayer {
    let fault = |fault: String| {
        vec![Fault {
            path: String::new(),
            fault,
            found: None,
            proposed: None,
        }]
    };
    let tree = parse(text).map_err(|error| fault(format!("not YAML: {error}")))?;
    let mut documents = tree.documents().filter(|document| !document.is_null());
    match (documents.next(), documents.next()) {
        (None, _) => Ok(Layer::default()),
        (Some(config), None) => layer_of(config),
        (Some(_), Some(second)) => Err(fault(format!(
            "{}: a second document, expected one",
            second.position()
        ))),
    }
}

/// The function config that several sources give together, first the weakest, with the faults of all of them.
///
/// # Errors
///
/// The faults of any layer.
pub fn config_of(
    layers: impl IntoIterator<Item = ReadLayer>,
) -> Result<OperatorRollout, Vec<Fault>> {
    let mut good = Vec::new();
    let mut faults = Vec::new();
    for layer in layers {
        match layer {
            Ok(layer) => good.push(layer),
            Err(found) => faults.extend(found),
        }
    }
    if faults.is_empty() {
        from_layers(good)
    } else {
        Err(faults)
    }
}
