//! No golden cassette has changed since it was put here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use sha2::{Digest as _, Sha256};

use crate::golden::{FILES, all, folder};

/// The digests that were written down, by path below the folder.
fn recorded() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("SHA256SUMS")).unwrap();
    let lines = text.lines().map(|line| line.split_once("  ").unwrap());
    lines
        .map(|(digest, path)| (path.to_owned(), digest.to_owned()))
        .collect()
}

#[test]
fn every_golden_file_is_the_one_that_was_frozen() {
    let mut actual = BTreeMap::new();
    for (name, dir) in all() {
        for file in FILES {
            let digest = Sha256::digest(fs::read(dir.join(file)).unwrap());
            let mut text = String::new();
            for byte in digest {
                write!(text, "{byte:02x}").unwrap();
            }
            actual.insert(format!("{name}/{file}"), text);
        }
    }
    assert_eq!(
        actual,
        recorded(),
        "a golden cassette is never changed; a new one is added to SHA256SUMS"
    );
}
