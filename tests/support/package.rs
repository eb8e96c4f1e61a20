//! A folder of manifests that a tool reads, and may change.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::manifests::search_path;

pub(crate) struct Package {
    folder: TempDir,
}

impl Package {
    /// Files by path and text.
    pub(crate) fn of<Text: AsRef<str>>(files: &[(&str, Text)]) -> Self {
        let package = Self {
            folder: TempDir::new().unwrap(),
        };
        for (path, text) in files {
            package.write(path, text.as_ref());
        }
        package
    }

    pub(crate) fn copy_of(folder: &Path) -> Self {
        let package = Self {
            folder: TempDir::new().unwrap(),
        };
        for path in files_below(folder) {
            let text = fs::read_to_string(folder.join(&path)).unwrap();
            package.write(path.to_str().unwrap(), &text);
        }
        package
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// The paths of all files in the folder and in folders below, relative to it, sorted.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(folder).unwrap().to_path_buf());
            }
        }
    }
    files.sort();
    files
}

/// A `PATH` on which `docker` and `podman` start containers with a read-only root and without capabilities.
pub(crate) fn hardened_containers() -> OsString {
    search_path(&[&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/containers")])
}
