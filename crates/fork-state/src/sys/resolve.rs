//! Opening several segments at once, none of them a link: Linux's `openat2`.

use std::fs::File;
use std::path::Path;

use rustix::io::Errno;

/// `None` if the call is not known here, or came to nothing too often.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn open(directory: &File, below: &Path) -> Result<Option<File>, Errno> {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

    /// The kernel, or what filters its calls, knows no such call: not tried again.
    static UNKNOWN: AtomicBool = AtomicBool::new(false);
    /// Renames elsewhere can make the kernel ask for another try.
    const TRIES: usize = 8;

    if UNKNOWN.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..TRIES {
        match openat2(directory, below, flags, Mode::empty(), resolve) {
            Ok(fd) => return Ok(Some(fd.into())),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {
                UNKNOWN.store(true, Ordering::Relaxed);
                return Ok(None);
            }
            Err(errno) => return Err(errno),
        }
    }
    Ok(None)
}

/// There is no such call.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn open(_directory: &File, _below: &Path) -> Result<Option<File>, Errno> {
    Ok(None)
}
