//! Tests of the directory handles, with the system's newer calls and without.
mod attack;
mod locking;
mod making;
mod opening;
mod replacing;
mod staging;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Directory, Finished, PlaceError};
use crate::sys::Calls;

/// What a system with everything has, and one without any of it.
pub(super) const SYSTEMS: [Calls; 2] = [
    Calls {
        whole: true,
        rename: true,
    },
    Calls {
        whole: false,
        rename: false,
    },
];

/// A root to work below, and a directory outside of it.
pub(super) struct Scratch(TempDir);

impl Scratch {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        Self(folder)
    }

    pub(super) fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    pub(super) fn outside(&self) -> PathBuf {
        self.0.path().join("outside")
    }

    /// The root, opened, on a system with these calls.
    pub(super) fn opened(&self, calls: Calls) -> Directory {
        let mut root = Directory::anchor(&self.root()).unwrap().unwrap();
        root.handle.set_calls(calls);
        root
    }

    /// Names below the root, sorted, directories with a `/`.
    pub(super) fn tree(&self) -> Vec<String> {
        tree(&self.root())
    }

    /// What an error says, with paths below the root alone.
    pub(super) fn told<T>(&self, result: Result<T, PlaceError>) -> String {
        let root = self.root().canonicalize().unwrap();
        let message = result.err().unwrap().to_string();
        message.replace(&format!("{}/", root.display()), "")
    }
}

/// A file of these bytes that has no place yet.
pub(super) fn finished<'a>(directory: &'a Directory, text: &str) -> Finished<'a> {
    let mut staged = directory.create_staged().unwrap();
    staged.write_all(text.as_bytes()).unwrap();
    staged.finish(0o640).unwrap()
}

fn tree(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            let below = tree(&entry.path());
            found.extend(below.iter().map(|below| format!("{name}/{below}")));
            found.push(format!("{name}/"));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}
