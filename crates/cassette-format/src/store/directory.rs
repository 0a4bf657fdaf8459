//! The directory of a cassette: its two files, opened as what they must be.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::manifest_reader::read_manifest;
use super::open_error::{FileKind, OpenError};
use super::read_options::ReadOptions;
use crate::schema::Manifest;
use crate::sys;

/// The manifest's file name.
pub const MANIFEST_FILE: &str = "manifest.json";
/// The frames' file name.
pub const FRAMES_FILE: &str = "frames.jsonl";

/// A directory that holds a cassette, or will.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CassetteDir {
    path: PathBuf,
}

/// A cassette's directory or its file of frames was not created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateError {
    /// No directory was named.
    #[error("no directory is named for the cassette")]
    NoDirectory,
    /// There is a cassette already.
    #[error("{} already holds a cassette", path.display())]
    Occupied {
        /// The directory.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot create {}", path.display())]
    Create {
        /// The directory or file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
}

impl CassetteDir {
    /// The directory at `path`, which may not be there yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its `manifest.json`.
    #[must_use]
    pub fn manifest_path(&self) -> PathBuf {
        self.path.join(MANIFEST_FILE)
    }

    /// What its `manifest.json` says. Nothing of it is verified, neither versions nor status.
    ///
    /// # Errors
    /// A file that cannot be read, or is no manifest.
    pub fn manifest(&self, options: &ReadOptions) -> Result<Manifest, OpenError> {
        let path = self.manifest_path();
        let text = read_regular(&path, options.limits.max_manifest_bytes)?;
        read_manifest(&text).map_err(|source| OpenError::Manifest { path, source })
    }

    /// Its `frames.jsonl`.
    #[must_use]
    pub fn frames_path(&self) -> PathBuf {
        self.path.join(FRAMES_FILE)
    }

    /// Has the names of its files last, those that are gone too: a power loss undoes nothing of
    /// that any more. Where directories cannot be synced it does nothing.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn sync(&self) -> io::Result<()> {
        sys::sync_directory(&self.path)
    }

    /// Whether anything stands where a file of a cassette belongs.
    #[must_use]
    pub fn is_occupied(&self) -> bool {
        let there = |path: PathBuf| path.symlink_metadata().is_ok();
        there(self.manifest_path()) || there(self.frames_path())
    }

    /// Creates the directory (0700) where there is none, and in it an empty
    /// `frames.jsonl` (0600), which is given for reading and writing. Its name is synced, so
    /// that no manifest survives a power failure without it.
    ///
    /// # Errors
    /// A blank path; a file of a cassette that is there already, which is left
    /// as it is; what the operating system says.
    pub fn create_frames(&self) -> Result<File, CreateError> {
        if self.path.as_os_str().to_string_lossy().trim().is_empty() {
            return Err(CreateError::NoDirectory);
        }
        self.create_directory()
            .map_err(|source| CreateError::Create {
                path: self.path.clone(),
                source,
            })?;
        if self.is_occupied() {
            return Err(CreateError::Occupied {
                path: self.path.clone(),
            });
        }
        let path = self.frames_path();
        let frames = sys::create_private_file(&path);
        let synced = frames.and_then(|frames| match sys::sync_directory(&self.path) {
            Ok(()) => Ok(frames),
            Err(error) => {
                // Or the next attempt would find a cassette there.
                fs::remove_file(&path).ok();
                Err(error)
            }
        });
        synced.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => CreateError::Occupied {
                path: self.path.clone(),
            },
            _ => CreateError::Create { path, source },
        })
    }

    /// Whether this very file is its `frames.jsonl`: whoever locks the file asks then, as
    /// another one may have taken its place before.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn holds_frames(&self, frames: &File) -> io::Result<bool> {
        sys::is_at(frames, &self.frames_path())
    }

    /// Creates the directory and the missing ones above it, and syncs each
    /// directory that has a new entry.
    fn create_directory(&self) -> io::Result<()> {
        let above = |path: &Path| match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
            Some(parent) => parent.to_owned(),
            None => path.to_owned(),
        };
        let missing = self.path.ancestors().take_while(|path| !path.exists());
        let missing: Vec<&Path> = missing
            .filter(|path| !path.as_os_str().is_empty())
            .collect();
        sys::create_private_directory(&self.path)?;
        missing
            .into_iter()
            .try_for_each(|path| sys::sync_directory(&above(path)))
    }
}

/// Opens a regular file of at most `limit` bytes; gives its size too.
pub(super) fn open_regular(path: &Path, limit: u64) -> Result<(File, usize), OpenError> {
    let refused = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => OpenError::Missing {
            path: path.to_owned(),
        },
        _ => OpenError::Read {
            path: path.to_owned(),
            source,
        },
    };
    let not_a_file = |found| OpenError::NotAFile {
        path: path.to_owned(),
        found,
    };
    let file = sys::open_for_reading(path).map_err(|source| match path.symlink_metadata() {
        Ok(there) if there.is_symlink() => not_a_file(FileKind::SymbolicLink),
        Ok(there) if there.is_dir() => not_a_file(FileKind::Directory),
        Ok(there) if !there.is_file() => not_a_file(FileKind::Special),
        _ => refused(source),
    })?;
    let metadata = file.metadata().map_err(refused)?;
    if metadata.is_dir() {
        return Err(not_a_file(FileKind::Directory));
    }
    if !metadata.is_file() {
        return Err(not_a_file(FileKind::Special));
    }
    let (bytes, limit) = (metadata.len(), limit.min(u64::from(u32::MAX)));
    match usize::try_from(bytes) {
        Ok(size) if bytes <= limit => Ok((file, size)),
        _ => Err(OpenError::FileTooLarge {
            path: path.to_owned(),
            bytes,
            limit,
        }),
    }
}

/// Reads a regular file whole.
pub(super) fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, OpenError> {
    let (file, size) = open_regular(path, limit)?;
    let mut bytes = vec![0; size];
    fill(&file, &mut bytes, path, 0)?;
    expect_end(&file, path, size)?;
    Ok(bytes)
}

/// Fills `into` from the file at `path`, with what is behind its first `before` bytes.
pub(super) fn fill(
    file: &File,
    into: &mut [u8],
    path: &Path,
    before: usize,
) -> Result<(), OpenError> {
    let mut filled = 0;
    while filled < into.len() {
        match sys::read_at(file, &mut into[filled..], (before + filled) as u64) {
            Ok(0) => {
                let (expected, found) = ((before + into.len()) as u64, (before + filled) as u64);
                return Err(OpenError::Changed {
                    path: path.to_owned(),
                    expected,
                    found,
                });
            }
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => {
                return Err(OpenError::Read {
                    path: path.to_owned(),
                    source,
                });
            }
        }
    }
    Ok(())
}

/// Checks that nothing follows the first `size` bytes.
pub(super) fn expect_end(file: &File, path: &Path, size: usize) -> Result<(), OpenError> {
    let more = sys::read_at(file, &mut [0], size as u64);
    match more.map_err(|source| OpenError::Read {
        path: path.to_owned(),
        source,
    })? {
        0 => Ok(()),
        _ => Err(OpenError::Changed {
            path: path.to_owned(),
            expected: size as u64,
            found: file
                .metadata()
                .map_or(size as u64 + 1, |metadata| metadata.len()),
        }),
    }
}
