//! Why a connection of a player failed, told so that a person can act on it.

use std::fmt;

use cassette_format::json::FramingError;
use cassette_format::process::FrameFromChunk;
use cassette_format::schema::{ChunkSeq, ConnectionId, GlobalSeq};
use cassette_format::store::UndecodableData;

use crate::matching::Difference;

/// Where a message of the host stands on the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessagePlace {
    /// Its number among the recorded messages of the host on this connection, from 1.
    pub message: u64,
    /// The chunk in which it begins.
    pub chunk_seq: ChunkSeq,
    /// The same in the tape: the line of `frames.jsonl`.
    pub global_seq: GlobalSeq,
}

/// The host sent something else than was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The connection.
    pub connection_id: ConnectionId,
    /// The message that was expected.
    pub place: MessagePlace,
    /// What it is, such as `request turn/start`.
    pub expected: String,
    /// What was sent instead.
    pub sent: String,
    /// How they differ.
    pub difference: Difference,
    /// Where on the tape the message that was sent stands, if anywhere.
    pub elsewhere: Option<Elsewhere>,
}

/// A message that was sent out of turn stands elsewhere on the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Elsewhere {
    /// It was played already, so it was sent twice or too late.
    Before(MessagePlace),
    /// It comes later, so something was left out or has another order.
    Later(MessagePlace),
}

/// The host sent other bytes than were recorded, to an agent without messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "sent bytes differ from chunk {chunk_seq} of {connection_id} (line {global_seq} of \
     frames.jsonl) at byte {offset} of {expected_len}"
)]
#[non_exhaustive]
pub struct BytesMismatch {
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
    #[error("{0}")]
    Mismatch(Box<Mismatch>),
    /// The same of an agent without messages.
    #[error(transparent)]
    Bytes(BytesMismatch),
    /// The host sent something after everything was played.
    #[error("{bytes} more bytes were sent on {connection_id} after everything was played: {sent}")]
    AfterEnd {
        /// The connection.
        connection_id: ConnectionId,
        /// How many bytes.
        bytes: usize,
        /// What they are, such as `request turn/start`.
        sent: String,
    },
    /// What the host sent is not framed as messages of its protocol are.
    #[error("what was sent on {connection_id} is not framed as its protocol asks")]
    Framing {
        /// The connection.
        connection_id: ConnectionId,
        /// What is wrong with it.
        #[source]
        source: FramingError,
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
        "input of {connection_id} ended where {expected} was recorded next (line {next} of \
         frames.jsonl), after {consumed} of {total} chunks"
    )]
    InputEnded {
        /// The connection.
        connection_id: ConnectionId,
        /// Chunks that were played.
        consumed: usize,
        /// Chunks that were recorded.
        total: usize,
        /// What is to be sent next, such as `request turn/start`.
        expected: String,
        /// Where that begins on the tape: the line of `frames.jsonl`.
        next: GlobalSeq,
    },
    /// The connection was closed before the host had sent and received everything but the
    /// agent's exit. What the agent says is to be received before closing.
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

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            connection_id,
            place,
            ..
        } = self;
        writeln!(
            f,
            "message {} to {connection_id} is not the recorded one ({place})",
            place.message
        )?;
        writeln!(f, "  recorded: {}", self.expected)?;
        writeln!(f, "  sent:     {}", self.sent)?;
        for line in self.difference.to_string().lines() {
            writeln!(f, "    {line}")?;
        }
        match self.elsewhere {
            Some(Elsewhere::Before(place)) => write!(
                f,
                "  what was sent is message {} ({place}), which was played already",
                place.message
            ),
            Some(Elsewhere::Later(place)) => write!(
                f,
                "  what was sent is message {} ({place}): what comes before it was not sent",
                place.message
            ),
            None => write!(f, "  no other recorded message is like what was sent"),
        }
    }
}

impl fmt::Display for MessagePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "chunk {}, line {} of frames.jsonl",
            self.chunk_seq, self.global_seq
        )
    }
}
