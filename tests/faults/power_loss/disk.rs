//! Files and directories, and the changes to them that a system call makes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A file or directory; it stays the same one under another name.
pub(crate) type Node = usize;

/// What is there at a path: the bytes of a file, or nothing but that it is a directory.
pub(crate) type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) directory: Node,
    pub(crate) name: String,
}

/// What one call changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// A name for a new file.
    Create(Entry, Node),
    /// A name for a new directory.
    Make(Entry, Node),
    /// Another name for a file.
    Link(Entry, Node),
    /// A name less.
    Remove(Entry),
    /// From here to there, in the place of what was there.
    Rename(Entry, Entry, Node),
    /// Each in the place of the other.
    Exchange([(Entry, Node); 2]),
    /// Bytes at an offset.
    Write(Node, usize, Vec<u8>),
    /// A length.
    Cut(Node, usize),
}

impl Change {
    /// What has to be synced for this to last.
    pub(crate) const fn lasts_with(&self) -> Node {
        match self {
            Self::Create(entry, _)
            | Self::Make(entry, _)
            | Self::Link(entry, _)
            | Self::Remove(entry)
            | Self::Rename(_, entry, _)
            | Self::Exchange([_, (entry, _)]) => entry.directory,
            Self::Write(node, ..) | Self::Cut(node, _) => *node,
        }
    }
}

#[derive(Debug, Clone)]
enum Content {
    File(Vec<u8>),
    Directory(BTreeMap<String, Node>),
}

/// All that a disk holds below a directory, which is the node 0.
#[derive(Debug, Clone)]
pub(crate) struct Disk(Vec<Content>);

impl Disk {
    /// What there is below a directory now.
    pub(crate) fn of(directory: &Path) -> Self {
        let mut disk = Self(vec![Content::Directory(BTreeMap::new())]);
        disk.read(directory, 0);
        disk
    }

    fn read(&mut self, directory: &Path, node: Node) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let entry = Entry {
                directory: node,
                name,
            };
            let child = self.next();
            if path.is_dir() {
                self.apply(&Change::Make(entry, child));
                self.read(&path, child);
            } else {
                self.apply(&Change::Create(entry, child));
                self.apply(&Change::Write(child, 0, fs::read(&path).unwrap()));
            }
        }
    }

    /// The number of the next new file or directory.
    pub(crate) const fn next(&self) -> Node {
        self.0.len()
    }

    /// Has what a change makes be there, empty and without a name.
    pub(crate) fn allot(&mut self, change: &Change) {
        let (node, content) = match change {
            Change::Create(_, node) => (*node, Content::File(Vec::new())),
            Change::Make(_, node) => (*node, Content::Directory(BTreeMap::new())),
            _ => return,
        };
        if node == self.0.len() {
            self.0.push(content);
        }
    }

    /// What has this name.
    pub(crate) fn at(&self, entry: &Entry) -> Option<Node> {
        match &self.0[entry.directory] {
            Content::Directory(names) => names.get(&entry.name).copied(),
            Content::File(_) => None,
        }
    }

    /// Makes a change, also where what it follows was lost.
    pub(crate) fn apply(&mut self, change: &Change) {
        match change {
            Change::Create(entry, node) => {
                self.allot(change);
                self.set(entry, *node);
            }
            Change::Make(entry, node) => {
                self.allot(change);
                self.set(entry, *node);
            }
            Change::Link(entry, node) => self.set(entry, *node),
            Change::Remove(entry) => {
                self.names(entry.directory).remove(&entry.name);
            }
            Change::Rename(from, to, node) => {
                self.names(from.directory).remove(&from.name);
                self.set(to, *node);
            }
            Change::Exchange([(one, its), (other, others)]) => {
                self.set(one, *others);
                self.set(other, *its);
            }
            Change::Write(node, offset, bytes) => {
                let file = self.file(*node);
                let end = offset + bytes.len();
                file.resize(file.len().max(end), 0);
                file[*offset..end].copy_from_slice(bytes);
            }
            Change::Cut(node, length) => self.file(*node).resize(*length, 0),
        }
    }

    /// All that has a name.
    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        self.list(0, Path::new(""), &mut tree);
        tree
    }

    fn list(&self, node: Node, path: &Path, tree: &mut Tree) {
        match &self.0[node] {
            Content::File(bytes) => {
                tree.insert(path.to_owned(), Some(bytes.clone()));
            }
            Content::Directory(names) => {
                tree.insert(path.to_owned(), None);
                for (name, node) in names {
                    self.list(*node, &path.join(name), tree);
                }
            }
        }
    }

    fn set(&mut self, entry: &Entry, node: Node) {
        self.names(entry.directory).insert(entry.name.clone(), node);
    }

    fn names(&mut self, directory: Node) -> &mut BTreeMap<String, Node> {
        match &mut self.0[directory] {
            Content::Directory(names) => names,
            Content::File(_) => panic!("names in a file"),
        }
    }

    fn file(&mut self, node: Node) -> &mut Vec<u8> {
        match &mut self.0[node] {
            Content::File(bytes) => bytes,
            Content::Directory(_) => panic!("bytes of a directory"),
        }
    }
}

/// Makes these files and directories below a directory.
pub(crate) fn build(tree: &Tree, directory: &Path) {
    for (path, bytes) in tree {
        let path = directory.join(path);
        match bytes {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None => fs::create_dir_all(path).unwrap(),
        }
    }
}
