//! Chunks that are numbered and not yet on the tape: a message that they are part
//! of has not ended, or one before them waits for that.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use cassette_format::schema::{Chunk, ConnectionId, GlobalSeq};

/// What a chunk takes beside its bytes.
const OVERHEAD: usize = 256;

/// Chunks in the order of their numbers, none missing.
#[derive(Debug)]
pub(crate) struct Backlog {
    held: VecDeque<Held>,
    /// Number of the first chunk held, or of the next one to come.
    first: GlobalSeq,
    bytes: usize,
}

struct Held {
    chunk: Chunk,
    since: Duration,
    /// Bytes at its beginning that are as they will be stored. The others belong to a
    /// message that has not ended.
    settled: usize,
}

impl Held {
    /// Bytes that are not settled.
    const fn open(&self) -> usize {
        self.chunk.data.len().saturating_sub(self.settled)
    }
}

impl fmt::Debug for Held {
    /// Shows no traffic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held")
            .field("connection_id", &self.chunk.connection_id)
            .field("bytes", &self.chunk.data.len())
            .field("settled", &self.settled)
            .finish_non_exhaustive()
    }
}

/// What a recording waits for: chunks that are numbered and not yet written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HeldBack {
    /// Number of chunks.
    pub chunks: usize,
    /// Their bytes, with some for each chunk.
    pub bytes: usize,
    /// When the first of them came, by the recording's clock.
    pub since: Option<Duration>,
}

impl Backlog {
    pub(crate) const fn new() -> Self {
        Self {
            held: VecDeque::new(),
            first: GlobalSeq::new(1),
            bytes: 0,
        }
    }

    /// The number of the next chunk.
    pub(crate) fn next(&self) -> GlobalSeq {
        GlobalSeq::new(self.first.get() + self.held.len() as u64)
    }

    /// Adds the chunk with the next number. Its first `settled` bytes are as they will
    /// be stored; the others belong to a message that has not ended.
    pub(crate) fn push(&mut self, chunk: Chunk, since: Duration, settled: usize) {
        self.bytes += chunk.data.len() + OVERHEAD;
        self.held.push_back(Held {
            chunk,
            since,
            settled,
        });
    }

    /// All bytes of the chunk are settled: those that were not stay as they are, or the
    /// chunk holds these instead.
    pub(crate) fn settle(&mut self, number: GlobalSeq, instead: Option<&[u8]>) {
        let open = self.get_mut(number).map_or(0, |held| held.open());
        self.settle_next(number, open, instead);
    }

    /// The next `bytes` of the chunk are settled: they stay as they are, or the chunk
    /// holds others instead.
    pub(crate) fn settle_next(&mut self, number: GlobalSeq, bytes: usize, instead: Option<&[u8]>) {
        let Some(held) = self.get_mut(number) else {
            return;
        };
        let bytes = bytes.min(held.open());
        let Some(instead) = instead else {
            held.settled += bytes;
            return;
        };
        let end = held.settled + bytes;
        let data = &mut held.chunk.data;
        data.splice(held.settled..end, instead.iter().copied());
        held.settled += instead.len();
        self.bytes = self.bytes + instead.len() - bytes;
    }

    /// The data of a chunk, as it stands.
    pub(crate) fn data(&self, number: GlobalSeq) -> &[u8] {
        let held = self.index(number).and_then(|index| self.held.get(index));
        held.map_or(&[], |held| &held.chunk.data)
    }

    /// Takes the first chunk if it waits for nothing.
    pub(crate) fn pop_ready(&mut self) -> Option<Chunk> {
        if self.held.front()?.open() > 0 {
            return None;
        }
        let Held { chunk, .. } = self.held.pop_front()?;
        self.first = self.first.next();
        self.bytes -= chunk.data.len() + OVERHEAD;
        Some(chunk)
    }

    /// Whose message it is that the first chunk waits for, and everything with it.
    pub(crate) fn waits_for(&self) -> Option<&ConnectionId> {
        let first = self.held.front().filter(|held| held.open() > 0)?;
        Some(&first.chunk.connection_id)
    }

    pub(crate) fn held_back(&self) -> HeldBack {
        HeldBack {
            chunks: self.held.len(),
            bytes: self.bytes,
            since: self.held.front().map(|held| held.since),
        }
    }

    fn index(&self, number: GlobalSeq) -> Option<usize> {
        usize::try_from(number.get().checked_sub(self.first.get())?).ok()
    }

    fn get_mut(&mut self, number: GlobalSeq) -> Option<&mut Held> {
        let index = self.index(number)?;
        self.held.get_mut(index)
    }
}
