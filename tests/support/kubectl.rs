//! The kubectls at hand.

use std::path::PathBuf;

use crate::manifests::search_path;

/// Every kubectl of the search path: what a function or plugin sees differs between kustomize's versions.
pub(crate) fn kubectls() -> Vec<PathBuf> {
    let path = search_path(&[]);
    let found: Vec<PathBuf> = std::env::split_paths(&path)
        .map(|folder| folder.join("kubectl"))
        .filter(|file| file.is_file())
        .collect();
    assert!(!found.is_empty(), "no kubectl in {path:?}");
    found
}
