//! Finding a ConfigMap or Secret among the items by the name that a pod template gives it.

use crate::operator::SourceKind;
use crate::resource::{Item, Resource};

/// Several items answer to one name, and nothing tells which is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguous {
    /// What each of them is, for a person.
    pub candidates: Vec<String>,
}

/// The item that a Deployment means by a name.
///
/// Kustomize rewrites references last, so that a function sees the item under its new name and the reference with the old
/// one: an item answers to its earlier names too, its present name first.
///
/// # Errors
///
/// More than one is left.
pub fn find<'i, 'a>(
    items: &'i [Item<'a>],
    kind: SourceKind,
    name: &str,
    deployment: Resource<'_>,
) -> Result<Option<&'i Item<'a>>, Ambiguous> {
    let is_candidate = |item: &&Item<'_>| {
        let resource = item.resource();
        resource.kind() == kind.name() && resource.api_version() == "v1" && resource.was_named(name)
    };
    let candidates: Vec<&Item<'_>> = items.iter().filter(is_candidate).collect();
    let namespace = deployment.namespace();
    let candidates = preferred(candidates.clone(), |item| {
        item.resource().namespace() == namespace
    })
    .unwrap_or_else(|| {
        // A manifest without a namespace may be meant for any.
        let any = |item: &&Item<'_>| namespace.is_none() || item.resource().namespace().is_none();
        candidates.into_iter().filter(any).collect()
    });
    let candidates = prefer(candidates, |item| item.resource().name() == Some(name));
    let candidates = match deployment.directory() {
        Some(directory) => prefer(candidates, |item| {
            item.resource().directory().as_ref() == Some(&directory)
        }),
        None => candidates,
    };
    match candidates.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => Err(Ambiguous {
            candidates: several.iter().map(|item| described(item)).collect(),
        }),
    }
}

/// Those that fulfil the condition, if any does.
fn preferred<'i, 'a>(
    candidates: Vec<&'i Item<'a>>,
    condition: impl Fn(&Item<'a>) -> bool,
) -> Option<Vec<&'i Item<'a>>> {
    let preferred: Vec<_> = candidates
        .into_iter()
        .filter(|item| condition(item))
        .collect();
    (!preferred.is_empty()).then_some(preferred)
}

fn prefer<'i, 'a>(
    candidates: Vec<&'i Item<'a>>,
    condition: impl Fn(&Item<'a>) -> bool,
) -> Vec<&'i Item<'a>> {
    preferred(candidates.clone(), condition).unwrap_or(candidates)
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
