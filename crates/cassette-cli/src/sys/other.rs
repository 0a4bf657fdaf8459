//! Elsewhere: Ctrl-C, and outputs that a thread writes. Not run by the project's own checks.

use std::io;
use std::path::Path;

use cassette_format::process::EndRequest;

use super::Limits;

/// Requests that this process end, as they come.
pub(crate) struct EndRequests;

impl EndRequests {
    /// Catches Ctrl-C from now on.
    pub(crate) const fn listen() -> Self {
        Self
    }

    /// Waits for the next request.
    pub(crate) async fn next(&mut self) -> EndRequest {
        match tokio::signal::ctrl_c().await {
            Ok(()) => EndRequest::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}

/// A file size limit ends no program.
pub(crate) const fn outlive_size_limit() {}

/// The limits of this process, which are not told.
pub(crate) fn limits() -> Limits {
    Limits::default()
}

/// Bytes that may still be written, which is not told.
pub(crate) const fn free_space(_directory: &Path) -> Option<u64> {
    None
}

/// Whether the system tells the end of a process by a descriptor; none where no system
/// of this kind does.
pub(crate) const fn gives_process_descriptors() -> Option<bool> {
    None
}

/// An output of this process that mostly needs no thread of its own to be written: there is
/// none.
pub(crate) enum Unhurried {}

impl Unhurried {
    /// Standard output, if it can be written so.
    pub(crate) const fn stdout() -> Option<Self> {
        None
    }

    /// Standard error, if it can be written so.
    pub(crate) const fn stderr() -> Option<Self> {
        None
    }

    /// Writes `bytes`, and gives how many; the rest would keep the thread waiting.
    pub(crate) async fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        match *self {}
    }
}
