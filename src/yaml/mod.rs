//! Lossless YAML: read with the byte range of every node, changed by splicing text, never written anew.
//!
//! [`parse`] turns text into a [`Tree`], [`Value`] looks into it as Kubernetes' tools do (aliases, merge keys, plain
//! scalars), and [`edit`] works out the [`Splice`]s that put entries into a mapping while every other byte stays.
//! JSON is read by the same parser, since it is YAML; [`json`] finds the places where only JSON begins anew.

pub mod append;
mod copy;
mod duplicate;
pub mod edit;
pub mod emit;
pub mod json;
mod line;
mod merge;
mod new;
pub mod outline;
pub mod parse;
pub mod scalar;
pub mod tree;

pub use edit::{Splice, splice};
pub use parse::{SyntaxError, parse};
pub use scalar::Kind;
pub use tree::{Tree, Value};
