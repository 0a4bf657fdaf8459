//! What a disk may hold after a power loss: what was synced, and any part of the rest.

use std::collections::BTreeSet;
use std::path::Path;

use super::disk::{Change, Disk, Tree, build};
use super::trace::{Step, steps};
use crate::scratch::scratch;
use crate::tracer::traced;

/// Of more changes than these, the older ones are there together or not.
const MOST_WAITING: usize = 12;

/// The calls that a trace has to have.
const CALLS: &str = "trace=openat,openat2,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,\
    unlink,unlinkat,close,fcntl,read,write,lseek,ftruncate,fsync,fdatasync,pwrite64,writev,\
    pwritev,sendfile,copy_file_range,fallocate";

/// A directory as it was found after a power loss.
pub(crate) struct Found<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) tree: &'a Tree,
    /// How often the process had said that something was done.
    pub(crate) said: usize,
}

/// Traces the work on what `prepare` makes, and looks at everything that a power loss during it
/// may leave. Tells how much that was.
pub(crate) fn after_each_power_loss(
    work: &str,
    prepare: impl FnOnce(&Path),
    mut look: impl FnMut(&Found<'_>),
) {
    let (_made, root) = scratch();
    prepare(&root);
    let before = Disk::of(&root);
    let Some(run) = traced(&root, work, &["-e", CALLS]) else {
        return;
    };
    assert!(run.ended.success(), "{}", run.log);
    let steps = steps(&run.log, &root, &before);
    let after = Disk::of(&root).tree();
    let mut losses = Losses::new(before);
    for step in &steps {
        losses.take(step);
    }
    // Or the trace was misunderstood.
    assert!(losses.whole().tree() == after, "{steps:?}");
    let syncs = steps.iter().filter(|it| matches!(it, Step::Sync(_)));
    let (syncs, power_losses, found) = (syncs.count(), losses.tried, losses.found.len());
    for (tree, said) in &losses.found {
        let (_made, directory) = scratch();
        build(tree, &directory);
        let said = *said;
        look(&Found {
            directory: &directory,
            tree,
            said,
        });
    }
    println!(
        "faults: {} changes and {syncs} syncs, {power_losses} power losses, {found} different \
         directories, all sound",
        losses.changes.len()
    );
}

struct Losses {
    before: Disk,
    changes: Vec<Change>,
    /// Changes, by their places, that no sync has made last.
    waiting: Vec<usize>,
    said: usize,
    found: BTreeSet<(Tree, usize)>,
    tried: usize,
}

impl Losses {
    fn new(before: Disk) -> Self {
        let mut losses = Self {
            before,
            changes: Vec::new(),
            waiting: Vec::new(),
            said: 0,
            found: BTreeSet::new(),
            tried: 0,
        };
        losses.lose();
        losses
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Change(change) => {
                self.before.allot(change);
                self.waiting.push(self.changes.len());
                self.changes.push(change.clone());
            }
            Step::Sync(node) => {
                let changes = &self.changes;
                self.waiting.retain(|at| changes[*at].lasts_with() != *node);
            }
            Step::Said(what) => self.said += usize::from(is_lasting(what)),
        }
        self.lose();
    }

    /// With all changes.
    fn whole(&self) -> Disk {
        let mut disk = self.before.clone();
        self.changes.iter().for_each(|change| disk.apply(change));
        disk
    }

    /// The power goes now.
    fn lose(&mut self) {
        let older = self.waiting.len().saturating_sub(MOST_WAITING);
        let (older, newer) = self.waiting.split_at(older);
        let (older, newer) = (older.to_vec(), newer.to_vec());
        for with_older in [false, true] {
            if older.is_empty() && with_older {
                continue;
            }
            for subset in 0..1_usize << newer.len() {
                let is_kept = |at: usize| {
                    let number = newer.iter().position(|newer| *newer == at);
                    let is_old = older.contains(&at);
                    number.map_or(!is_old || with_older, |number| subset >> number & 1 == 1)
                };
                let kept: Vec<usize> = (0..self.changes.len()).filter(|at| is_kept(*at)).collect();
                let last_write = newer
                    .iter()
                    .rev()
                    .find(|at| kept.contains(at) && is_write(&self.changes[**at]))
                    .copied();
                self.keep(&kept, last_write);
            }
        }
    }

    /// These changes are there; of one of them, too, a part.
    fn keep(&mut self, kept: &[usize], torn: Option<usize>) {
        let parts = PARTS.into_iter().take(torn.map_or(1, |_| PARTS.len()));
        for part in parts {
            let mut disk = self.before.clone();
            for at in kept {
                match &self.changes[*at] {
                    Change::Write(node, offset, bytes) if torn == Some(*at) => {
                        disk.apply(&Change::Write(*node, *offset, part(bytes)));
                    }
                    change => disk.apply(change),
                }
            }
            self.tried += 1;
            self.found.insert((disk.tree(), self.said));
        }
    }
}

/// What there is of a write.
type Part = fn(&[u8]) -> Vec<u8>;

/// The whole, the first half, or the length alone.
const PARTS: [Part; 3] = [
    <[u8]>::to_vec,
    |bytes| bytes[..bytes.len() / 2].to_vec(),
    |bytes| vec![0; bytes.len()],
];

/// Whether what was said is to survive a power loss. That a message was released says only
/// that it survives the process.
fn is_lasting(what: &str) -> bool {
    what != "begin" && what != "released"
}

const fn is_write(change: &Change) -> bool {
    matches!(change, Change::Write(..))
}
