//! What an operating system lets a process have.

/// Limits of this process; none where there is no limit, or where it is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Limits {
    /// Files that may be open at once.
    pub(crate) open_files: Option<u64>,
    /// Bytes that a file may have.
    pub(crate) file_size: Option<u64>,
}
