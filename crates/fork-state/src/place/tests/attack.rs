//! Opens and writes while other threads put links in the place of what they go
//! through.
//!
//! At each segment in turn, and at the file, what is meant and a link to a twin of it
//! outside of the root change places without end. `FAULT_ROUNDS` says how many opens,
//! and how many writes, there are for each way of opening (20000 and 200 without it).

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::{SYSTEMS, Scratch, finished, tree};
use crate::place::{Directory, PlaceError, Stamp};
use crate::sys::Calls;

const WAY: &str = "one/two/three/four";
const FILE: &str = "file";
const INSIDE: &str = "inside";
const OUTSIDE: &str = "outside";

/// What is swapped for a link: a directory of the way, or the file in the last one.
const TARGETS: [&str; 5] = [
    "one",
    "one/two",
    "one/two/three",
    WAY,
    "one/two/three/four/file",
];

/// After so many rounds nobody waits for the attacker any longer.
const NEVER_MET: u64 = 20_000_000;

/// What came of the rounds.
#[derive(Debug, Default)]
struct Account {
    done: u64,
    refused: u64,
    escaped: u64,
}

impl Account {
    fn rounds(&self) -> u64 {
        self.done + self.refused + self.escaped
    }

    /// An escape, or enough rounds, in some of which the attacker was met.
    fn is_enough(&self, rounds: u64) -> bool {
        let met = self.done > 0 && self.refused > 0;
        self.escaped > 0 || (self.rounds() >= rounds && (met || self.rounds() >= NEVER_MET))
    }

    fn tell(&self, what: &str, calls: Calls, swaps: u64) {
        let (rounds, way) = (
            self.rounds(),
            ["by segments", "at once"][usize::from(calls.whole)],
        );
        let (refused, escaped) = (self.refused, self.escaped);
        println!(
            "faults: {rounds} {what} {way}, {refused} refused, {escaped} escaped, {swaps} swaps"
        );
    }

    fn add(&mut self, other: &Self) {
        assert!(other.done > 0 && other.refused > 0, "{other:?}");
        self.done += other.done;
        self.refused += other.refused;
        self.escaped += other.escaped;
    }
}

/// How many rounds there are at one target.
fn rounds(usually: u64) -> u64 {
    let asked = std::env::var("FAULT_ROUNDS").ok();
    let total = asked.map_or(usually, |asked| asked.parse().unwrap());
    total.div_ceil(TARGETS.len() as u64)
}

/// The way below the root with the file at its end, and the same outside.
fn field() -> Scratch {
    let scratch = Scratch::new();
    for (root, text) in [(scratch.root(), INSIDE), (scratch.outside(), OUTSIDE)] {
        fs::create_dir_all(root.join(WAY)).unwrap();
        fs::write(root.join(WAY).join(FILE), text).unwrap();
    }
    scratch
}

/// Calls `round` while what is at `target` and a link to its twin change places.
/// Gives how often they did.
fn under_attack(scratch: &Scratch, target: &str, round: impl FnOnce()) -> u64 {
    let target = Path::new(target);
    let link = "link";
    let place = scratch.root().join(target);
    let parent = Directory::anchor(place.parent().unwrap()).unwrap().unwrap();
    let name = target.file_name().unwrap();
    symlink(scratch.outside().join(target), parent.path().join(link)).unwrap();
    let (over, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                // A round may have taken one of the two away for a moment.
                if parent.handle.exchange(name, OsStr::new(link)).is_ok() {
                    swaps.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let _over = OnDrop(|| over.store(true, Ordering::Relaxed));
        round();
    });
    // The link is at one of the two names.
    for name in [name, OsStr::new(link)] {
        let place = parent.path().join(name);
        if place.is_symlink() {
            fs::remove_file(place).unwrap();
        } else if name == link {
            fs::rename(&place, parent.path().join(target.file_name().unwrap())).unwrap();
        }
    }
    swaps.into_inner()
}

/// Also when a round panics: the attacker ends.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn attack_no_open_reaches_what_a_link_leads_to() {
    for calls in SYSTEMS {
        let mut total = Account::default();
        let mut swaps = 0;
        for target in TARGETS {
            let scratch = field();
            let root = scratch.opened(calls);
            let rounds = rounds(20_000);
            let mut account = Account::default();
            swaps += under_attack(&scratch, target, || {
                while !account.is_enough(rounds) {
                    open(&root, &mut account);
                }
            });
            assert_eq!(account.escaped, 0, "{calls:?} at {target}");
            total.add(&account);
        }
        total.tell("opens", calls, swaps);
    }
}

fn open(root: &Directory, account: &mut Account) {
    let opened = root
        .open(Path::new(WAY))
        .and_then(|directory| directory.unwrap().open_file(OsStr::new(FILE)));
    match opened {
        Ok(file) => match text(file.unwrap().file()).as_str() {
            INSIDE => account.done += 1,
            _ => account.escaped += 1,
        },
        Err(PlaceError::Unsafe { .. } | PlaceError::NotRegular { .. }) => account.refused += 1,
        Err(other) => panic!("{other:?}"),
    }
}

fn text(mut file: &fs::File) -> String {
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    text
}

/// Otherwise the attack would prove nothing.
#[test]
fn attack_reaches_the_outside_through_an_open_that_looks_first() {
    for target in TARGETS {
        let scratch = field();
        let looks_safe = |path: &PathBuf| {
            path.ancestors()
                .take_while(|path| **path != scratch.root())
                .all(|path| !path.is_symlink())
        };
        let file = scratch.root().join(WAY).join(FILE);
        under_attack(&scratch, target, || {
            loop {
                let opened = looks_safe(&file).then(|| fs::File::open(&file));
                if let Some(Ok(file)) = opened
                    && text(&file) == OUTSIDE
                {
                    break;
                }
            }
        });
    }
}

#[test]
fn attack_no_write_goes_where_a_link_leads() {
    for calls in SYSTEMS {
        let mut total = Account::default();
        let mut swaps = 0;
        for target in TARGETS {
            let scratch = field();
            let root = scratch.opened(calls);
            let before = twin(&scratch);
            let rounds = rounds(200);
            let mut account = Account::default();
            swaps += under_attack(&scratch, target, || {
                while !account.is_enough(rounds) {
                    write(&root, &mut account);
                    account.escaped += u64::from(twin(&scratch) != before);
                    if target == TARGETS[4] {
                        renew(&scratch);
                    }
                }
            });
            assert_eq!(account.escaped, 0, "{calls:?} at {target}");
            total.add(&account);
        }
        total.tell("writes", calls, swaps);
    }
}

/// All that is outside of the root.
fn twin(scratch: &Scratch) -> (Vec<String>, String) {
    let file = scratch.outside().join(WAY).join(FILE);
    (tree(&scratch.outside()), fs::read_to_string(file).unwrap())
}

/// One binding's worth of writes: a directory made, a new file, and the file replaced.
fn write(root: &Directory, account: &mut Account) {
    match made(root) {
        Ok(()) => account.done += 1,
        Err(
            PlaceError::Unsafe { .. } | PlaceError::NotRegular { .. } | PlaceError::Changed { .. },
        ) => account.refused += 1,
        Err(other) => panic!("{other:?}"),
    }
}

fn made(root: &Directory) -> Result<(), PlaceError> {
    let directory = root.make(&Path::new(WAY).join("made"))?;
    finished(&directory, INSIDE).publish(OsStr::new("new"))?;
    directory.handle.remove(OsStr::new("new")).unwrap();
    let directory = root.make(Path::new(WAY))?;
    replace(&directory)
}

/// The file, by one that is as good.
fn replace(directory: &Directory) -> Result<(), PlaceError> {
    let name = OsStr::new(FILE);
    let inspected: Option<Stamp> = directory.open_file(name)?.map(|file| file.stamp());
    match inspected {
        Some(inspected) => finished(directory, INSIDE).replace(name, &inspected),
        None => finished(directory, INSIDE).publish(name),
    }
}

/// Of the file and the link, one may have been replaced, or put away: the attack goes on
/// with both.
fn renew(scratch: &Scratch) {
    let folder = scratch.root().join(WAY);
    let is_link = |name| {
        let found = folder.join(name).symlink_metadata();
        found.ok().map(|found| found.is_symlink())
    };
    if matches!(
        (is_link(FILE), is_link("link")),
        (Some(true), Some(false)) | (Some(false), Some(true))
    ) {
        return;
    }
    let fresh = folder.join("fresh");
    fs::write(&fresh, INSIDE).unwrap();
    fs::rename(&fresh, folder.join(FILE)).unwrap();
    symlink(scratch.outside().join(WAY).join(FILE), &fresh).unwrap();
    fs::rename(&fresh, folder.join("link")).unwrap();
}
