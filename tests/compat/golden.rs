//! Where the golden cassettes are.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a cassette.
pub(crate) const FILES: [&str; 2] = ["manifest.json", "frames.jsonl"];

/// The folder of all golden cassettes.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

/// The cassettes of today's schema.
pub(crate) fn today() -> PathBuf {
    folder().join("schema-4")
}

/// Every golden cassette, as `schema-N/NAME` and its directory, sorted.
pub(crate) fn all() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for schema in children(&folder()) {
        for dir in children(&schema) {
            let name = format!("{}/{}", name(&schema), name(&dir));
            found.push((name, dir));
        }
    }
    found
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}
