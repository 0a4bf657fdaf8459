//! Platforms without descriptors of directories: no directory can be opened.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

use super::opening::{Purpose, Whole};
use super::status::{Kind, Status};

/// An open directory, of which there is none here.
#[derive(Debug)]
pub(crate) struct Handle(Infallible);

impl Handle {
    /// The root of the file system: [`io::ErrorKind::Unsupported`].
    pub(crate) fn root() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn open_whole(&self, _below: &Path) -> Whole {
        match self.0 {}
    }

    pub(crate) fn open_segment(&self, _name: &OsStr, _purpose: Purpose) -> io::Result<Self> {
        match self.0 {}
    }

    pub(crate) fn reopened(&self) -> io::Result<File> {
        match self.0 {}
    }

    pub(crate) fn make_directory(&self, _name: &OsStr) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        match self.0 {}
    }

    pub(crate) fn status(&self, _name: &OsStr) -> io::Result<Status> {
        match self.0 {}
    }

    pub(crate) fn open_file(&self, _name: &OsStr) -> io::Result<Option<File>> {
        match self.0 {}
    }

    pub(crate) fn create_file(&self, _name: &OsStr) -> io::Result<File> {
        match self.0 {}
    }

    pub(crate) fn rename_new(&self, _from: &OsStr, _to: &OsStr) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn exchange(&self, _one: &OsStr, _other: &OsStr) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn rename(&self, _from: &OsStr, _to: &OsStr) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn rename_into(&self, _name: &OsStr, _directory: &Self) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn link(&self, _from: &OsStr, _to: &OsStr) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn remove(&self, _name: &OsStr) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        match self.0 {}
    }
}

/// What the file system keeps about an open file: not known here.
pub(crate) fn status(_file: &File) -> io::Result<Status> {
    Err(io::ErrorKind::Unsupported.into())
}

/// There are no permission bits.
pub(crate) fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// There is no such call.
pub(crate) fn send_ahead(_file: &File, _offset: u64, _length: u64) {}

/// Users have no number.
pub(crate) fn current_user() -> u32 {
    0
}
