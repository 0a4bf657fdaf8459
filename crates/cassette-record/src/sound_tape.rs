//! A tape that is read to be changed as a whole.

use std::path::Path;

use cassette_format::schema::{CassetteStatus, Chunk, Manifest};
use cassette_format::store::{ChunkView, ReadOptions, Tape, TapePrefix, UndecodableData};

use crate::RedactError;
use crate::recover::dropped;

/// A tape all of whose lines are sound.
pub(crate) enum SoundTape {
    Verified(Tape),
    Unfinished(TapePrefix),
}

impl SoundTape {
    pub(crate) fn open(from: &Path, options: &ReadOptions) -> Result<Self, RedactError> {
        let prefix = TapePrefix::open(from, options)?;
        if prefix.manifest().status == CassetteStatus::Complete {
            return Ok(Self::Verified(Tape::open(from, options)?));
        }
        let (prefix, ending) = prefix.split_ending();
        match dropped(ending) {
            Some(dropped) => Err(RedactError::NotWhole {
                offset: dropped.offset,
                bytes: dropped.bytes,
                reason: Box::new(dropped.reason),
            }),
            None => Ok(Self::Unfinished(prefix)),
        }
    }

    pub(crate) const fn manifest(&self) -> &Manifest {
        match self {
            Self::Verified(tape) => tape.manifest(),
            Self::Unfinished(prefix) => prefix.manifest(),
        }
    }

    pub(crate) fn chunks(&self) -> Box<dyn Iterator<Item = ChunkView<'_>> + '_> {
        match self {
            Self::Verified(tape) => Box::new(tape.chunks()),
            Self::Unfinished(prefix) => Box::new(prefix.chunks()),
        }
    }
}

/// A chunk with its data decoded.
pub(crate) fn owned(view: &ChunkView<'_>) -> Result<Chunk, UndecodableData> {
    Ok(Chunk {
        connection_id: view.connection_id().clone(),
        chunk_seq: view.chunk_seq(),
        global_seq: view.global_seq(),
        elapsed: view.elapsed(),
        kind: view.kind(),
        data: view.data()?,
        exit_code: view.exit_code(),
        message: view.message(),
    })
}
