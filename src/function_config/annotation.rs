//! What Kubernetes takes for an annotation.
//!
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/#syntax-and-character-set>

use crate::resource::is_orchestrator_annotation;

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
    if name.is_empty() || name.len() > 63 {
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
    text.len() <= 253 && text.split('.').all(label)
}
