//! Finding a ConfigMap or Secret among the items by the name that a pod template gives it.

use crate::items::{Items, Named};
use crate::references::SourceKind;
use crate::resource::{Item, Resource};

/// Several items answer to one name, and nothing tells which is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguous {
    /// What they are, for a person: each of the first few, and how many more there are.
    pub candidates: Vec<String>,
}

/// How many candidates are told by name.
const TOLD: usize = 5;

/// The item that a Deployment means by a name.
///
/// Kustomize rewrites references last, so that a function sees the item under its new name and the reference with the old
/// one: an item answers to its earlier names too, its present name first.
///
/// # Errors
///
/// More than one is left.
pub fn find<'a>(
    items: &Items<'a>,
    kind: SourceKind,
    name: &str,
    deployment: Resource<'_>,
) -> Result<Option<Item<'a>>, Ambiguous> {
    let namespace = deployment.namespace();
    let mut candidates = candidates(items, kind, name, |named| {
        named.namespace.as_deref() == namespace
    });
    if candidates.is_empty() {
        // A manifest without a namespace may be meant for any.
        candidates = self::candidates(items, kind, name, |named| {
            namespace.is_none() || named.namespace.is_none()
        });
    }
    prefer(&mut candidates, |item| item.resource().name() == Some(name));
    if let Some(directory) = deployment.directory() {
        prefer(&mut candidates, |item| {
            item.resource().directory().as_ref() == Some(&directory)
        });
    }
    if candidates.len() > 1 {
        let told = candidates.iter().take(TOLD).map(described);
        let more = candidates.len().saturating_sub(TOLD);
        let rest = (more > 0).then(|| format!("{more} more"));
        return Err(Ambiguous {
            candidates: told.chain(rest).collect(),
        });
    }
    Ok(candidates.pop())
}

fn candidates<'a>(
    items: &Items<'a>,
    kind: SourceKind,
    name: &str,
    condition: impl Fn(&&Named) -> bool,
) -> Vec<Item<'a>> {
    let named = items.named(kind, name).iter().filter(condition);
    named
        .filter_map(|named| items.source(named))
        .filter(|item| item.resource().api_version() == "v1")
        .collect()
}

/// Leaves those that fulfil the condition, if any does.
fn prefer<'a>(candidates: &mut Vec<Item<'a>>, condition: impl Fn(&Item<'a>) -> bool) {
    if candidates.iter().any(&condition) {
        candidates.retain(condition);
    }
}

fn described(item: &Item<'_>) -> String {
    let resource = item.resource();
    let name = resource
        .reference()
        .map(|reference| reference.to_string())
        .unwrap_or_default();
    match resource.file() {
        Some(file) => format!("{name} in {}", file.path),
        None => format!("{name} ({})", resource.root.position()),
    }
}
