//! What the rules look at: the text files of the repository, Rust read into tokens, and the
//! members of the workspace. Loading is here; after it nothing touches the disk.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::metadata::{Member, Metadata};
use crate::rust::{LexFailure, Source};

/// Everything that tidy checks.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Tracked files, and new ones that are not ignored; those that are not UTF-8 are left out.
    pub(crate) files: Vec<TextFile>,
    /// The packages of the workspace.
    pub(crate) members: Vec<Member>,
}

/// A text file.
#[derive(Debug)]
pub(crate) struct TextFile {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
    /// For `*.rs` its tokens, or where reading them failed.
    pub(crate) rust: Option<Result<Source, LexFailure>>,
}

impl Tree {
    /// Reads the files that git knows or would add.
    pub(crate) fn load(metadata: &Metadata) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        for path in listed_by_git(&metadata.root)? {
            let place = metadata.root.join(&path);
            // A file may be gone from the work tree, or be a link to one that is listed itself.
            if !fs::symlink_metadata(&place).is_ok_and(|found| found.is_file()) {
                continue;
            }
            let bytes = fs::read(&place).with_context(|| format!("cannot read {path}"))?;
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(TextFile::new(path, text));
            }
        }
        Ok(Self {
            files,
            members: metadata.members.clone(),
        })
    }

    /// The file of this path.
    pub(crate) fn file(&self, path: &str) -> Option<&TextFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Every readable Rust file.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&TextFile, &Source)> {
        self.files
            .iter()
            .filter_map(|file| Some((file, file.rust.as_ref()?.as_ref().ok()?)))
    }

    /// Every readable Rust file below a folder, which ends in `/`.
    pub(crate) fn sources_below(&self, folder: &str) -> impl Iterator<Item = (&TextFile, &Source)> {
        self.sources()
            .filter(move |(file, _)| file.path.starts_with(folder))
    }

    /// The libraries that users depend on.
    pub(crate) fn libraries(&self) -> impl Iterator<Item = &Member> {
        self.members
            .iter()
            .filter(|member| member.is_library_crate())
    }

    /// A tree of these paths and texts.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| TextFile::new(*path, *text))
            .collect();
        Self {
            files,
            members: Vec::new(),
        }
    }

    /// The same tree with one more library crate, which depends on the given members.
    #[cfg(test)]
    pub(crate) fn with_library(mut self, name: &str, edges: &[&str]) -> Self {
        self.members.push(Member {
            version: String::new(),
            name: name.to_owned(),
            folder: format!("crates/{name}"),
            library: true,
            edges: edges.iter().map(|&edge| edge.to_owned()).collect(),
        });
        self
    }
}

impl TextFile {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let (path, text) = (path.into(), text.into());
        let rust = path.ends_with(".rs").then(|| Source::parse(&text));
        Self { path, text, rust }
    }

    /// The last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether the whole file is tests: `tests.rs`, or anything below a `tests` folder.
    pub(crate) fn is_test(&self) -> bool {
        self.name() == "tests.rs" || self.path.split('/').any(|part| part == "tests")
    }

    /// The lines with their numbers, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }
}

fn listed_by_git(root: &Path) -> anyhow::Result<Vec<String>> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .output()
        .context("cannot start git ls-files")?;
    if !output.status.success() {
        bail!(
            "git ls-files failed: {}",
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    let list = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    let mut paths: Vec<_> = list
        .split('\0')
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_known_by_their_place() {
        let is_test = |path: &str| TextFile::new(path, "").is_test();

        assert!(is_test("crates/a/src/b/tests.rs"));
        assert!(is_test("crates/a/tests/integration/main.rs"));
        assert!(is_test("tests/src/lib.rs"));
        assert!(!is_test("crates/a/src/tests_of_time.rs"));
    }

    #[test]
    fn git_lists_new_files_and_leaves_out_ignored_and_deleted_ones() {
        let folder = Scratch::new("tree");
        let git = |arguments: &[&str]| {
            let done = Command::new("git")
                .args(arguments)
                .current_dir(&folder.0)
                .output()
                .unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        git(&["init", "-q"]);
        fs::write(folder.0.join("kept.rs"), "//! Kept.\n").unwrap();
        fs::write(folder.0.join("gone.rs"), "").unwrap();
        git(&["add", "kept.rs", "gone.rs"]);
        fs::remove_file(folder.0.join("gone.rs")).unwrap();
        fs::write(folder.0.join("new.md"), "new").unwrap();
        fs::write(folder.0.join("built.md"), "built").unwrap();
        fs::write(folder.0.join(".gitignore"), "built.md\n").unwrap();
        fs::write(folder.0.join("picture"), [0xff, 0xfe]).unwrap();
        let metadata = Metadata {
            root: folder.0.clone(),
            target: folder.0.join("target"),
            members: vec![],
        };

        let tree = Tree::load(&metadata).unwrap();

        let paths: Vec<_> = tree.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, [".gitignore", "kept.rs", "new.md"]);
    }

    /// A folder that is removed when the test ends.
    struct Scratch(std::path::PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }
}
