//! What is known of a file without reading it.

/// What stands at a name. Links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "no directory can be opened there")
)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A FIFO, a socket, a device.
    Other,
}

/// Which file it is, by whatever name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The file system.
    pub(crate) device: u64,
    /// The file's number in it.
    pub(crate) inode: u64,
}

/// Which file it is, and whether it was written to. Two equal stamps are the same
/// file with, as far as the file system tells, the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Which file.
    pub(crate) identity: Identity,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// When it was last written to: seconds of the epoch, nanoseconds.
    pub(crate) modified: (i64, i64),
}

/// What the file system keeps about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Status {
    /// What it is.
    pub(crate) kind: Kind,
    /// Which one, and as of when.
    pub(crate) stamp: Stamp,
    /// The permission bits, `0o777` at most.
    pub(crate) mode: u32,
    /// How many names it has.
    pub(crate) links: u64,
    /// The number of the user it belongs to.
    pub(crate) owner: u32,
}
