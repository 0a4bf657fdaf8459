//! Elsewhere than on Linux there are no leases. Compiled, and run nowhere.

use std::fs::File;
use std::io;

pub(crate) fn lease(_file: &File) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn has_lease(_file: &File) -> bool {
    false
}
