//! What a crash left of a tape: its longest sound beginning.

use std::collections::HashMap;
use std::path::Path;

use super::directory::{CassetteDir, read_regular};
use super::frame_index::{ChunkDefect, ChunkView, FrameIndex};
use super::indexer::Indexer;
use super::open_error::OpenError;
use super::read_options::ReadOptions;
use super::tape::{check_connections, check_launches, open_manifest};
use crate::schema::{ConnectionId, Manifest};

/// The longest beginning of a tape that consists of whole, sound, consecutive
/// lines, and where and why it ends. Nothing behind that is looked at, nothing
/// is skipped, nothing on disk is changed.
#[derive(Debug)]
pub struct TapePrefix {
    manifest: Manifest,
    index: FrameIndex,
    good_bytes: u64,
    ending: Ending,
}

/// How a beginning of a tape ends.
#[derive(Debug)]
#[non_exhaustive]
pub enum Ending {
    /// With the file.
    Whole,
    /// The last line lacks its line feed, so it is not taken, even if it reads
    /// as a chunk.
    Torn {
        /// Where that line starts, in bytes from the start of the file.
        offset: u64,
        /// What is there of it.
        bytes: u64,
    },
    /// A line is no sound continuation.
    Bad {
        /// Where that line starts, in bytes from the start of the file.
        offset: u64,
        /// From there to the end of the file.
        bytes: u64,
        /// What is wrong with it; names the line.
        error: OpenError,
    },
}

impl TapePrefix {
    /// Reads the cassette in `dir`, complete or not. Its digest and sums are not
    /// looked at.
    ///
    /// # Errors
    /// A manifest or file that cannot be read at all, another version, an
    /// unknown provider or origin, a launch without ordinal or listed twice. A torn or bad line is no error but the
    /// [`Ending`].
    pub fn open(dir: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, OpenError> {
        let dir = CassetteDir::new(dir.as_ref());
        let path = dir.manifest_path();
        let manifest = open_manifest(&path, options)?;
        check_connections(&path, &manifest, options)?;
        check_launches(&path, &manifest, &mut HashMap::new())?;
        let frames = dir.frames_path();
        let mut bytes = read_regular(&frames, options.limits.max_stored_bytes)?;
        let mut indexer = Indexer::new(&frames, &options.limits, &manifest, bytes.len());
        let (good, ending) = index_prefix(&bytes, &mut indexer);
        bytes.truncate(good);
        let (index, _) = indexer.finish(bytes);
        Ok(Self {
            manifest,
            index,
            good_bytes: good as u64,
            ending,
        })
    }

    /// The manifest, whatever its status.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How many bytes of `frames.jsonl` the sound lines are.
    #[must_use]
    pub const fn good_bytes(&self) -> u64 {
        self.good_bytes
    }

    /// Where and why the beginning ends.
    #[must_use]
    pub const fn ending(&self) -> &Ending {
        &self.ending
    }

    /// The beginning alone, as of a file that ends there, and how it ended.
    #[must_use]
    pub fn split_ending(self) -> (Self, Ending) {
        let alone = Self {
            ending: Ending::Whole,
            ..self
        };
        (alone, self.ending)
    }

    /// How many chunks were taken.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether no chunk was taken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.index.len() == 0
    }

    /// The chunks that were taken, in order.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = ChunkView<'_>> {
        self.index.chunks()
    }

    /// The chunks of one connection, in order.
    pub fn connection_chunks<'t>(
        &'t self,
        connection: &ConnectionId,
    ) -> impl ExactSizeIterator<Item = ChunkView<'t>> + use<'t> {
        self.index.connection_chunks(connection)
    }

    /// The chunks that would fail when played.
    pub fn defects(&self) -> impl Iterator<Item = ChunkDefect> {
        self.index.defects()
    }
}

fn index_prefix(bytes: &[u8], indexer: &mut Indexer<'_>) -> (usize, Ending) {
    let whole = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    let mut start = 0;
    while start < whole {
        match admit_line(&bytes[..whole], start, indexer) {
            Ok(next) => start = next,
            Err(error) => {
                let (offset, bytes) = (start as u64, (bytes.len() - start) as u64);
                return (
                    start,
                    Ending::Bad {
                        offset,
                        bytes,
                        error,
                    },
                );
            }
        }
    }
    match bytes.len() - whole {
        0 => (whole, Ending::Whole),
        torn => (
            whole,
            Ending::Torn {
                offset: whole as u64,
                bytes: torn as u64,
            },
        ),
    }
}

/// Takes the line that starts at `start` of `whole`; where the next one starts.
fn admit_line(whole: &[u8], start: usize, indexer: &mut Indexer<'_>) -> Result<usize, OpenError> {
    let Some(line) = indexer.read(&whole[start..])? else {
        return Ok(whole.len());
    };
    indexer.admit(&line, start)?;
    Ok(start + line.text.len() + 1)
}
