//! One vector: where it is found, what it holds, what becomes of it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// What a vector is about: the folder it lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Record,
    Replay,
    Fork,
    Matching,
    Projection,
    Audit,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] = [
        Self::Record,
        Self::Replay,
        Self::Fork,
        Self::Matching,
        Self::Projection,
        Self::Audit,
    ];

    pub(crate) const fn folder(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Replay => "replay",
            Self::Fork => "fork",
            Self::Matching => "matching",
            Self::Projection => "projection",
            Self::Audit => "audit",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Vector {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) input: Value,
    pub(crate) expect: Value,
}

impl Vector {
    /// `kind/name`, as DEVIATIONS.md names it.
    pub(crate) fn title(&self) -> String {
        format!("{}/{}", self.kind.folder(), self.name)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// As DEVIATIONS.md says, not as the vector says.
    Deviates,
    NotCovered,
    Failed(String),
}

/// Where the vectors are.
pub(crate) fn folder() -> PathBuf {
    std::env::var_os("CASSETTE_VECTORS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors"),
        PathBuf::from,
    )
}

/// All vectors below `folder`, kind by kind, sorted by name. A folder without
/// vectors is a mistake of whoever named it.
pub(crate) fn all(folder: &Path) -> Vec<Vector> {
    let mut vectors = Vec::new();
    for kind in Kind::ALL {
        let Ok(files) = fs::read_dir(folder.join(kind.folder())) else {
            continue;
        };
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.retain(|file| {
            file.extension()
                .is_some_and(|extension| extension == "json")
        });
        files.sort();
        vectors.extend(files.iter().map(|file| read(kind, file)));
    }
    assert!(!vectors.is_empty(), "no vectors below {}", folder.display());
    vectors
}

fn read(kind: Kind, file: &Path) -> Vector {
    let text = fs::read(file).unwrap();
    let mut vector: Value =
        serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let name = vector["name"].as_str().unwrap_or_default().to_owned();
    Vector {
        kind,
        name,
        input: vector["input"].take(),
        expect: vector["expect"].take(),
    }
}
