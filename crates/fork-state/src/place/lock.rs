//! The lock of a directory.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::Duration;

use super::directory::Directory;
use super::error::PlaceError;

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(15);

/// Whoever holds it is the only one, of those who ask. It ends when it is dropped, or
/// its process ends however.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "held, not read")] File);

impl Directory {
    /// Locks the directory, for this process and all others that ask. `give_up` is
    /// asked between tries.
    ///
    /// # Errors
    /// [`PlaceError::Busy`] when `give_up` says so; a file system without locks; what
    /// the operating system says.
    pub(crate) fn lock(&self, mut give_up: impl FnMut() -> bool) -> Result<Lock, PlaceError> {
        let refused = |source| PlaceError::refused("lock", self.path(), source);
        let file = self.handle.reopened().map_err(refused)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock(file)),
                Err(TryLockError::Error(source)) => return Err(refused(source)),
                Err(TryLockError::WouldBlock) if give_up() => {
                    let path = self.path().to_owned();
                    return Err(PlaceError::Busy { path });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
    }
}
