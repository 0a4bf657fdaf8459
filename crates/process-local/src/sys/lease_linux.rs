//! Linux: leases of files. Whoever opens a leased file for writing waits, and is noticed.

#![expect(
    unsafe_code,
    reason = "a lease is taken by `fcntl` alone, and no crate wraps that safely"
)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;

use libc::{F_GETLEASE, F_RDLCK, F_SETLEASE, SIGURG, c_int};

/// Which signal tells of a writer. The same on every architecture that Rust has.
const F_SETSIG: c_int = 10;

/// Takes a lease of a file that is open for reading. It ends when the file is closed.
///
/// # Errors
/// `WouldBlock` if somebody has the file open for writing or mapped writable;
/// `PermissionDenied` for a file of another user.
pub(crate) fn lease(file: &File) -> io::Result<()> {
    // Of a writer this process is told by a signal, and SIGIO would end it.
    control(file, F_SETSIG, SIGURG)?;
    control(file, F_SETLEASE, F_RDLCK)?;
    Ok(())
}

/// Whether the lease holds, and nobody waits for its end.
pub(crate) fn has_lease(file: &File) -> bool {
    control(file, F_GETLEASE, 0).is_ok_and(|kind| kind == F_RDLCK)
}

/// For the commands above, which take a number or nothing.
fn control(file: &File, command: c_int, argument: c_int) -> io::Result<c_int> {
    // SAFETY: the descriptor is open as long as `file` is borrowed, and none of the
    // commands reads or writes memory of this process.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), command, argument) };
    if result == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::OpenOptionsExt as _;

    use super::*;

    #[test]
    fn a_file_that_is_open_for_writing_is_not_leased() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let reader = File::open(file.path()).unwrap();

        let error = lease(&reader).unwrap_err();

        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(!has_lease(&reader));
    }

    #[test]
    fn a_writer_is_held_off_and_noticed() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let reader = File::open(&path).unwrap();
        lease(&reader).unwrap();
        assert!(has_lease(&reader));
        drop(File::open(&path).unwrap());
        assert!(has_lease(&reader));

        let writer = || {
            let mut options = File::options();
            options
                .write(true)
                .custom_flags(libc::O_NONBLOCK)
                .open(&path)
        };
        let error = writer().unwrap_err();

        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(!has_lease(&reader));
        drop(reader);
        assert!(writer().is_ok());
    }
}
