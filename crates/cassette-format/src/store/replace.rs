//! Replacing a manifest: at every moment the file is the whole old one or the
//! whole new one, also after a crash.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::directory::{CassetteDir, MANIFEST_FILE};
use super::manifest_writer::write_manifest;
use crate::schema::{MAX_MANIFEST_BYTES, Manifest};
use crate::sys;

/// A leftover of a crash is removed when it is at least this old.
const STALE: Duration = Duration::from_secs(60 * 60);

/// Numbers the replacements of this process, so that no two of them ever write
/// to the same temporary file.
static REPLACEMENTS: AtomicU64 = AtomicU64::new(1);

/// A manifest was not replaced, or not for sure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// The old manifest stands as it was.
    #[error("cannot {action} {}", path.display())]
    NotReplaced {
        /// What was tried: `create`, `write`, `sync` the temporary file, or
        /// `replace` the manifest by it.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// No reader would take it; the old manifest stands as it was.
    #[error("{} would have {bytes} bytes, the limit is {limit}", path.display())]
    TooLarge {
        /// The manifest.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The new manifest stands, but may be gone after a power failure.
    #[error("replaced the manifest in {}, but cannot sync the directory", path.display())]
    NotDurable {
        /// The directory.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
}

/// Replaces the manifest of the cassette in `dir`, or creates it: a temporary
/// file (0600) is written, synced, renamed over it, and the directory synced.
/// Temporary files that a crash left more than an hour ago are removed.
///
/// # Errors
/// See [`ReplaceError`].
pub fn replace_manifest(dir: &CassetteDir, manifest: &Manifest) -> Result<(), ReplaceError> {
    let text = write_manifest(manifest);
    let (bytes, limit) = (text.len() as u64, MAX_MANIFEST_BYTES);
    if bytes > limit {
        let path = dir.manifest_path();
        return Err(ReplaceError::TooLarge { path, bytes, limit });
    }
    let number = REPLACEMENTS.fetch_add(1, Ordering::Relaxed);
    let name = format!("{}{}.{number}.tmp", prefix(), std::process::id());
    let temporary = dir.path().join(name);
    let replaced = write_and_rename(&temporary, &dir.manifest_path(), &text);
    if replaced.is_err() {
        // The error that is reported is why it is left over, not that it is.
        let _left_over = fs::remove_file(&temporary);
    }
    replaced?;
    sweep(dir);
    sys::sync_directory(dir.path()).map_err(|source| ReplaceError::NotDurable {
        path: dir.path().to_owned(),
        source,
    })
}

fn write_and_rename(temporary: &Path, target: &Path, text: &[u8]) -> Result<(), ReplaceError> {
    let failed = |action, path: &Path| {
        let path = path.to_owned();
        move |source| ReplaceError::NotReplaced {
            action,
            path,
            source,
        }
    };
    let mut file = match sys::create_private_file(temporary) {
        // Of this process's own number: an earlier process had it and crashed.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::remove_file(temporary)
            .and_then(|()| sys::create_private_file(temporary))
            .map_err(failed("create", temporary))?,
        created => created.map_err(failed("create", temporary))?,
    };
    file.write_all(text).map_err(failed("write", temporary))?;
    file.sync_all().map_err(failed("sync", temporary))?;
    drop(file);
    fs::rename(temporary, target).map_err(failed("replace", target))
}

fn prefix() -> String {
    format!(".{MANIFEST_FILE}.")
}

/// Removes stale temporary files of this format; whatever goes wrong, they
/// only take up space.
fn sweep(dir: &CassetteDir) {
    let modified = |metadata: fs::Metadata| metadata.modified();
    // What was written just now tells the time, by the file system's own clock.
    let now = dir.manifest_path().metadata().and_then(modified);
    let (Ok(now), Ok(entries)) = (now, fs::read_dir(dir.path())) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name
            .to_str()
            .and_then(|name| name.strip_prefix(&prefix()))
            .is_some_and(|rest| {
                let numbers = rest
                    .strip_suffix(".tmp")
                    .and_then(|rest| rest.split_once('.'));
                let is_number = |text: &str| text.parse::<u64>().is_ok();
                numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
            });
        let stale = |metadata: fs::Metadata| {
            let age = metadata
                .modified()
                .ok()
                .and_then(|modified| now.duration_since(modified).ok());
            metadata.is_file() && age.is_some_and(|age| age >= STALE)
        };
        if ours && entry.metadata().is_ok_and(stale) {
            let _still_there = fs::remove_file(entry.path());
        }
    }
}
