//! An open directory, and opening others below it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use super::error::PlaceError;
use super::name::{Segments, is_name};
use super::open_file::OpenFile;
use crate::sys::{self, Handle, Kind, Purpose, Status, Whole};

/// An open directory. Nothing below it is ever reached through a link.
///
/// It stays the same directory when it is renamed; its path is for messages.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(super) handle: Handle,
    path: PathBuf,
}

/// Something in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: OsString,
    /// What it is; a link is a link, whatever it leads to.
    pub(crate) kind: Kind,
}

impl Directory {
    /// The trusted directory that all else is below. Links on the way to it are
    /// resolved once; it is then opened from the root of the file system without any.
    /// `None` if it is not there.
    ///
    /// # Errors
    /// A blank path; no directory; a link that took a segment's place meanwhile; what
    /// the operating system says.
    pub(crate) fn anchor(path: &Path) -> Result<Option<Self>, PlaceError> {
        match resolved(path)? {
            Some(real) => Self::from_root(&real),
            None => Ok(None),
        }
    }

    /// The same. What is not there is made, as by [`Directory::make`].
    ///
    /// # Errors
    /// Also when the missing part of the path has a `..`.
    pub(crate) fn make_anchor(path: &Path) -> Result<Self, PlaceError> {
        for existing in path.ancestors() {
            let here = if existing.as_os_str().is_empty() {
                Path::new(".")
            } else {
                existing
            };
            let Some(directory) = Self::anchor(here)? else {
                continue;
            };
            return match path.strip_prefix(existing) {
                Ok(missing) if !missing.as_os_str().is_empty() => directory.make(missing),
                _ => Ok(directory),
            };
        }
        Err(absent("open", path))
    }

    /// Where it was when it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The directory at a relative path. `None` if a segment of it is not there.
    ///
    /// # Errors
    /// A path that does not lead below; a link or something else in place of a
    /// directory, at whatever segment; what the operating system says.
    pub(crate) fn open(&self, below: &Path) -> Result<Option<Self>, PlaceError> {
        let segments = Segments::of(below).ok_or_else(|| self.bad_name(below))?;
        match self.handle.open_whole(below) {
            Whole::Opened(handle) => Ok(Some(self.below(handle, below))),
            Whole::Absent => Ok(None),
            Whole::Unanswered => self.walk(&segments),
        }
    }

    /// The directory below this one if all segments are directories; `None` too where
    /// one is a link or anything else.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn open_if_directory(&self, below: &Path) -> Result<Option<Self>, PlaceError> {
        let mut found: Option<Self> = None;
        for name in below {
            let here = found.as_ref().unwrap_or(self);
            let status = here.status(name)?;
            if status.is_none_or(|status| status.kind != Kind::Directory) {
                return Ok(None);
            }
            match here.open(Path::new(name))? {
                Some(directory) => found = Some(directory),
                None => return Ok(None),
            }
        }
        Ok(found)
    }

    /// Whether the file is this user's, or of whoever owns this directory.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn shares_owner_with(&self, file: &OpenFile) -> Result<bool, PlaceError> {
        if file.owner() == sys::current_user() {
            return Ok(true);
        }
        Ok(file.owner() == self.own_status()?.owner)
    }

    /// Whether both are the same directory, by whatever paths they were opened.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn is(&self, other: &Self) -> Result<bool, PlaceError> {
        Ok(self.own_status()?.stamp.identity == other.own_status()?.stamp.identity)
    }

    /// The directory at a relative path. What is not there is made, segment by segment,
    /// with mode 0755 less the process's mask. Every directory that holds one of them is
    /// synced, new or not: an earlier process may have ended before it could.
    ///
    /// # Errors
    /// As [`Directory::open`].
    pub(crate) fn make(&self, below: &Path) -> Result<Self, PlaceError> {
        let segments = Segments::of(below).ok_or_else(|| self.bad_name(below))?;
        let mut made = None;
        for name in segments.passed {
            made = Some(made.as_ref().unwrap_or(self).make_segment(name)?);
        }
        made.as_ref().unwrap_or(self).make_segment(segments.last)
    }

    /// What is in it, sorted by name.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn entries(&self) -> Result<Vec<Entry>, PlaceError> {
        let entries = self.handle.entries();
        let entries = entries.map_err(|source| PlaceError::refused("list", &self.path, source))?;
        let mut entries: Vec<Entry> = entries
            .into_iter()
            .map(|(name, kind)| Entry { name, kind })
            .collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    /// Opens a file for reading. `None` if nothing has this name.
    ///
    /// # Errors
    /// A link, directory, FIFO, socket or device of this name, none of which is waited
    /// for; what the operating system says.
    pub(crate) fn open_file(&self, name: &OsStr) -> Result<Option<OpenFile>, PlaceError> {
        let path = self.named(name)?;
        match self.handle.open_file(name) {
            Ok(Some(file)) => OpenFile::of(file, path).map(Some),
            Ok(None) => Err(PlaceError::NotRegular { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(PlaceError::refused("open", &path, source)),
        }
    }

    /// What stands at a name, a link itself included. `None` if nothing does.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn status(&self, name: &OsStr) -> Result<Option<Status>, PlaceError> {
        let path = self.named(name)?;
        match self.handle.status(name) {
            Ok(status) => Ok(Some(status)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(PlaceError::refused("examine", &path, source)),
        }
    }

    /// Hands its entries to the disk.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn sync(&self) -> Result<(), PlaceError> {
        let synced = self.handle.sync();
        synced.map_err(|source| PlaceError::refused("sync", &self.path, source))
    }

    /// The path of something in it, for messages.
    pub(super) fn named(&self, name: &OsStr) -> Result<PathBuf, PlaceError> {
        if is_name(name) {
            Ok(self.path.join(name))
        } else {
            Err(self.bad_name(Path::new(name)))
        }
    }

    fn from_root(real: &Path) -> Result<Option<Self>, PlaceError> {
        let root = real.ancestors().last().unwrap_or(real);
        let handle = Handle::root().map_err(|source| PlaceError::refused("open", root, source))?;
        let path = root.to_owned();
        let anchor = Self { handle, path };
        match real.strip_prefix(root) {
            Ok(below) if !below.as_os_str().is_empty() => anchor.open(below),
            _ => Ok(Some(anchor)),
        }
    }

    fn walk(&self, segments: &Segments<'_>) -> Result<Option<Self>, PlaceError> {
        let mut passed = None;
        for name in &segments.passed {
            let here = passed.as_ref().unwrap_or(self);
            let Some(next) = here.open_segment(name, Purpose::Passing)? else {
                return Ok(None);
            };
            passed = Some(next);
        }
        let here = passed.as_ref().unwrap_or(self);
        here.open_segment(segments.last, Purpose::Holding)
    }

    fn open_segment(&self, name: &OsStr, purpose: Purpose) -> Result<Option<Self>, PlaceError> {
        let error = match self.handle.open_segment(name, purpose) {
            Ok(handle) => return Ok(Some(self.below(handle, Path::new(name)))),
            Err(error) => error,
        };
        let path = self.path.join(name);
        match error.kind() {
            io::ErrorKind::NotFound => Ok(None),
            io::ErrorKind::NotADirectory => Err(PlaceError::Unsafe { path }),
            _ => Err(PlaceError::refused("open", &path, error)),
        }
    }

    fn make_segment(&self, name: &OsStr) -> Result<Self, PlaceError> {
        let mut found = self.open_segment(name, Purpose::Holding)?;
        if found.is_none() {
            match self.handle.make_directory(name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(PlaceError::refused("make", &self.path.join(name), error));
                }
                _ => found = self.open_segment(name, Purpose::Holding)?,
            }
        }
        self.sync()?;
        found.ok_or_else(|| absent("open", &self.path.join(name)))
    }

    fn own_status(&self) -> Result<Status, PlaceError> {
        let own = self.handle.reopened().and_then(|own| sys::status(&own));
        own.map_err(|source| PlaceError::refused("examine", &self.path, source))
    }

    fn below(&self, handle: Handle, below: &Path) -> Self {
        let path = self.path.join(below);
        Self { handle, path }
    }

    fn bad_name(&self, name: &Path) -> PlaceError {
        PlaceError::Name {
            name: name.to_owned(),
            directory: self.path.clone(),
        }
    }
}

/// The path without links. `None` if nothing is there.
fn resolved(path: &Path) -> Result<Option<PathBuf>, PlaceError> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.trim_ascii().is_empty() || bytes.contains(&0) {
        return Err(PlaceError::Name {
            name: path.to_owned(),
            directory: PathBuf::from("/"),
        });
    }
    match path.canonicalize() {
        Ok(real) => Ok(Some(real)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(PlaceError::Unsafe {
            path: path.to_owned(),
        }),
        Err(source) => Err(PlaceError::refused("resolve", path, source)),
    }
}

fn absent(operation: &'static str, path: &Path) -> PlaceError {
    PlaceError::refused(operation, path, io::ErrorKind::NotFound.into())
}
