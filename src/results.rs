//! What the function tells of its work, in the form of the KRM functions specification (`config.kubernetes.io/v1`
//! `ResourceList`, field `results`).

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

/// One entry of `results`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// What happened and why, for a person.
    pub message: String,
    /// How much it matters. Any [`Severity::Error`] makes the function fail.
    pub severity: Severity,
    /// The resource that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_ref: Option<ResourceRef>,
    /// The field of that resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<Field>,
    /// The file that the resource came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<File>,
    /// The reason, for programs.
    pub tags: Tags,
}

/// `severity` of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// For the record.
    Info,
    /// Done, but worth a look.
    Warning,
    /// Nothing was changed.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// `resourceRef` of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRef {
    /// Group and version.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
    /// Namespace, where the manifest names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

impl fmt::Display for ResourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        f.write_str(&self.name)
    }
}

/// `field` of a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// The keys that lead to it, such as `spec.replicas` or `data["config.yaml"]`.
    pub path: String,
    /// The value that it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_value: Option<Json>,
    /// The value that it gets, or should have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed_value: Option<Json>,
}

impl Field {
    /// A field of which only the path is told.
    #[must_use]
    pub fn at(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            current_value: None,
            proposed_value: None,
        }
    }
}

/// `file` of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct File {
    /// Relative to the package, with slashes.
    pub path: String,
    /// The place of the resource in the file, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
}

/// `tags` of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tags {
    /// Why the result is there.
    pub reason: Reason,
}

/// Every reason that a result can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[expect(
    missing_docs,
    reason = "the README's table of results says what each stands for"
)]
pub enum Reason {
    ChecksumAdded,
    ChecksumUpdated,
    ChecksumUnchanged,
    ChecksumNotMaintained,
    RestartCausesOutage,
    ConfigNotManaged,
    ConfigPartlyManaged,
    ConfigNotRead,
    ConfigWouldNotLoad,
    MisspelledOption,
    AnnotationAdded,
    AnnotationUpdated,
    AnnotationUnchanged,
    NothingToDo,
    NoOperatorDeployment,
    InvalidFunctionConfig,
    InvalidConfigMap,
    InvalidDeployment,
    AmbiguousSource,
    EmptyInput,
}

impl Outcome {
    /// A result that is about nothing in particular.
    #[must_use]
    pub fn new(reason: Reason, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            severity,
            resource_ref: None,
            field: None,
            file: None,
            tags: Tags { reason },
        }
    }

    /// The same, about a field.
    #[must_use]
    pub fn with_field(mut self, field: Field) -> Self {
        self.field = Some(field);
        self
    }

    /// The same, about a resource that came from a file.
    #[must_use]
    pub fn about(mut self, resource_ref: Option<ResourceRef>, file: Option<File>) -> Self {
        self.resource_ref = resource_ref;
        self.file = file;
        self
    }

    /// The result in the form in which it stands in a `ResourceList`.
    #[must_use]
    pub fn to_json(&self) -> Json {
        // Nothing in an outcome can fail to serialise: its maps have string keys.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// One line for a person: severity, reason, resource, message.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.severity)?;
        if let Some(resource) = &self.resource_ref {
            write!(f, "{resource}: ")?;
        }
        write!(f, "{} ({:?})", one_line(&self.message), self.tags.reason)
    }
}

/// The text without line breaks and other characters that a terminal obeys.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
