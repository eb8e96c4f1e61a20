//! The KRM functions protocol: a `ResourceList` as read, and written back with results.
//!
//! <https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md>

use std::io;
use std::rc::Rc;

use serde_json::Value as Json;

use crate::items::Items;
use crate::resource::Resource;
use crate::results::Outcome;
use crate::yaml::append::{append_entry, append_members};
use crate::yaml::outline::{self, Part};
use crate::yaml::parse::parse_outline;
use crate::yaml::tree::{NodeId, Position};
use crate::yaml::{Kind, Splice, SyntaxError, Tree, Value, parse, splice};

/// The field that holds the objects.
const ITEMS: &str = "items";

/// Text that cannot be read as a `ResourceList`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Bytes that are no UTF-8.
    #[error("{0}: the input is not UTF-8")]
    NotUtf8(Position),
    /// Text that is no YAML.
    #[error("the input is not YAML: {0}")]
    Syntax(#[from] SyntaxError),
    /// Nothing at all.
    #[error(
        "the input is empty, expected a ResourceList; for a stream of manifests use `flink-operator-rollout stream`"
    )]
    Empty,
    /// Something else than a `ResourceList`.
    #[error(
        "{position}: expected a ResourceList (config.kubernetes.io/v1), found {found}; for a stream of manifests use `flink-operator-rollout stream`"
    )]
    NotAResourceList {
        /// What is there.
        found: String,
        /// Where it begins.
        position: Position,
    },
    /// A second document.
    #[error("{0}: a second document behind the ResourceList, expected exactly one")]
    SecondDocument(Position),
    /// A key twice in the list itself.
    #[error("{position}: key `{key}` is given twice")]
    DuplicateKey {
        /// The key.
        key: String,
        /// The second one's place.
        position: Position,
    },
    /// Results that another part of the input shares, which would get the new ones too.
    #[error(
        "{0}: `results` is shared through an anchor or a merge key, expected a list of its own; write it out"
    )]
    SharedResults(Position),
    /// A field of the list is of the wrong type.
    #[error("{position}: `{field}` is {}, expected {expected}", .found.noun())]
    WrongType {
        /// The field.
        field: &'static str,
        /// What it is.
        found: Kind,
        /// What it would have to be.
        expected: &'static str,
        /// Where it stands.
        position: Position,
    },
}

/// The text of the input.
///
/// # Errors
///
/// Bytes that are no UTF-8.
pub fn utf8(input: &[u8]) -> Result<&str, InputError> {
    std::str::from_utf8(input).map_err(|error| {
        let valid = input.get(..error.valid_up_to()).unwrap_or_default();
        let valid = std::str::from_utf8(valid).unwrap_or_default();
        InputError::NotUtf8(Position::of(valid, valid.len()))
    })
}

/// A `ResourceList` as it came in.
#[derive(Debug)]
pub struct ResourceList<'a> {
    /// All of it, or all but the items where those are parts.
    tree: Rc<Tree<'a>>,
    root: NodeId,
    parts: Option<Vec<Part>>,
}

impl<'a> ResourceList<'a> {
    /// Reads the one document of a text.
    ///
    /// # Errors
    ///
    /// See [`InputError`].
    pub fn read(source: &'a str) -> Result<Self, InputError> {
        let tree = parse(source)?;
        let mut documents = tree.documents();
        let root = documents.next().ok_or(InputError::Empty)?;
        check_root(root)?;
        if let Some(second) = documents.next() {
            return Err(InputError::SecondDocument(second.position()));
        }
        let root = root.id();
        drop(documents);
        Ok(Self {
            tree: Rc::new(tree),
            root,
            parts: None,
        })
    }

    /// Reads a text without parsing its items; none where it has to be parsed as a whole to be understood.
    #[must_use]
    pub fn outline(source: &'a str) -> Option<Self> {
        let list = outline::list(source, ITEMS).filter(|_| source.ends_with('\n'))?;
        let tree = parse_outline(source, &list, ITEMS).ok()??;
        let root = tree.documents().next()?;
        check_root(root).ok()?;
        let root = root.id();
        Some(Self {
            tree: Rc::new(tree),
            root,
            parts: Some(list.items),
        })
    }

    fn root(&self) -> Value<'_> {
        self.tree.value(self.root)
    }

    /// The objects of the list, those inside a `List` in its place.
    #[must_use]
    pub fn items(&self) -> Items<'a> {
        if let Some(parts) = &self.parts {
            return Items::of_parts(self.tree.source(), parts.clone());
        }
        let members = self.root().get(ITEMS).into_iter().flat_map(Value::members);
        Items::of(&self.tree, members.map(Value::id))
    }

    /// `functionConfig`, where there is one.
    #[must_use]
    pub fn function_config(&self) -> Option<Value<'_>> {
        self.root().at(&["functionConfig"])
    }

    /// Writes the list with the edits made and the outcomes behind the results that came in.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write(
        &self,
        mut edits: Vec<Splice>,
        outcomes: &[Outcome],
        out: &mut impl io::Write,
    ) -> io::Result<()> {
        edits.extend(self.missing_items());
        edits.extend(self.results(outcomes));
        splice(self.tree.source(), &edits, out)
    }

    /// kpt takes a list without `items` for a resource, and reports that instead of the results.
    fn missing_items(&self) -> Vec<Splice> {
        match self.root().get(ITEMS) {
            Some(_) => Vec::new(),
            None => append_entry(self.root(), ITEMS, &Json::Array(Vec::new())),
        }
    }

    fn results(&self, outcomes: &[Outcome]) -> Vec<Splice> {
        let results: Vec<Json> = outcomes.iter().map(Outcome::to_json).collect();
        let mut entries = self.root().entries().into_iter();
        match entries.find(|(key, _)| key.text() == Some("results")) {
            _ if results.is_empty() => Vec::new(),
            Some((key, earlier)) => append_members(key, earlier, &results),
            None => append_entry(self.root(), "results", &Json::Array(results)),
        }
    }
}

fn check_root(root: Value<'_>) -> Result<(), InputError> {
    let resource = Resource { root };
    let position = root.position();
    if root.kind() != Kind::Mapping {
        let found = root.kind().noun().to_owned();
        return Err(InputError::NotAResourceList { found, position });
    }
    if resource.kind() != "ResourceList"
        || !resource.api_version().starts_with("config.kubernetes.io/")
    {
        let found = match (resource.kind(), resource.api_version()) {
            ("", _) => "a mapping without `kind`".to_owned(),
            (kind, "") => format!("`{kind}` without `apiVersion`"),
            (kind, api_version) => format!("`{kind}` of `{api_version}`"),
        };
        return Err(InputError::NotAResourceList { found, position });
    }
    let mut keys = std::collections::HashSet::new();
    for (key, _) in root.own_entries() {
        if let Some(text) = key.text().filter(|text| !keys.insert(*text)) {
            return Err(InputError::DuplicateKey {
                key: text.to_owned(),
                position: key.position(),
            });
        }
    }
    let typed = [
        (ITEMS, Kind::Sequence, "a list"),
        ("results", Kind::Sequence, "a list"),
    ];
    for (field, kind, expected) in typed {
        if let Some(value) = root.at(&[field]).filter(|value| value.kind() != kind) {
            let (found, position) = (value.kind(), value.position());
            return Err(InputError::WrongType {
                field,
                found,
                expected,
                position,
            });
        }
    }
    let own = |field| root.own_entries().any(|(key, _)| key.text() == Some(field));
    match root.at(&["results"]) {
        Some(results) if results.is_shared() || !own("results") => {
            Err(InputError::SharedResults(results.position()))
        }
        _ => Ok(()),
    }
}
