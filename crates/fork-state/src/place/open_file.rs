//! A file that is open for reading.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::error::PlaceError;
use crate::sys::{self, Kind, Stamp, Status};

/// A regular file, open for reading, with what was known of it at that moment.
#[derive(Debug)]
pub(crate) struct OpenFile {
    file: File,
    path: PathBuf,
    status: Status,
}

impl OpenFile {
    pub(super) fn of(file: File, path: PathBuf) -> Result<Self, PlaceError> {
        let status = status(&file, &path)?;
        match status.kind {
            Kind::File => Ok(Self { file, path, status }),
            _ => Err(PlaceError::NotRegular { path }),
        }
    }

    /// The file itself, to read from.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Where it was when it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Which file it is, and as of when.
    pub(crate) fn stamp(&self) -> Stamp {
        self.status.stamp
    }

    /// Its permission bits, `0o777` at most.
    pub(crate) fn mode(&self) -> u32 {
        self.status.mode
    }

    /// How many names it has.
    pub(crate) fn links(&self) -> u64 {
        self.status.links
    }

    /// The number of the user it belongs to.
    pub(crate) fn owner(&self) -> u32 {
        self.status.owner
    }

    /// Whether it was not written to since. Whether its name is still its own, the
    /// directory's status tells.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn is_steady(&self, since: &Stamp) -> Result<bool, PlaceError> {
        Ok(status(&self.file, &self.path)?.stamp == *since)
    }
}

pub(super) fn status(file: &File, path: &Path) -> Result<Status, PlaceError> {
    sys::status(file).map_err(|source| PlaceError::refused("examine", path, source))
}
