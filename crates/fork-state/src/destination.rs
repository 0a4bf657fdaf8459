//! Where a copy is to stand.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::bind_error::BindError;
use crate::place::{Directory, Finished, Lock, PlaceError, Stamp};

/// Where a copy is to stand.
#[derive(Debug)]
pub(crate) struct Destination {
    directory: Directory,
    name: OsString,
    /// The file that stands there, if one is to be replaced.
    replaced: Option<Stamp>,
}

impl Destination {
    /// The place of `path` below the home; its directories are made, and what a
    /// binding left in it that was killed is removed.
    pub(crate) fn make(
        (home, lock): (&Directory, &Lock),
        path: &Path,
        replaced: Option<Stamp>,
    ) -> Result<Self, BindError> {
        let (directory, name) = split(path);
        let directory = home.make(&directory)?;
        directory.sweep_staged(lock)?;
        is_free(&directory, &name, replaced)?;
        Ok(Self {
            directory,
            name,
            replaced,
        })
    }

    /// Removes what a binding left beside `path` that was killed.
    pub(crate) fn sweep((home, lock): (&Directory, &Lock), path: &Path) -> Result<(), BindError> {
        let (directory, _) = split(path);
        if let Some(directory) = home.open(&directory)? {
            directory.sweep_staged(lock)?;
        }
        Ok(())
    }

    /// Whether there could be one; nothing is made.
    pub(crate) fn check(
        home: &Directory,
        path: &Path,
        replaced: Option<Stamp>,
    ) -> Result<(), BindError> {
        let (directory, name) = split(path);
        match home.open(&directory)? {
            Some(directory) => is_free(&directory, &name, replaced),
            None => Ok(()),
        }
    }

    /// Puts the copy there.
    pub(crate) fn take(self, copy: Finished<'_>) -> Result<(), BindError> {
        let copy = copy.moved_to(&self.directory)?;
        match &self.replaced {
            None => copy.publish(&self.name)?,
            Some(inspected) => copy.replace(&self.name, inspected)?,
        }
        Ok(())
    }
}

fn split(path: &Path) -> (PathBuf, OsString) {
    let directory = path.parent().unwrap_or(Path::new(""));
    (
        directory.to_owned(),
        path.file_name().unwrap_or_default().to_owned(),
    )
}

fn is_free(
    directory: &Directory,
    name: &OsString,
    replaced: Option<Stamp>,
) -> Result<(), BindError> {
    if replaced.is_none() && directory.status(name)?.is_some() {
        let path = directory.path().join(name);
        return Err(PlaceError::AlreadyExists { path }.into());
    }
    Ok(())
}
