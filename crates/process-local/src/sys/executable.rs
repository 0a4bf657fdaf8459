//! Files that are to be executed or read as they are: opening them without following a
//! link, and which of them are programs.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Opens the file itself for reading, not what a link leads to, and without waiting.
#[cfg(unix)]
pub(crate) fn open_itself(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};

    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(open(path, flags, Mode::empty())?))
}

/// Opens the file itself for reading, not what a link leads to.
#[cfg(not(unix))]
pub(crate) fn open_itself(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;

    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    File::options()
        .read(true)
        .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)
}

/// Whether anybody may execute it.
#[cfg(unix)]
pub(crate) fn has_execute_bit(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    metadata.permissions().mode() & 0o111 != 0
}

/// There is no such bit.
#[cfg(not(unix))]
pub(crate) fn has_execute_bit(_metadata: &Metadata) -> bool {
    true
}

/// Whether the system itself runs a file that begins so. What it does not know, a shell
/// may be given to read.
pub(crate) fn is_program(head: &[u8]) -> bool {
    !cfg!(target_os = "linux") || head.starts_with(b"\x7fELF")
}
