//! Transcripts that change while they are read. A change is made as soon as the copy
//! has been begun, while most of a large rollout is still to be read.

use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fork_state::{BindError, Outcome};

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day};
use crate::tree::files;

/// A rollout that takes a while to read.
pub(crate) fn large(id: &str) -> Rollout {
    Rollout::of(id).saying(&"0123456789abcdef".repeat(2 << 20))
}

/// How many temporary files there are in the target's home.
fn staged(scratch: &Scratch) -> usize {
    let Ok(entries) = fs::read_dir(scratch.target()) else {
        return 0;
    };
    let names = entries.map(|entry| entry.unwrap().file_name());
    let is_staged =
        |name: &std::ffi::OsString| name.to_string_lossy().starts_with(".cassette-fork-");
    names.filter(is_staged).count()
}

/// Binds, and changes something as soon as there are `begun` temporary files; gives what
/// the binding says of it. On a machine that is busy enough the change comes too late:
/// then it is tried again.
pub(crate) fn meanwhile(
    make: impl Fn() -> Scratch,
    begun: usize,
    change: impl Fn(&Scratch),
) -> (Scratch, BindError) {
    for _ in 0..20 {
        let scratch = make();
        let result = thread::scope(|scope| {
            let binding = scope.spawn(|| scratch.bind());
            while staged(&scratch) < begun && !binding.is_finished() {
                thread::yield_now();
            }
            change(&scratch);
            binding.join().unwrap()
        });
        if let Err(error) = result {
            scratch.expect_nothing_left();
            return (scratch, error);
        }
    }
    panic!("all of the bindings succeeded");
}

/// Changes the source while it is copied: that is noticed.
fn changed(change: impl Fn(&Path)) {
    let make = || {
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), large("t2").bytes());
        scratch.put_target("config.toml", "as it was");
        scratch
    };
    let (scratch, error) = meanwhile(make, 1, |it| change(&it.source().join(day("t2"))));
    let told = format!("one/codex-home/{} changed while it was read", day("t2"));
    assert_eq!(scratch.told(&error), told);
    assert_eq!(files(&scratch.target()).len(), 1);
}

#[test]
fn a_source_that_grows_is_not_brought() {
    changed(|path| {
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(b"{}\n").unwrap();
    });
}

#[test]
fn a_source_that_shrinks_is_not_brought() {
    changed(|path| {
        let file = OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(Rollout::of("t2").len()).unwrap();
    });
}

#[test]
fn a_source_that_is_rewritten_in_place_is_not_brought() {
    changed(|path| {
        let mut file = OpenOptions::new().write(true).open(path).unwrap();
        file.seek(SeekFrom::End(-40)).unwrap();
        file.write_all(b"x").unwrap();
    });
}

#[test]
fn a_source_whose_place_another_file_takes_is_not_brought() {
    changed(|path| {
        let other = path.with_extension("new");
        fs::write(&other, Rollout::of("t2").saying("another").bytes()).unwrap();
        fs::rename(other, path).unwrap();
    });
}

#[test]
fn a_source_that_is_removed_is_not_brought() {
    changed(|path| fs::remove_file(path).unwrap());
}

#[test]
fn a_source_whose_directory_is_moved_away_is_not_brought() {
    changed(|path| {
        let day = path.parent().unwrap();
        fs::rename(day, day.with_extension("moved")).unwrap();
    });
}

/// Changes the target while the copy is made.
fn target_changed(before: &[u8], change: impl Fn(&Path)) -> (Scratch, BindError) {
    let make = || {
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), large("t2").bytes());
        let place = scratch.put_target(&day("t2"), before);
        if before.is_empty() {
            fs::remove_file(place).unwrap();
        }
        scratch
    };
    meanwhile(make, 1, |it| change(&it.target().join(day("t2"))))
}

#[test]
fn what_takes_the_place_of_the_copy_meanwhile_stays() {
    let (scratch, error) = target_changed(b"", |place| fs::write(place, "mine").unwrap());
    let told = format!("two/codex-home/{} exists already", day("t2"));
    assert_eq!(scratch.told(&error), told);
    assert_eq!(scratch.target_bytes(&day("t2")), b"mine");
}

#[test]
fn a_target_that_is_written_to_meanwhile_stays() {
    let beginning = Rollout::of("t2");
    let (scratch, error) = target_changed(beginning.bytes(), |place| {
        let mut file = OpenOptions::new().append(true).open(place).unwrap();
        file.write_all(b"{}\n").unwrap();
    });
    let told = scratch.told(&error);
    let place = format!("two/codex-home/{} changed ", day("t2"));
    assert!(told.starts_with(&place), "{told}");
    let expected = beginning.then(b"{}\n");
    assert_eq!(scratch.target_bytes(&day("t2")), expected.bytes());
}

/// Nothing is read that is behind the end that the file had when it was opened, so a
/// writer that never stops holds nobody up.
#[test]
fn a_source_that_grows_without_end_ends_the_binding() {
    let is_done = AtomicBool::new(false);
    let make = || {
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), large("t2").bytes());
        scratch
    };
    let (scratch, error) = thread::scope(|scope| {
        let grow = |source: PathBuf, is_done: &AtomicBool| {
            let mut file = OpenOptions::new().append(true).open(source).unwrap();
            // Until the scratch directory is gone, or all is done.
            while !is_done.load(Ordering::Relaxed) && file.metadata().unwrap().nlink() > 0 {
                file.write_all(b"{}\n").unwrap();
            }
        };
        let is_done = &is_done;
        let found = meanwhile(make, 1, |it| {
            let source = it.source().join(day("t2"));
            scope.spawn(move || grow(source, is_done));
        });
        is_done.store(true, Ordering::Relaxed);
        found
    });
    assert!(matches!(error, BindError::Changed { .. }), "{error:?}");
    assert_eq!(scratch.bind().unwrap().outcome, Outcome::Copied);
}
