//! The function config: what can be asked of the function, and how that is read.
//!
//! The types below are the one list of fields: their JSON Schema (see [`schema`]) is what [`read`] holds the user's YAML
//! against, and what editors and catalogs get.

pub mod annotation;
pub mod read;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// `apiVersion` of the custom resource.
pub const API_VERSION: &str = "fn.flink.apache.org/v1alpha1";
/// `kind` of the custom resource.
pub const KIND: &str = "OperatorRollout";

/// What the function is to do. With every field at its default it changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OperatorRollout {
    /// Puts a checksum of the operator's configuration on the Deployment's pod template, so that the operator restarts when the
    /// configuration changes.
    pub restart_on_config_change: bool,
    /// Annotations for the Deployment's own metadata. They never go to the pod template.
    #[schemars(extend("propertyNames" = { "allOf": annotation::key_rules() }))]
    pub deployment_annotations: BTreeMap<String, String>,
    /// Which Deployment is the operator's. By default it is found by what it runs.
    pub target: Target,
    /// What the checksum covers and where it is written.
    pub checksum: Checksum,
    /// What to do about a configuration that the operator could not load.
    pub config_check: ConfigCheck,
}

/// Selects Deployments. All that is given must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Target {
    /// `metadata.name`, or one that kustomize has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `metadata.namespace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Labels of the Deployment itself.
    pub labels: BTreeMap<String, String>,
    /// Makes it no error that there is no such Deployment.
    pub optional: bool,
}

impl Target {
    /// Whether the selector decides, and not what the Deployment runs.
    #[must_use]
    pub fn selects(&self) -> bool {
        self.name.is_some() || self.namespace.is_some() || !self.labels.is_empty()
    }
}

/// The checksum on the pod template.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Checksum {
    /// Key of the annotation.
    #[schemars(extend("allOf" = annotation::key_rules()))]
    pub annotation: String,
    /// What of each source the checksum covers.
    pub covers: Covers,
    /// Which ConfigMaps and Secrets it covers.
    pub sources: Sources,
}

impl Default for Checksum {
    fn default() -> Self {
        Self {
            annotation: "checksum/config".to_owned(),
            covers: Covers::default(),
            sources: Sources::default(),
        }
    }
}

/// What of a source the checksum covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Covers {
    /// The whole resource, labels and annotations included: a chart upgrade alone restarts the operator.
    Manifest,
    /// `data` and `binaryData`.
    #[default]
    Data,
    /// The keys of `data` and `binaryData` that the pod mounts or refers to.
    Mounted,
    /// Those keys, less the options that the running operator picks up by itself.
    RestartRequired,
}

/// Which sources the checksum covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Sources {
    /// The ConfigMaps that the operator container mounts at its configuration directories.
    #[default]
    OperatorConfig,
    /// Every ConfigMap that the pod template refers to.
    AllConfigMaps,
    /// Every ConfigMap and Secret that the pod template refers to.
    AllConfigMapsAndSecrets,
}

/// What to do about a configuration that the operator could not load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum ConfigCheck {
    /// Does not look.
    Skip,
    /// Reports it as a warning.
    #[default]
    Warn,
    /// Reports it as an error, and changes nothing.
    Refuse,
}

impl OperatorRollout {
    /// Whether both options are at their default, so that nothing is to be changed.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        !self.restart_on_config_change && self.deployment_annotations.is_empty()
    }
}

/// JSON Schema (2020-12) of the fields of [`OperatorRollout`], which are those of `spec`.
#[must_use]
pub fn spec_schema() -> Json {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings
        .into_generator()
        .into_root_schema_for::<OperatorRollout>()
        .to_value()
}
