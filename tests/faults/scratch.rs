//! Scratch directories, in memory where that is possible: most of what is done here syncs.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A new one, and its path without links.
pub(crate) fn scratch() -> (TempDir, PathBuf) {
    let memory = Path::new("/dev/shm");
    let made = tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir());
    let made = made.unwrap();
    let path = made.path().canonicalize().unwrap();
    (made, path)
}
