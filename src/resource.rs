//! A Kubernetes object seen through YAML nodes.

use std::fmt;
use std::rc::Rc;

use crate::results::{self, File, ResourceRef};
use crate::yaml::tree::{NodeId, Position};
use crate::yaml::{Kind, Tree, Value};

/// An object of the input, with the tree that holds it.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// Shared by all the objects that were parsed together.
    pub tree: Rc<Tree<'a>>,
    /// Its node in the tree.
    pub node: NodeId,
}

impl Item<'_> {
    /// The object.
    #[must_use]
    pub fn resource(&self) -> Resource<'_> {
        Resource {
            root: self.tree.value(self.node),
        }
    }
}

/// A Kubernetes object.
#[derive(Clone, Copy, Debug)]
pub struct Resource<'t> {
    /// Its root mapping.
    pub root: Value<'t>,
}

impl<'t> Resource<'t> {
    fn text(self, path: &[&str]) -> Option<&'t str> {
        self.root.at(path)?.text().filter(|text| !text.is_empty())
    }

    /// `kind`, empty where there is none.
    #[must_use]
    pub fn kind(self) -> &'t str {
        self.text(&["kind"]).unwrap_or_default()
    }

    /// `apiVersion`, empty where there is none.
    #[must_use]
    pub fn api_version(self) -> &'t str {
        self.text(&["apiVersion"]).unwrap_or_default()
    }

    /// `metadata.name`.
    #[must_use]
    pub fn name(self) -> Option<&'t str> {
        self.text(&["metadata", "name"])
    }

    /// `metadata.namespace`.
    #[must_use]
    pub fn namespace(self) -> Option<&'t str> {
        self.text(&["metadata", "namespace"])
    }

    /// The value of one of the object's annotations.
    #[must_use]
    pub fn annotation(self, key: &str) -> Option<&'t str> {
        self.text(&["metadata", "annotations", key])
    }

    /// Whether it has a name, now or before kustomize changed it. Kustomize keeps the earlier ones in an annotation until it
    /// has rewritten the references to them.
    #[must_use]
    pub fn was_named(self, name: &str) -> bool {
        self.name() == Some(name) || self.previous_names().any(|previous| previous == name)
    }

    /// The names that kustomize gave it before the present one, oldest first.
    pub fn previous_names(self) -> impl Iterator<Item = &'t str> {
        self.annotation("internal.config.kubernetes.io/previousNames")
            .unwrap_or_default()
            .split(',')
            .filter(|name| !name.is_empty())
    }

    /// The file that the object came from, as the orchestrator notes it.
    #[must_use]
    pub fn file(self) -> Option<File> {
        let note = |name: &str| {
            ["internal.config.kubernetes.io/", "config.kubernetes.io/"]
                .iter()
                .find_map(|prefix| self.annotation(&format!("{prefix}{name}")))
        };
        let path = note("path")?.to_owned();
        Some(File {
            path,
            index: note("index").and_then(|index| index.parse().ok()),
        })
    }

    /// The directory of that file; empty for the package's own.
    #[must_use]
    pub fn directory(self) -> Option<String> {
        let path = self.file()?.path;
        Some(
            path.rsplit_once('/')
                .map_or(String::new(), |(directory, _)| directory.to_owned()),
        )
    }

    /// What a result says to point at the object; none for an object without a name.
    #[must_use]
    pub fn reference(self) -> Option<ResourceRef> {
        Some(ResourceRef {
            api_version: self.api_version().to_owned(),
            kind: self.kind().to_owned(),
            name: self.name()?.to_owned(),
            namespace: self.namespace().map(str::to_owned),
        })
    }
}

/// Domains whose annotations belong to the orchestrator, those of their subdomains included: kustomize's and kpt's, and that
/// under which Helm 4 notes the file of each object while a post-renderer has it.
pub const ORCHESTRATOR_DOMAINS: [&str; 3] = [
    "config.kubernetes.io",
    "config.k8s.io",
    "postrenderer.helm.sh",
];

/// Whether an annotation belongs to the orchestrator.
#[must_use]
pub fn is_orchestrator_annotation(key: &str) -> bool {
    key.split_once('/').is_some_and(|(prefix, _)| {
        ORCHESTRATOR_DOMAINS.iter().any(|domain| {
            prefix
                .strip_suffix(domain)
                .is_some_and(|subdomain| subdomain.is_empty() || subdomain.ends_with('.'))
        })
    })
}

/// A value with the path that leads to it, for reading what has to be of a certain type.
#[derive(Clone, Debug)]
pub struct Field<'t> {
    /// The value, null where the field is not there.
    pub value: Option<Value<'t>>,
    /// The path from the object's root.
    pub path: String,
}

/// A field that is of another type than Kubernetes gives it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` is {} ({position}), expected {expected}", .found.noun())]
pub struct WrongType {
    /// The path from the object's root.
    pub path: String,
    /// What it is.
    pub found: Kind,
    /// What it would have to be.
    pub expected: &'static str,
    /// Where it stands.
    pub position: Position,
}

impl WrongType {
    /// The field for a result.
    #[must_use]
    pub fn field(&self) -> results::Field {
        results::Field::at(self.path.clone())
    }
}

impl<'t> Field<'t> {
    /// The root of an object.
    #[must_use]
    pub fn root(resource: Resource<'t>) -> Self {
        Self {
            value: Some(resource.root),
            path: String::new(),
        }
    }

    fn checked(&self, kind: Kind, expected: &'static str) -> Result<Option<Value<'t>>, WrongType> {
        match self.value.filter(|value| !value.is_null()) {
            Some(value) if value.kind() != kind => Err(WrongType {
                path: self.path.clone(),
                found: value.kind(),
                expected,
                position: value.position(),
            }),
            value => Ok(value),
        }
    }

    /// A field of a mapping; null where that is null.
    ///
    /// # Errors
    ///
    /// The value is something else than a mapping.
    pub fn get(&self, key: &str) -> Result<Self, WrongType> {
        let mapping = self.checked(Kind::Mapping, "a mapping")?;
        let value = mapping.and_then(|mapping| mapping.get(key));
        Ok(Self {
            value,
            path: format!(
                "{}{}",
                self.path,
                Segment {
                    key,
                    first: self.path.is_empty()
                }
            ),
        })
    }

    /// The field at the end of a path.
    ///
    /// # Errors
    ///
    /// Something on the way is no mapping.
    pub fn at(&self, path: &[&str]) -> Result<Self, WrongType> {
        path.iter()
            .try_fold(self.clone(), |field, key| field.get(key))
    }

    /// The members of a list; none where that is null.
    ///
    /// # Errors
    ///
    /// The value is something else than a list.
    pub fn list(&self) -> Result<Vec<Self>, WrongType> {
        let list = self.checked(Kind::Sequence, "a list")?;
        let members = list.into_iter().flat_map(Value::members).enumerate();
        Ok(members
            .map(|(i, value)| Self {
                value: Some(value),
                path: format!("{}[{i}]", self.path),
            })
            .collect())
    }

    /// Whether there is a mapping.
    ///
    /// # Errors
    ///
    /// The value is neither null nor a mapping.
    pub fn is_mapping(&self) -> Result<bool, WrongType> {
        Ok(self.checked(Kind::Mapping, "a mapping")?.is_some())
    }

    /// The text of a scalar, also of one that Kubernetes would not take for a string; none where that is null or empty.
    ///
    /// # Errors
    ///
    /// The value is a list or a mapping.
    pub fn text(&self) -> Result<Option<&'t str>, WrongType> {
        match self.value.filter(|value| !value.is_null()) {
            Some(value) => match value.text() {
                Some(text) => Ok(Some(text).filter(|text| !text.is_empty())),
                None => self.checked(Kind::String, "a string").map(|_| None),
            },
            None => Ok(None),
        }
    }

    /// Whether the field is `true`.
    ///
    /// # Errors
    ///
    /// The value is neither null nor a boolean.
    pub fn is_true(&self) -> Result<bool, WrongType> {
        let value = self.checked(Kind::Bool, "a boolean")?;
        Ok(value
            .and_then(Value::text)
            .is_some_and(|text| text.eq_ignore_ascii_case("true")))
    }
}

/// One step of a path, in the form of a result's `field.path`.
struct Segment<'k> {
    key: &'k str,
    first: bool,
}

impl fmt::Display for Segment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key {
            place if is_place_in_list(place) => f.write_str(place),
            key if key.is_empty() || key.contains(['.', '[', ']', '"', ' ']) => {
                write!(f, "[{key:?}]")
            }
            key if self.first => f.write_str(key),
            key => write!(f, ".{key}"),
        }
    }
}

/// A step such as `[3]`.
fn is_place_in_list(step: &str) -> bool {
    let place = step
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    place.is_some_and(|place| !place.is_empty() && place.bytes().all(|b| b.is_ascii_digit()))
}

/// The path of a field from the object's root, such as `metadata.annotations["example.com/owner"]`. A step is a key, or a place
/// in a list such as `[3]`.
#[must_use]
pub fn field_path(steps: &[impl AsRef<str>]) -> String {
    let segment = |(i, step): (usize, &str)| {
        let segment = Segment {
            key: step,
            first: i == 0,
        };
        segment.to_string()
    };
    let steps = steps.iter().map(AsRef::as_ref).enumerate();
    steps.map(segment).collect()
}
