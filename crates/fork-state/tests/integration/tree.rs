//! What lies below a directory.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Directory,
    File { mode: u32, bytes: Vec<u8> },
    Link(PathBuf),
    Other,
}

/// Everything below a directory, by relative path.
pub(crate) type Tree = BTreeMap<PathBuf, Node>;

pub(crate) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    add(root, root, &mut tree);
    tree
}

/// The same without directories, which a binding that fails may make.
pub(crate) fn files(root: &Path) -> Tree {
    let mut tree = tree(root);
    tree.retain(|_, node| *node != Node::Directory);
    tree
}

fn add(root: &Path, directory: &Path, tree: &mut Tree) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let name = path.strip_prefix(root).unwrap().to_owned();
        let kind = metadata.file_type();
        if kind.is_dir() {
            tree.insert(name, Node::Directory);
            add(root, &path, tree);
        } else if kind.is_symlink() {
            tree.insert(name, Node::Link(fs::read_link(&path).unwrap()));
        } else if kind.is_file() {
            let mode = metadata.permissions().mode() & 0o777;
            let bytes = fs::read(&path).unwrap();
            tree.insert(name, Node::File { mode, bytes });
        } else {
            tree.insert(name, Node::Other);
        }
    }
}
