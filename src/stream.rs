//! A plain stream of manifests, as Helm and Argo CD have it: YAML or JSON documents, edited in place.

use std::io;
use std::ops::Range;
use std::rc::Rc;

use crate::diff;
use crate::function_config::OperatorRollout;
use crate::items::Items;
use crate::resource::Resource;
use crate::results::{Outcome, Reason, Severity};
use crate::rollout::{Rollout, roll_out};
use crate::yaml::outline;
use crate::yaml::parse::parse_stream;
use crate::yaml::{SyntaxError, Value, splice};

/// A stream as it came in.
#[derive(Debug)]
pub struct Stream<'a> {
    source: &'a str,
    /// The objects of the stream, those inside a `List` in its place.
    pub items: Items<'a>,
    /// Whether no document says anything.
    pub is_empty: bool,
    /// Whether the first document is a `ResourceList`, which is no stream of manifests.
    pub is_resource_list: bool,
}

impl<'a> Stream<'a> {
    /// Reads every document of a text.
    ///
    /// # Errors
    ///
    /// Text that is no YAML.
    pub fn read(source: &'a str) -> Result<Self, SyntaxError> {
        let tree = Rc::new(parse_stream(source)?);
        let first = tree.documents().next();
        Ok(Self {
            source,
            items: Items::of(&tree, tree.documents().map(Value::id)),
            is_empty: tree.documents().all(Value::is_null),
            is_resource_list: first.is_some_and(|root| Resource { root }.kind() == RESOURCE_LIST),
        })
    }

    /// Reads a text without parsing its documents; none where it has to be parsed to be understood.
    #[must_use]
    pub fn outline(source: &'a str) -> Option<Self> {
        let parts = outline::documents(source)?;
        let first = parts
            .iter()
            .find_map(|part| source.get(part.kind.clone()?))?;
        Some(Self {
            source,
            is_empty: false,
            is_resource_list: first == RESOURCE_LIST,
            items: Items::of_parts(source, parts),
        })
    }
}

const RESOURCE_LIST: &str = "ResourceList";

/// What the function does with a stream.
#[derive(Debug)]
pub struct Run<'a> {
    source: &'a str,
    secrets: Vec<Range<usize>>,
    /// The edits and what to say about them.
    pub rollout: Rollout,
}

/// Works out what a function config asks for.
///
/// # Errors
///
/// Text that is no YAML. Everything else that is wrong is an outcome.
pub fn run<'a>(source: &'a str, config: &OperatorRollout) -> Result<Run<'a>, SyntaxError> {
    let outlined = Stream::outline(source).map(|stream| (decide(&stream, config), stream));
    match outlined {
        Some((run, stream)) if !stream.items.is_misread() => Ok(run),
        _ => run_parsed(source, config),
    }
}

/// The same with the whole text parsed, which is slower and never better: what [`run`] falls back on, and is held against.
///
/// # Errors
///
/// As [`run`].
pub fn run_parsed<'a>(source: &'a str, config: &OperatorRollout) -> Result<Run<'a>, SyntaxError> {
    Ok(decide(&Stream::read(source)?, config))
}

fn decide<'a>(stream: &Stream<'a>, config: &OperatorRollout) -> Run<'a> {
    let refused = |reason, message: &str| {
        Rollout::refused(vec![Outcome::new(reason, Severity::Error, message)])
    };
    let rollout = if stream.is_resource_list {
        let message = "the input is a ResourceList, whose items a stream does not look into; run the program without a subcommand";
        refused(Reason::NoOperatorDeployment, message)
    } else if stream.is_empty {
        // An empty stream is what a renderer that failed leaves in a pipe; applied, it deletes what was deployed.
        let message = "the input holds no document, expected manifests; did the command that writes them fail?";
        refused(Reason::EmptyInput, message)
    } else {
        roll_out(&stream.items, config)
    };
    Run {
        source: stream.source,
        secrets: stream.items.secrets().collect(),
        rollout,
    }
}

impl Run<'_> {
    /// Writes the stream with the edits made.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        splice(self.source, &self.rollout.edits, out)
    }

    /// Writes what the edits change as a unified diff, without any line that holds a Secret.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_diff(&self, out: &mut impl io::Write) -> io::Result<()> {
        let mut edited = Vec::new();
        self.write(&mut edited)?;
        // Splices are cut at characters, so nothing is lost.
        diff::write(
            self.source,
            &String::from_utf8_lossy(&edited),
            &self.secrets,
            out,
        )
    }
}
