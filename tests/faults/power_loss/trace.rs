//! The changes and syncs of a traced process, in their order.

use std::collections::BTreeMap;
use std::path::Path;

use super::call::Call;
use super::disk::{Change, Disk, Entry, Node};

/// What happened, as far as a power loss is concerned.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Change(Change),
    /// A file or directory was handed to the disk.
    Sync(Node),
    /// The process said how far it is.
    Said(String),
}

/// Reads what a process did below `root`, where `disk` was there before.
pub(crate) fn steps(log: &str, root: &Path, disk: &Disk) -> Vec<Step> {
    let mut tracker = Tracker {
        root: root.to_str().unwrap().to_owned(),
        disk: disk.clone(),
        open: BTreeMap::new(),
        steps: Vec::new(),
    };
    for line in whole_lines(log) {
        if let Some(call) = Call::parse(&line) {
            tracker.take(&call);
        }
    }
    tracker.steps
}

/// The lines, each call in one, also where another thread's came in between.
fn whole_lines(log: &str) -> Vec<String> {
    let mut begun: BTreeMap<&str, &str> = BTreeMap::new();
    let mut lines = Vec::new();
    for line in log.lines() {
        let (thread, rest) = line.split_once(' ').unwrap();
        if let Some(beginning) = line.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, beginning);
        } else if let Some(resumed) = rest.trim_start().strip_prefix("<... ") {
            let (_, end) = resumed.split_once(" resumed>").unwrap();
            lines.push(format!("{}{end}", begun.remove(thread).unwrap()));
        } else {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// An open file: which it is, and where it is read and written.
#[derive(Debug, Clone, Copy)]
struct Open {
    node: Node,
    offset: usize,
}

struct Tracker {
    root: String,
    /// As the process sees it.
    disk: Disk,
    open: BTreeMap<usize, Open>,
    steps: Vec<Step>,
}

impl Tracker {
    fn take(&mut self, call: &Call) {
        match call.name.as_str() {
            "openat" | "openat2" => self.opened(call),
            "mkdir" => self.made(call, 0),
            "mkdirat" => self.made(call, 0),
            "rename" => self.renamed(call, (0, 1), ""),
            "renameat" => self.renamed(call, (0, 2), ""),
            "renameat2" => self.renamed(call, (0, 2), call.plain(4)),
            "link" => self.linked(call, (0, 1)),
            "linkat" => self.linked(call, (0, 2)),
            "unlink" | "unlinkat" => {
                if let Some(entry) = self.entry(&call.path(0)) {
                    self.change(Change::Remove(entry));
                }
            }
            "close" => {
                self.open.remove(&call.descriptor(0).unwrap());
            }
            "fcntl" if call.plain(1).starts_with("F_DUPFD") => {
                // Those that the work makes are for reading and syncing.
                if let Some(open) = call.descriptor(0).and_then(|it| self.open.get(&it)) {
                    let copy = *open;
                    self.open.insert(call.result, copy);
                }
            }
            "write" if call.descriptor(0) == Some(2) => {
                let said = String::from_utf8_lossy(call.text(1)).into_owned();
                if let Some(said) = said.strip_prefix("said: ") {
                    self.steps.push(Step::Said(said.trim_end().to_owned()));
                }
            }
            _ => self.used(call),
        }
    }

    /// What is done to an open file.
    fn used(&mut self, call: &Call) {
        let Some(Open { node, offset }) = call
            .descriptor(0)
            .and_then(|it| self.open.get(&it))
            .copied()
        else {
            return;
        };
        let moved = match call.name.as_str() {
            "read" => offset + call.result,
            "lseek" => call.result,
            "write" => {
                let bytes = call.text(1)[..call.result].to_vec();
                self.change(Change::Write(node, offset, bytes));
                offset + call.result
            }
            "ftruncate" => {
                let length = call.plain(1).parse().unwrap();
                self.change(Change::Cut(node, length));
                offset
            }
            "fsync" | "fdatasync" => {
                self.steps.push(Step::Sync(node));
                offset
            }
            // Or the model would leave out what they do.
            "pwrite64" | "writev" | "pwritev" | "sendfile" | "copy_file_range" | "fallocate"
            | "ioctl" => panic!("not in the model: {call:?}"),
            _ => offset,
        };
        if let Some(open) = self.open.get_mut(&call.descriptor(0).unwrap()) {
            open.offset = moved;
        }
    }

    fn opened(&mut self, call: &Call) {
        let flags = format!("{} {}", call.plain(1), call.plain(2));
        assert!(!flags.contains("O_TMPFILE"), "not in the model: {call:?}");
        let path = call.path(0);
        let node = match self.node(&path) {
            Some(node) => node,
            None => {
                let Some(entry) = self.entry(&path).filter(|_| flags.contains("O_CREAT")) else {
                    return;
                };
                let node = self.disk.next();
                self.change(Change::Create(entry, node));
                node
            }
        };
        if flags.contains("O_TRUNC") {
            self.change(Change::Cut(node, 0));
        }
        assert!(!flags.contains("O_APPEND"), "not in the model: {call:?}");
        self.open.insert(call.result, Open { node, offset: 0 });
    }

    fn made(&mut self, call: &Call, at: usize) {
        if let Some(entry) = self.entry(&call.path(at)) {
            let node = self.disk.next();
            self.change(Change::Make(entry, node));
        }
    }

    fn renamed(&mut self, call: &Call, (from, to): (usize, usize), flags: &str) {
        let (Some(from), Some(to)) = (self.entry(&call.path(from)), self.entry(&call.path(to)))
        else {
            return;
        };
        let moved = self.disk.at(&from).unwrap();
        self.change(if flags.contains("RENAME_EXCHANGE") {
            let other = self.disk.at(&to).unwrap();
            Change::Exchange([(from, moved), (to, other)])
        } else {
            Change::Rename(from, to, moved)
        });
    }

    fn linked(&mut self, call: &Call, (from, to): (usize, usize)) {
        let from = self.node(&call.path(from));
        if let (Some(node), Some(to)) = (from, self.entry(&call.path(to))) {
            self.change(Change::Link(to, node));
        }
    }

    fn change(&mut self, change: Change) {
        self.disk.apply(&change);
        self.steps.push(Step::Change(change));
    }

    /// The name at a path and the directory that it is in, below the root.
    fn entry(&self, path: &str) -> Option<Entry> {
        let (above, name) = path.rsplit_once('/')?;
        let directory = self.node(above)?;
        (name != ".").then(|| Entry {
            directory,
            name: name.to_owned(),
        })
    }

    /// What is at a path below the root, or the root.
    fn node(&self, path: &str) -> Option<Node> {
        let below = path.strip_prefix(&self.root)?;
        let mut names = below.split('/').filter(|name| !matches!(*name, "" | "."));
        names.try_fold(0, |directory, name| {
            self.disk.at(&Entry {
                directory,
                name: name.to_owned(),
            })
        })
    }
}
