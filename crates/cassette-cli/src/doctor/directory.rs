//! The directories in which cassettes are made: an empty one is made in each as a recording
//! makes it, written, synced, locked, and removed.

use std::env;
use std::fs::{File, TryLockError};
use std::path::Path;

use anyhow::{Context, ensure};
use cassette_format::store::FRAMES_FILE;
use cassette_record::{RecordOptions, Recorder};

use super::finding::Finding;
use crate::place;

/// Whether one recorder at a time has a cassette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Locks {
    Held,
    Missing,
}

/// What was found.
pub(super) fn findings() -> Vec<Finding> {
    let here = env::current_dir().context("there is no working directory");
    let here = here.and_then(|here| try_out(&here).map(|locks| (here, locks)));
    let temporary = env::temp_dir();
    let tried = try_out(&temporary);
    vec![
        match here {
            Ok((here, locks)) => sound("directory", &here, locks),
            Err(error) => Finding::problem(
                "directory",
                format!("{error:#}"),
                "record from another one, or name a place with -o",
            ),
        },
        match tried {
            Ok(locks) => sound("temporary", &temporary, locks),
            Err(error) => Finding::warning(
                "temporary",
                format!("{error:#}"),
                "only `cassette demo` needs one: --keep DIR, or TMPDIR in the environment",
            ),
        },
    ]
}

fn sound(check: &'static str, directory: &Path, locks: Locks) -> Finding {
    let directory = directory.display();
    match locks {
        Locks::Held => Finding::ok(check, format!("{directory} can be written, synced, locked")),
        Locks::Missing => Finding::warning(
            check,
            format!("{directory} can be written and synced, not locked"),
            "nothing keeps two recorders that replace from one cassette: give each its own",
        ),
    }
}

/// Makes an empty cassette in a directory, and removes it.
fn try_out(directory: &Path) -> anyhow::Result<Locks> {
    // A recorder would make it.
    let is_there = directory.is_dir();
    ensure!(is_there, "{} is no directory", directory.display());
    let cassette = directory.join(format!(".cassette-doctor-{}", std::process::id()));
    let tried = record_nothing(&cassette);
    place::remove(&cassette);
    tried.with_context(|| format!("{} takes no cassette", directory.display()))
}

fn record_nothing(cassette: &Path) -> anyhow::Result<Locks> {
    let registry = provider_adapters::builtin();
    let recorder = Recorder::create(cassette, registry, RecordOptions::default())?;
    // The recorder holds the lock where there are locks.
    let locks = match File::open(cassette.join(FRAMES_FILE))?.try_lock() {
        Err(TryLockError::WouldBlock) => Locks::Held,
        Ok(()) | Err(TryLockError::Error(_)) => Locks::Missing,
    };
    recorder.finish()?;
    Ok(locks)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_directory_is_tried_out_and_left_as_it_was() {
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(try_out(scratch.path()).unwrap(), Locks::Held);
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
        let missing = scratch.path().join("missing");
        let error = format!("{:#}", try_out(&missing).unwrap_err());
        assert_eq!(error, format!("{} is no directory", missing.display()));
        assert!(!missing.exists());
    }
}
