//! Leases: being told before somebody writes to a file. No crate offers them without
//! unsafe code, so there are none.

use std::fs::File;
use std::io;

/// Takes a lease of a file that is open for reading.
///
/// # Errors
/// Always: unsupported.
pub(crate) fn lease(_file: &File) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether the lease holds.
pub(crate) fn has_lease(_file: &File) -> bool {
    false
}
