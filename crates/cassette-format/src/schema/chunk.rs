//! One piece of traffic as it is stored: a line of `frames.jsonl` as a value.

use super::{ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq};

/// One piece of traffic, with owned payload. The store writes these and lends
/// borrowed views of them when it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The process it belongs to.
    pub connection_id: ConnectionId,
    /// Its position in that process's traffic.
    pub chunk_seq: ChunkSeq,
    /// Its position in the tape.
    pub global_seq: GlobalSeq,
    /// When it passed.
    pub elapsed: ElapsedMs,
    /// What it is a piece of.
    pub kind: ChunkKind,
    /// Its bytes, decoded; empty for `exit`.
    pub data: Vec<u8>,
    /// How the process ended, for `exit`; -1 after a signal.
    pub exit_code: Option<i64>,
    /// A diagnostic beside the payload; empty means none.
    pub message: String,
}

impl Chunk {
    /// Bytes that count against the frame limit: data plus message.
    #[must_use]
    pub const fn payload_bytes(&self) -> u64 {
        self.data.len() as u64 + self.message.len() as u64
    }
}
