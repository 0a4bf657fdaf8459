//! The chunks of one recorded connection, in order.

use std::fmt;
use std::sync::Arc;

use cassette_format::schema::{ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq};
use cassette_format::store::{ChunkView, Tape, UndecodableData};

/// The chunks of one connection. Clones share them.
#[derive(Clone)]
pub(crate) struct Script {
    tape: Arc<Tape>,
    connection_id: ConnectionId,
    /// Where the chunks are in the tape.
    chunks: Arc<[GlobalSeq]>,
}

impl Script {
    pub(crate) fn new(tape: Arc<Tape>, connection_id: ConnectionId) -> Self {
        let chunks = tape
            .connection_chunks(&connection_id)
            .map(|chunk| chunk.global_seq())
            .collect();
        Self {
            tape,
            connection_id,
            chunks,
        }
    }

    pub(crate) const fn connection_id(&self) -> &ConnectionId {
        &self.connection_id
    }

    /// How many chunks there are.
    pub(crate) fn len(&self) -> usize {
        self.chunks.len()
    }

    /// The chunk with this index, from 0.
    pub(crate) fn chunk(&self, index: usize) -> Option<ChunkView<'_>> {
        self.tape.chunk(*self.chunks.get(index)?)
    }

    pub(crate) fn elapsed(&self, index: usize) -> ElapsedMs {
        self.chunk(index)
            .map_or(ElapsedMs::new(0), |chunk| chunk.elapsed())
    }

    /// The number of the chunk with this index.
    pub(crate) const fn chunk_seq(index: usize) -> ChunkSeq {
        ChunkSeq::new(index as u64 + 1)
    }

    /// Its number in the tape, which is its line.
    pub(crate) fn global_seq(&self, index: usize) -> GlobalSeq {
        self.chunks.get(index).copied().unwrap_or_default()
    }

    /// Whether the last chunk is an exit.
    pub(crate) fn ends_with_exit(&self) -> bool {
        let last = self.len().checked_sub(1).and_then(|last| self.chunk(last));
        last.is_some_and(|last| last.kind() == ChunkKind::Exit)
    }

    /// The first chunk of a kind from an index on.
    pub(crate) fn next_of(&self, kind: &ChunkKind, from: usize) -> Option<usize> {
        (from..self.len()).find(|index| self.is(*index, kind))
    }

    pub(crate) fn is(&self, index: usize, kind: &ChunkKind) -> bool {
        self.chunk(index).is_some_and(|chunk| chunk.kind() == *kind)
    }

    /// Whether a chunk has any data.
    pub(crate) fn has_data(&self, index: usize) -> bool {
        self.chunk(index).is_some_and(|chunk| chunk.has_data())
    }

    /// Whether nothing of a chunk of the agent is delivered: it was emptied when it was
    /// recorded.
    pub(crate) fn is_blank(&self, index: usize) -> bool {
        let is_stream = |kind| matches!(kind, ChunkKind::Stdout | ChunkKind::Stderr);
        self.chunk(index).is_some_and(|chunk| {
            !chunk.has_data() && is_stream(chunk.kind()) && chunk.message().is_empty()
        })
    }

    pub(crate) fn data(&self, index: usize) -> Result<Vec<u8>, UndecodableData> {
        self.chunk(index)
            .map_or_else(|| Ok(Vec::new()), |chunk| chunk.data())
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("connection_id", &self.connection_id)
            .field("chunks", &self.chunks.len())
            .finish_non_exhaustive()
    }
}
