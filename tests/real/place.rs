//! A directory to work in and a home, as a user on some machine has them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// What a client has in its directory as `notes.txt`.
const NOTES: &str = "buy milk\nwater the plants\n";

/// One user's directories, and a name by which what that user makes is told from another's.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) user: &'static str,
    pub(crate) directory: PathBuf,
    pub(crate) home: PathBuf,
}

impl Place {
    /// Makes both below `root`.
    pub(crate) fn new(root: &Path, user: &'static str, directory: &str) -> Self {
        let root = fs::canonicalize(root).unwrap().join(user);
        let (directory, home) = (root.join(directory), root.join("home"));
        fs::create_dir_all(&directory).unwrap();
        fs::create_dir_all(&home).unwrap();
        fs::write(directory.join("notes.txt"), NOTES).unwrap();
        Self {
            user,
            directory,
            home,
        }
    }

    /// What was told as any other user would have been told it.
    pub(crate) fn anywhere(&self, told: &[Value]) -> Vec<Value> {
        let mut text = Value::from(told).to_string();
        for (path, word) in [(&self.directory, "<directory>"), (&self.home, "<home>")] {
            let path = path.to_str().unwrap();
            let slug = path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            text = text.replace(path, word).replace(&slug, word);
        }
        text = text.replace(&format!("{}-", self.user), "<user>-");
        serde_json::from_str(&text).unwrap()
    }
}
