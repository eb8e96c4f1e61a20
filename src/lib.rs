//! Rolls the Flink Kubernetes Operator's Deployment when its configuration changes, and annotates it, on the way from a
//! renderer to the cluster.
//!
//! The way of the data: bytes are read as a [`resource_list`], [`function_config`] says what to do, [`operator`] finds the
//! Deployments, [`sources`] their ConfigMaps, [`checksum`] makes a sum of those, [`rollout`] decides, and [`yaml`] puts the
//! annotations into the text without touching another byte.

pub mod argocd;
pub mod checksum;
pub mod configuration;
pub mod covered;
pub mod decision;
pub mod diff;
pub mod explain;
pub mod function;
pub mod function_config;
pub mod items;
pub mod operator;
pub mod options;
pub mod references;
pub mod resource;
pub mod resource_list;
pub mod results;
pub mod rollout;
pub mod schema;
pub mod sources;
pub mod stream;
pub mod yaml;
