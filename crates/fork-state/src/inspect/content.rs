//! The content of a transcript's file, whether it is compressed or not.

use std::io::{self, Read};
use std::path::Path;

use super::frames::Frames;
use super::limits::Limits;

/// Why a content could not be read to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// The file cannot be read.
    #[error("the file cannot be read")]
    Read {
        /// What the system says.
        source: io::Error,
    },
    /// It decompresses to more than the limit.
    #[error("more than {limit} bytes when decompressed")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// Decompressing it takes more memory than is given to it.
    #[error("compressed with a window of {bytes} bytes, more than {limit}")]
    Window {
        /// What it takes.
        bytes: u64,
        /// What it may take.
        limit: u64,
    },
    /// The compressed file ends too early.
    #[error("the compressed file is cut off")]
    Truncated,
    /// Something that is no frame follows the compressed frames.
    #[error("no compressed frame at byte {offset} of the file")]
    Trailing {
        /// Where, in the file.
        offset: u64,
    },
    /// The compressed bytes mean nothing.
    #[error("compressed bytes damaged before byte {offset} of the file")]
    Damaged {
        /// How far the file was read.
        offset: u64,
    },
    /// What was decompressed is not what was compressed.
    #[error("the checksum of a compressed frame differs")]
    Checksum,
    /// It was compressed with a dictionary.
    #[error("compressed with a dictionary")]
    Dictionary,
}

/// How a file holds a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Plain,
    Zstd,
}

impl Encoding {
    /// By the end of the file's name.
    pub(crate) fn of(name: &Path) -> Self {
        match name.extension() {
            Some(extension) if extension == "zst" => Self::Zstd,
            _ => Self::Plain,
        }
    }
}

/// A content that is read once, from its beginning.
#[derive(Debug)]
pub(crate) enum Content<R> {
    Plain(R),
    Compressed(Box<Frames<R>>),
}

impl<R: Read> Content<R> {
    pub(crate) fn new(file: R, encoding: Encoding, limits: &Limits) -> Self {
        match encoding {
            Encoding::Plain => Self::Plain(file),
            Encoding::Zstd => {
                Self::Compressed(Box::new(Frames::new(file, limits.decompressed_bytes)))
            }
        }
    }

    /// Fills the beginning of `buffer`; 0 at the end. After an error nothing
    /// more can be read.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ContentError> {
        match self {
            Self::Compressed(frames) => frames.read(buffer),
            Self::Plain(file) => loop {
                match file.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => return read.map_err(|source| ContentError::Read { source }),
                }
            },
        }
    }
}
