//! Transcripts that change while they are read. A change is made as soon as the copy
//! has been begun, while most of a large rollout is still to be read.

use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
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
pub(crate) fn staged(scratch: &Scratch) -> usize {
    let Ok(entries) = fs::read_dir(scratch.target()) else {
        return 0;
    };
    let names = entries.map(|entry| entry.unwrap().file_name());
    let is_staged =
        |name: &std::ffi::OsString| name.to_string_lossy().starts_with(".cassette-fork-");
    names.filter(is_staged).count()
}

/// Changes the source while it is copied, and tells what the binding came to.
fn changed(change: impl FnOnce(&Path) + Send) {
    let scratch = Scratch::new();
    let source = scratch.put_source(&day("t2"), large("t2").bytes());
    scratch.put_target("config.toml", "as it was");
    let before = files(&scratch.target());
    let error = thread::scope(|scope| {
        let binding = scope.spawn(|| scratch.bind());
        while staged(&scratch) == 0 && !binding.is_finished() {
            thread::yield_now();
        }
        change(&source);
        binding.join().unwrap().unwrap_err()
    });
    let BindError::Changed { path } = &error else {
        panic!("{error:?}");
    };
    assert!(path.ends_with(day("t2")), "{error}");
    assert_eq!(files(&scratch.target()), before);
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

/// Something is put into the target while the copy is made.
fn target_changed(
    before: Option<&[u8]>,
    change: impl FnOnce(&Path) + Send,
) -> (Scratch, BindError) {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), large("t2").bytes());
    let place = scratch.target().join(day("t2"));
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    if let Some(bytes) = before {
        fs::write(&place, bytes).unwrap();
    }
    let error = thread::scope(|scope| {
        let binding = scope.spawn(|| scratch.bind());
        while staged(&scratch) == 0 && !binding.is_finished() {
            thread::yield_now();
        }
        change(&place);
        binding.join().unwrap().unwrap_err()
    });
    scratch.expect_nothing_left();
    (scratch, error)
}

#[test]
fn what_takes_the_place_of_the_copy_meanwhile_stays() {
    let (scratch, error) = target_changed(None, |place| fs::write(place, "mine").unwrap());
    let told = format!("two/codex-home/{} exists already", day("t2"));
    assert_eq!(scratch.told(&error), told);
    assert_eq!(scratch.target_bytes(&day("t2")), b"mine");
}

#[test]
fn a_target_that_is_written_to_meanwhile_stays() {
    let beginning = Rollout::of("t2");
    let (scratch, error) = target_changed(Some(beginning.bytes()), |place| {
        let mut file = OpenOptions::new().append(true).open(place).unwrap();
        file.write_all(b"{}\n").unwrap();
    });
    let told = format!("two/codex-home/{} changed while it was read", day("t2"));
    assert_eq!(scratch.told(&error), told);
    let expected = beginning.then(b"{}\n");
    assert_eq!(scratch.target_bytes(&day("t2")), expected.bytes());
}

/// Nothing is read that is behind the end that the file had when it was opened, so a
/// writer that never stops holds nobody up.
#[test]
fn a_source_that_grows_without_end_ends_the_binding() {
    let scratch = Scratch::new();
    let source = scratch.put_source(&day("t2"), large("t2").bytes());
    let error = thread::scope(|scope| {
        let binding = scope.spawn(|| scratch.bind());
        let mut file = OpenOptions::new().append(true).open(&source).unwrap();
        while staged(&scratch) == 0 && !binding.is_finished() {
            thread::yield_now();
        }
        while !binding.is_finished() {
            file.write_all(b"{}\n").unwrap();
        }
        binding.join().unwrap().unwrap_err()
    });
    assert!(matches!(error, BindError::Changed { .. }), "{error:?}");
    scratch.expect_nothing_left();
    assert_eq!(scratch.bind().unwrap().outcome, Outcome::Copied);
}
