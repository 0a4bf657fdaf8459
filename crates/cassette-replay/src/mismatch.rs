//! Why a connection of a player failed.

use cassette_format::process::FrameFromChunk;
use cassette_format::schema::{ChunkSeq, ConnectionId, GlobalSeq};
use cassette_format::store::UndecodableData;

/// The host sent something else than was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The connection.
    pub connection_id: ConnectionId,
    /// The chunk that was expected.
    pub chunk_seq: ChunkSeq,
    /// The same in the tape: the line of `frames.jsonl`.
    pub global_seq: GlobalSeq,
    /// The first byte that differs, in the expected chunk, from 0.
    pub offset: usize,
    /// How many bytes the chunk has.
    pub expected_len: usize,
}

/// A connection failed for good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The host sent something else than was recorded.
    #[error(
        "sent bytes differ from chunk {} of {} (line {} of frames.jsonl) at byte {} of {}",
        .0.chunk_seq, .0.connection_id, .0.global_seq, .0.offset, .0.expected_len
    )]
    Mismatch(Mismatch),
    /// The host sent something after everything was played.
    #[error("{bytes} bytes were sent on {connection_id} after its last chunk")]
    AfterEnd {
        /// The connection.
        connection_id: ConnectionId,
        /// How many bytes.
        bytes: usize,
    },
    /// A chunk of the tape cannot be played.
    #[error("cannot play a chunk")]
    Chunk(#[from] FrameFromChunk),
    /// The data of a chunk cannot be played.
    #[error("cannot play a chunk")]
    Data(#[from] UndecodableData),
    /// The host ended its input where the tape has it send more, so that nothing
    /// could ever happen again.
    #[error(
        "input of {connection_id} ended after {consumed} of {total} chunks, the next is outbound"
    )]
    InputEnded {
        /// The connection.
        connection_id: ConnectionId,
        /// Chunks that were played.
        consumed: usize,
        /// Chunks that were recorded.
        total: usize,
    },
    /// The connection was closed before everything was played.
    #[error("{connection_id} was closed after {consumed} of {total} chunks")]
    Unconsumed {
        /// The connection.
        connection_id: ConnectionId,
        /// Chunks that were played.
        consumed: usize,
        /// Chunks that were recorded.
        total: usize,
    },
}
