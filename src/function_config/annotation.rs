//! What Kubernetes takes for an annotation.
//!
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/#syntax-and-character-set>

use serde_json::{Value as Json, json};

use crate::resource::{ORCHESTRATOR_DOMAINS, is_orchestrator_annotation};

/// The most that the name of a key may have, in characters.
const NAME_LIMIT: usize = 63;

/// The most that its prefix may have, in characters.
const PREFIX_LIMIT: usize = 253;

/// The most that keys and values of all annotations of one object may take together, in bytes.
pub const TOTAL_SIZE_LIMIT: usize = 256 * 1024;

/// Why a key cannot be used, in words that say what would be right; none for a valid key.
#[must_use]
pub fn key_fault(key: &str) -> Option<&'static str> {
    let (prefix, name) = match key.rsplit_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let alphanumeric = |c: char| c.is_ascii_alphanumeric();
    let name_characters = |c: char| alphanumeric(c) || "-_.".contains(c);
    if name.is_empty() || name.len() > NAME_LIMIT {
        Some("the name of an annotation key (behind the `/`) has 1 to 63 characters")
    } else if !name.chars().all(name_characters)
        || !name.starts_with(alphanumeric)
        || !name.ends_with(alphanumeric)
    {
        Some(
            "the name of an annotation key is of letters, digits, `-`, `_` and `.`, and begins and ends with a letter or digit",
        )
    } else if prefix.is_some_and(|prefix| !is_dns_subdomain(prefix)) {
        Some(
            "the prefix of an annotation key (before the `/`) is a DNS name of lower-case letters, digits, `-` and `.`, of at most 253 characters",
        )
    } else if is_orchestrator_annotation(key) {
        Some(
            "annotations under config.kubernetes.io, config.k8s.io and postrenderer.helm.sh belong to kpt, kustomize and Helm; use a domain of your own",
        )
    } else {
        None
    }
}

/// RFC 1123: labels of lower-case letters, digits and `-`, joined with dots.
fn is_dns_subdomain(text: &str) -> bool {
    let character = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let label = |label: &str| {
        label.starts_with(character)
            && label.ends_with(character)
            && label.chars().all(|c| character(c) || c == '-')
    };
    text.len() <= PREFIX_LIMIT && text.split('.').all(label)
}

/// JSON Schemas that take a key, all of them, where [`key_fault`] finds no fault with it.
///
/// Their patterns have no look-around, which those of the API server cannot have; so lengths stand in one of their own.
#[must_use]
pub fn key_rules() -> [Json; 3] {
    let label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    let name = "[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?";
    let domains = ORCHESTRATOR_DOMAINS.join("|").replace('.', "\\.");
    [
        json!({ "pattern": format!("^({label}(\\.{label})*/)?{name}$") }),
        json!({ "pattern": format!("^([^/]{{1,{PREFIX_LIMIT}}}/)?[^/]{{1,{NAME_LIMIT}}}$") }),
        json!({ "not": { "pattern": format!("^([^/]*\\.)?({domains})/") } }),
    ]
}
