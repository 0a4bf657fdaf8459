//! Why something was not done in a directory.

use std::io;
use std::path::{Path, PathBuf};

/// Something was not done in a directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// A link, or something else, stands where a directory belongs.
    #[error("{} is a link or no directory", path.display())]
    Unsafe {
        /// Where.
        path: PathBuf,
    },
    /// A link, a directory, a FIFO or a device stands where a file belongs.
    #[error("{} is no regular file", path.display())]
    NotRegular {
        /// Where.
        path: PathBuf,
    },
    /// The name of a new file is taken. What has it is as it was.
    #[error("{} exists already", path.display())]
    AlreadyExists {
        /// The new file.
        path: PathBuf,
    },
    /// Another file stands at the name than the one that was looked at, or the same
    /// one was written to.
    #[error("{} changed meanwhile", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Another process holds the lock.
    #[error("{} is locked by another process", path.display())]
    Busy {
        /// The directory.
        path: PathBuf,
    },
    /// Empty, absolute, with `..` or NUL, or too long.
    #[error("`{}` cannot name anything below {}", name.display(), directory.display())]
    Name {
        /// The name, or path.
        name: PathBuf,
        /// The directory.
        directory: PathBuf,
    },
    /// It stands at its place, but may be gone after a power failure.
    #[error("{} is in place, but its directory cannot be synced", path.display())]
    NotDurable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The system, or the file system, has no safe way.
    #[error("cannot {operation} {}: no safe way here", path.display())]
    Unsupported {
        /// What was tried.
        operation: &'static str,
        /// Where.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot {operation} {}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// Where.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
}

impl PlaceError {
    /// What the operating system said of an operation.
    pub(super) fn refused(operation: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::Unsupported => Self::Unsupported { operation, path },
            _ => Self::Io {
                operation,
                path,
                source,
            },
        }
    }
}
