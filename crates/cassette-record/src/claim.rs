//! The claim of one recorder on a directory: locks, and the removal of an old cassette.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use cassette_format::store::CassetteDir;

use crate::CreateError;

/// A locked file, unlocked when this is dropped. To close it is not enough: a process that
/// was started meanwhile has a copy of it until it runs its own program.
#[derive(Debug)]
pub(crate) struct Claim(File);

impl Claim {
    /// A new file that no other recorder looks for.
    pub(crate) const fn unlocked(file: File) -> Self {
        Self(file)
    }

    pub(crate) const fn file(&self) -> &File {
        &self.0
    }

    /// Lets others lock the file.
    pub(crate) fn release(&self) {
        // Where there are no locks it was not locked.
        self.0.unlock().ok();
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.release();
    }
}

/// One recorder a directory: the lock is on the frames.
pub(crate) fn lock(frames: File, dir: &CassetteDir) -> Result<Claim, CreateError> {
    match frames.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(CreateError::Locked {
            path: dir.path().to_owned(),
        }),
        // A file system without locks: creating the file anew was exclusive.
        Err(TryLockError::Error(_)) => Ok(()),
    }?;
    let claim = Claim(frames);
    // Another recorder may have replaced it before it was locked.
    if dir.holds_frames(claim.file()).unwrap_or(true) {
        Ok(claim)
    } else {
        Err(CreateError::Locked {
            path: dir.path().to_owned(),
        })
    }
}

/// How long a recorder waits for others that begin in the same directory.
const TURN: Duration = Duration::from_secs(2);

/// The turn of one recorder at a time to begin in a directory; none where there is no
/// directory yet, or no way to lock one.
pub(crate) fn turn(dir: &CassetteDir) -> Result<Option<Claim>, CreateError> {
    let Ok(directory) = File::open(dir.path()) else {
        return Ok(None);
    };
    let started = Instant::now();
    loop {
        match directory.try_lock() {
            Ok(()) => return Ok(Some(Claim(directory))),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) if started.elapsed() > TURN => {
                return Err(CreateError::Locked {
                    path: dir.path().to_owned(),
                });
            }
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Removes what is there of an old cassette, unless a recorder writes to it. The lock is
/// held meanwhile.
pub(crate) fn remove_old(dir: &CassetteDir) -> Result<(), CreateError> {
    let is_there = |path: &PathBuf| path.symlink_metadata().is_ok();
    let manifest = Some(dir.manifest_path()).filter(is_there);
    let frames = Some(dir.frames_path()).filter(is_there);
    let claim = frames.as_ref().and_then(|frames| {
        // Only a regular file is opened: a pipe would wait for its other end.
        let regular = frames.symlink_metadata().is_ok_and(|there| there.is_file());
        let file = regular.then(|| File::open(frames).ok()).flatten();
        file.map(|file| lock(file, dir))
    });
    let claim = claim.transpose()?;
    if let Some(manifest) = manifest {
        remove(&manifest)?;
        // Or a power loss could bring it back, beside frames that are not its own.
        dir.sync().map_err(|source| CreateError::Remove {
            path: manifest,
            source,
        })?;
    }
    frames.map_or(Ok(()), |frames| remove(&frames))?;
    drop(claim);
    Ok(())
}

/// Removes a file, if it is there still.
fn remove(path: &Path) -> Result<(), CreateError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(CreateError::Remove {
            path: path.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}
