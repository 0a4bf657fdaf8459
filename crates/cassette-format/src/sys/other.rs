//! Platforms without Unix's flags and modes. Not run by the project's own
//! checks.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
#[cfg(not(windows))]
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
#[cfg(not(windows))]
use std::sync::{Mutex, PoisonError};

/// Opens for reading; a link is an error.
pub(crate) fn open_for_reading(path: &Path) -> io::Result<File> {
    if path.symlink_metadata()?.is_symlink() {
        return Err(io::Error::other("path is a symbolic link"));
    }
    File::open(path)
}

/// Reads what is at `offset`, up to all of `into`; how much it was. Threads may do so at once.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, offset)
}

/// Reads what is at `offset`, up to all of `into`; how much it was. Threads take turns.
#[cfg(not(windows))]
pub(crate) fn read_at(mut file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(offset))?;
    file.read(into)
}

/// Creates a file that was not there.
pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)
}

/// Creates a directory, and its parents, where there are none.
pub(crate) fn create_private_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}

/// Directories cannot be synced here.
pub(crate) fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether the path leads to this very file: not known here, so yes.
pub(crate) fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}
