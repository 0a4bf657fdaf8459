//! Inspecting a whole transcript, or only as much as tells whose it is.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cassette_format::descriptor::TranscriptLayout;

use super::content::{Content, ContentError, Encoding};
use super::inspector::{InspectOptions, Inspection, Inspector};
use super::judge::{Identity, Judge, RecordLayout};
use super::limits::Limits;
use super::report::TranscriptReport;
use super::scanner::RecordScanner;
use crate::ProviderSessionId;

/// How much is read at once.
const BUFFER: usize = 64 * 1024;

/// A transcript could not be inspected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// The file cannot be opened.
    #[error("cannot open {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is a directory, a pipe or the like.
    #[error("{} is not a regular file", path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
    },
    /// It cannot be read to its end.
    #[error("cannot inspect {}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ContentError,
    },
    /// Nothing is known of how records lie in this layout.
    #[error("transcripts of this layout cannot be inspected")]
    Layout,
}

/// Reads the transcript at `path` to its end and says what it is and what is
/// wrong with it. A name that ends in `.zst` is of a compressed one. Takes the
/// same memory for every file that is not compressed, and at most some 8 MiB
/// more for one that is.
///
/// # Errors
/// See [`InspectError`]. Damage to the records is no error but in the report.
pub fn inspect(
    path: &Path,
    layout: &TranscriptLayout,
    limits: &Limits,
) -> Result<TranscriptReport, InspectError> {
    let layout = RecordLayout::of(layout).ok_or(InspectError::Layout)?;
    let file = open_regular(path)?;
    let encoding = Encoding::of(path);
    let inspector = Inspector::new(layout, None, InspectOptions::default());
    let inspected = inspect_content(Content::new(file, encoding, limits), inspector);
    let inspection = inspected.map_err(|source| InspectError::Content {
        path: path.to_owned(),
        source,
    })?;
    Ok(TranscriptReport {
        is_compressed: encoding == Encoding::Zstd,
        ..inspection.report
    })
}

/// Reads a content to its end.
pub(crate) fn inspect_content<R: Read>(
    mut content: Content<R>,
    mut inspector: Inspector,
) -> Result<Inspection, ContentError> {
    let mut buffer = vec![0; BUFFER];
    loop {
        match content.read(&mut buffer)? {
            0 => return Ok(inspector.finish()),
            read => inspector.push(&buffer[..read]),
        }
    }
}

/// Whether a content is the transcript of the session that is asked for. Reads
/// no further than the record that says so.
pub(crate) fn identify<R: Read>(
    mut content: Content<R>,
    layout: RecordLayout,
    asked: &ProviderSessionId,
) -> Result<Identity, ContentError> {
    let mut scanner = RecordScanner::new(Judge::new(layout, Some(asked)), None);
    let mut buffer = vec![0; BUFFER];
    loop {
        if let Some(identity) = scanner.identity() {
            return Ok(identity);
        }
        match content.read(&mut buffer)? {
            0 => return Ok(scanner.finish().identity()),
            read => scanner.push(&buffer[..read]),
        }
    }
}

impl RecordLayout {
    /// How records lie in this layout, if that is known.
    pub(crate) fn of(layout: &TranscriptLayout) -> Option<Self> {
        match layout {
            TranscriptLayout::Rollouts { .. } => Some(Self::Rollout),
            TranscriptLayout::ProjectFiles { .. } => Some(Self::ProjectFile),
            _ => None,
        }
    }
}

/// Opens a file without waiting for the other end of a pipe.
fn open_regular(path: &Path) -> Result<File, InspectError> {
    let open_error = |source| InspectError::Open {
        path: path.to_owned(),
        source,
    };
    if !fs::metadata(path).map_err(open_error)?.is_file() {
        return Err(InspectError::NotRegular {
            path: path.to_owned(),
        });
    }
    File::open(path).map_err(open_error)
}
