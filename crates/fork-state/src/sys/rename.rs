//! Renames within a directory that replace nothing: Linux's `renameat2`, macOS's
//! `renameatx_np`.

use std::ffi::OsStr;
use std::fs::File;

use rustix::io::Errno;

/// What a rename does with the second name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rename {
    /// Nothing may have it.
    New,
    /// The first name's file gets it and the other way round.
    Exchange,
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn rename(file: &File, from: &OsStr, to: &OsStr, how: Rename) -> Result<(), Errno> {
    use rustix::fs::{RenameFlags, renameat_with};

    let flags = match how {
        Rename::New => RenameFlags::NOREPLACE,
        Rename::Exchange => RenameFlags::EXCHANGE,
    };
    renameat_with(file, from, file, to, flags)
}

/// There is no such call.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn rename(_: &File, _: &OsStr, _: &OsStr, _: Rename) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}
