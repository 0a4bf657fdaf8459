//! A cassette as it lies there, complete or not, nothing verified but the form
//! of each line: for audits and repairs.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use super::directory::{CassetteDir, read_regular};
use super::frame_index::UndecodableData;
use super::line_reader::{Line, any_line, recorded_line};
use super::open_error::OpenError;
use super::read_options::{ReadLimits, ReadOptions};
use crate::schema::{Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq, Manifest};

/// The lines of a cassette that nothing is known of. Versions, status, digest,
/// numbers and sums are not looked at.
pub struct RawTape {
    path: PathBuf,
    manifest: Manifest,
    bytes: Vec<u8>,
    limits: ReadLimits,
}

impl RawTape {
    /// Reads both files of the cassette in `dir`.
    ///
    /// # Errors
    /// A file that cannot be read, a manifest that is none.
    pub fn open(dir: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, OpenError> {
        let dir = CassetteDir::new(dir.as_ref());
        let manifest = dir.manifest(options)?;
        let (path, limits) = (dir.frames_path(), options.limits);
        let bytes = read_regular(&path, limits.max_stored_bytes)?;
        Ok(Self {
            path,
            manifest,
            bytes,
            limits,
        })
    }

    /// The manifest, as it reads.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The lines in order; an error for each that is no chunk. The last one may
    /// lack its line feed.
    pub fn lines(&self) -> impl Iterator<Item = Result<LineView<'_>, OpenError>> {
        let mut start = 0;
        (1..).map_while(move |number| {
            let rest = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
            let len = memchr::memchr(b'\n', rest).map_or(rest.len(), |len| len + 1);
            start += len;
            Some(view(&rest[..len], number, (&self.path, &self.limits)))
        })
    }

    /// Where each line is, readable or not; goes with [`lines`](Self::lines).
    pub fn extents(&self) -> impl Iterator<Item = LineExtent> {
        let mut offset = 0;
        self.bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(move |line| {
                let extent = LineExtent {
                    offset,
                    bytes: line.len() as u64,
                    is_torn: line.last() != Some(&b'\n'),
                };
                offset += extent.bytes;
                extent
            })
    }
}

/// Where a line is in `frames.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineExtent {
    /// Where it starts, in bytes from the start of the file.
    pub offset: u64,
    /// Its length in bytes, with its line feed.
    pub bytes: u64,
    /// Whether it lacks its line feed.
    pub is_torn: bool,
}

/// A line that reads as a chunk.
pub struct LineView<'t> {
    line: Line<'t>,
    at: GlobalSeq,
}

impl LineView<'_> {
    /// The line's number, from 1; what it says itself may differ.
    #[must_use]
    pub const fn line(&self) -> GlobalSeq {
        self.at
    }

    /// The connection that it names.
    #[must_use]
    pub fn connection_id(&self) -> &str {
        &self.line.connection_id
    }

    /// When it passed.
    #[must_use]
    pub const fn elapsed(&self) -> ElapsedMs {
        ElapsedMs::new(self.line.elapsed)
    }

    /// What it is a piece of.
    #[must_use]
    pub const fn kind(&self) -> &ChunkKind {
        &self.line.kind
    }

    /// How the process ended, for an exit.
    #[must_use]
    pub const fn exit_code(&self) -> Option<i64> {
        self.line.exit_code
    }

    /// Length of its line in bytes, a line feed counted even where it lacks one.
    #[must_use]
    pub const fn stored_bytes(&self) -> u64 {
        self.line.text.len() as u64 + 1
    }

    /// Its bytes, decoded.
    ///
    /// # Errors
    /// Data that is no base64.
    pub fn data(&self) -> Result<Vec<u8>, UndecodableData> {
        self.line.decoded_data().ok_or(UndecodableData {
            global_seq: self.at,
        })
    }

    /// Appends its bytes, decoded, to `output`; nothing if they cannot be decoded.
    ///
    /// # Errors
    /// Data that is no base64.
    pub fn append_data(&self, output: &mut Vec<u8>) -> Result<(), UndecodableData> {
        let decoded = self.line.decode_data_into(output);
        decoded.ok_or(UndecodableData {
            global_seq: self.at,
        })
    }

    /// All of it as a value, with the numbers that it has itself.
    ///
    /// # Errors
    /// Data that is no base64.
    pub fn to_chunk(&self) -> Result<Chunk, UndecodableData> {
        Ok(Chunk {
            connection_id: ConnectionId::from_recorded(&*self.line.connection_id),
            chunk_seq: ChunkSeq::new(self.line.chunk_seq),
            global_seq: GlobalSeq::new(self.line.global_seq),
            elapsed: self.elapsed(),
            kind: self.line.kind.clone(),
            data: self.data()?,
            exit_code: self.line.exit_code,
            message: self.message().into_owned(),
        })
    }

    /// The diagnostic beside the payload; empty means none.
    #[must_use]
    pub fn message(&self) -> Cow<'_, str> {
        self.line.decoded_message()
    }
}

impl fmt::Debug for RawTape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawTape")
            .field("path", &self.path)
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for LineView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineView")
            .field("line", &self.at)
            .field("connection_id", &self.line.connection_id)
            .field("kind", &self.line.kind)
            .finish_non_exhaustive()
    }
}

/// The line of these bytes, its line feed included where it has one, which is the `number`th of
/// the file at this path.
pub(super) fn view<'t>(
    bytes: &'t [u8],
    number: u64,
    (path, limits): (&Path, &ReadLimits),
) -> Result<LineView<'t>, OpenError> {
    let at = GlobalSeq::new(number);
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let (len, limit) = (text.len() as u64 + 1, limits.max_line_bytes);
    if len > limit {
        return Err(OpenError::LineTooLong {
            path: path.to_owned(),
            line: number,
            bytes: len,
            limit,
        });
    }
    if let Some(line) = recorded_line(bytes) {
        return Ok(LineView { line, at });
    }
    let line = any_line(text).map_err(|source| OpenError::Line {
        path: path.to_owned(),
        line: number,
        source,
    })?;
    Ok(LineView { line, at })
}
