//! Where the chunks of a tape are: the bytes of `frames.jsonl` in one buffer,
//! and for each chunk 28 bytes that say what and where it is.

use std::fmt;

use super::line_reader::{Line, any_line, data_of};
use crate::json::Span;
use crate::schema::{ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq};

/// The data of a chunk is no base64.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("data of chunk {global_seq} is not base64")]
pub struct UndecodableData {
    /// The chunk.
    pub global_seq: GlobalSeq,
}

/// Why a chunk that loads would fail when it is played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkDefect {
    /// The chunk, and its line in `frames.jsonl`.
    pub global_seq: GlobalSeq,
    /// Its connection.
    pub connection_id: ConnectionId,
    /// What is wrong.
    pub kind: DefectKind,
}

/// What is wrong with a chunk that loads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefectKind {
    /// Its kind is not one that this version knows.
    UnknownKind(ChunkKind),
    /// Its data is no base64.
    UndecodableData,
    /// It is an exit without code.
    MissingExitCode,
}

/// The chunks of a tape or of what is left of one.
pub(super) struct FrameIndex {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// The listed connections and the positions of their chunks.
    connections: Vec<(ConnectionId, Vec<u32>)>,
    /// Their numbers in the order of their identities, for looking one up.
    by_id: Vec<u32>,
}

/// One chunk. Positions fit 32 bits because a reader takes in less than 4 GiB.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    elapsed: u64,
    line_start: u32,
    /// The first digit of `data` in the buffer, and the number of digits.
    data_start: u32,
    data_len: u32,
    /// Connection (24 bits), flags (4), kind (4).
    what: u32,
}

const KIND_BITS: u32 = 0b1111;
const ESCAPED: u32 = 1 << 4;
const UNDECODABLE: u32 = 1 << 5;
const HAS_EXIT_CODE: u32 = 1 << 6;
const HAS_MESSAGE: u32 = 1 << 7;
const CONNECTION_SHIFT: u32 = 8;
/// More connections than this do not fit an entry.
pub(super) const MAX_CONNECTIONS: usize = 1 << 24;

/// One chunk of a tape, borrowed from it.
#[derive(Clone, Copy)]
pub struct ChunkView<'t> {
    index: &'t FrameIndex,
    position: usize,
}

impl FrameIndex {
    pub(super) fn new(
        bytes: Vec<u8>,
        entries: Vec<Entry>,
        connections: Vec<(ConnectionId, Vec<u32>)>,
    ) -> Self {
        let listed = u32::try_from(connections.len()).unwrap_or(u32::MAX);
        let mut by_id: Vec<u32> = (0..listed).collect();
        // Stable: of equal identities the one that is listed first stays first.
        by_id.sort_by_key(|at| &connections[*at as usize].0);
        Self {
            bytes,
            entries,
            connections,
            by_id,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn chunk(&self, position: usize) -> Option<ChunkView<'_>> {
        (position < self.entries.len()).then_some(ChunkView {
            index: self,
            position,
        })
    }

    pub(super) fn chunks(&self) -> impl ExactSizeIterator<Item = ChunkView<'_>> {
        (0..self.entries.len()).map(|position| ChunkView {
            index: self,
            position,
        })
    }

    /// Positions of the chunks of a connection, in order.
    pub(super) fn positions_of(&self, connection: &ConnectionId) -> &[u32] {
        let listed = |at: u32| &self.connections[at as usize];
        let first = self.by_id.partition_point(|at| listed(*at).0 < *connection);
        let found = self.by_id.get(first).map(|at| listed(*at));
        found
            .filter(|(id, _)| id == connection)
            .map_or(&[], |(_, positions)| positions)
    }

    pub(super) fn connection_chunks<'t>(
        &'t self,
        connection: &ConnectionId,
    ) -> impl ExactSizeIterator<Item = ChunkView<'t>> + use<'t> {
        let positions = self.positions_of(connection).iter();
        positions.map(|position| ChunkView {
            index: self,
            position: *position as usize,
        })
    }

    pub(super) fn defects(&self) -> impl Iterator<Item = ChunkDefect> {
        self.chunks().filter_map(|chunk| {
            let kind = chunk.defect()?;
            let connection_id = chunk.connection_id().clone();
            Some(ChunkDefect {
                global_seq: chunk.global_seq(),
                connection_id,
                kind,
            })
        })
    }
}

impl Entry {
    /// The entry of a line that starts at `line_start` of the buffer and
    /// belongs to the `connection`-th listed connection.
    pub(super) fn new(line: &Line<'_>, line_start: u32, connection: u32) -> Self {
        let mut what = connection << CONNECTION_SHIFT;
        what |= match line.kind {
            ChunkKind::Outbound => 0,
            ChunkKind::Stdout => 1,
            ChunkKind::Stderr => 2,
            ChunkKind::Exit => 3,
            ChunkKind::Unknown(_) => 4,
        };
        for (flag, set) in [
            (ESCAPED, line.data_escaped),
            (UNDECODABLE, line.data_len.is_none()),
            (HAS_EXIT_CODE, line.exit_code.is_some()),
            (HAS_MESSAGE, !line.message.is_empty()),
        ] {
            what |= if set { flag } else { 0 };
        }
        let narrow = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Self {
            elapsed: line.elapsed,
            line_start,
            data_start: line_start.saturating_add(narrow(line.data.start)),
            data_len: narrow(line.data.len()),
            what,
        }
    }
}

impl<'t> ChunkView<'t> {
    /// Its position in the tape, which is also its line in `frames.jsonl`.
    #[must_use]
    pub const fn global_seq(&self) -> GlobalSeq {
        GlobalSeq::new(self.position as u64 + 1)
    }

    /// Its position in its connection. Takes time logarithmic in the number of
    /// the connection's chunks.
    #[must_use]
    pub fn chunk_seq(&self) -> ChunkSeq {
        let (_, positions) = &self.index.connections[self.connection()];
        let before = positions.partition_point(|position| (*position as usize) < self.position);
        ChunkSeq::new(before as u64 + 1)
    }

    /// Its connection.
    #[must_use]
    pub fn connection_id(&self) -> &'t ConnectionId {
        &self.index.connections[self.connection()].0
    }

    /// When it passed.
    #[must_use]
    pub fn elapsed(&self) -> ElapsedMs {
        ElapsedMs::new(self.entry().elapsed)
    }

    /// What it is a piece of.
    #[must_use]
    pub fn kind(&self) -> ChunkKind {
        match self.entry().what & KIND_BITS {
            0 => ChunkKind::Outbound,
            1 => ChunkKind::Stdout,
            2 => ChunkKind::Stderr,
            3 => ChunkKind::Exit,
            _ => self
                .reread()
                .map_or(ChunkKind::Unknown(String::new()), |line| line.kind),
        }
    }

    /// Its bytes, decoded.
    ///
    /// # Errors
    /// Data that is no base64: such a chunk loads and cannot be played.
    pub fn data(&self) -> Result<Vec<u8>, UndecodableData> {
        let entry = self.entry();
        let span = Span::new(
            entry.data_start as usize,
            entry.data_start as usize + entry.data_len as usize,
        );
        let escaped = entry.what & ESCAPED != 0;
        let undecodable = UndecodableData {
            global_seq: self.global_seq(),
        };
        data_of(&self.index.bytes, span, escaped).ok_or(undecodable)
    }

    /// Whether it has any data, decodable or not. Decodes nothing.
    #[must_use]
    pub fn has_data(&self) -> bool {
        self.entry().data_len > 0
    }

    /// How the process ended, for an exit.
    #[must_use]
    pub fn exit_code(&self) -> Option<i64> {
        let there = self.entry().what & HAS_EXIT_CODE != 0;
        there
            .then(|| self.reread())
            .flatten()
            .and_then(|line| line.exit_code)
    }

    /// The diagnostic beside the payload; empty means none.
    #[must_use]
    pub fn message(&self) -> String {
        let there = self.entry().what & HAS_MESSAGE != 0;
        let line = there.then(|| self.reread()).flatten();
        line.map(|line| line.decoded_message().into_owned())
            .unwrap_or_default()
    }

    /// Bytes of its decoded data and message. Data that is no base64 counts 0.
    #[must_use]
    pub fn payload_bytes(&self) -> u64 {
        let data = self.data().map_or(0, |data| data.len() as u64);
        data + self.message().len() as u64
    }

    /// Length of its line in bytes, a line feed counted even where it lacks one.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        self.line().len() as u64 + 1
    }

    /// Its line in `frames.jsonl`, as stored, without line feed.
    #[must_use]
    pub fn line(&self) -> &'t [u8] {
        let rest = &self.index.bytes[self.entry().line_start as usize..];
        memchr::memchr(b'\n', rest).map_or(rest, |len| &rest[..len])
    }

    /// Why it would fail when played, if it would.
    #[must_use]
    pub fn defect(&self) -> Option<DefectKind> {
        match self.kind() {
            kind @ ChunkKind::Unknown(_) => Some(DefectKind::UnknownKind(kind)),
            _ if self.entry().what & UNDECODABLE != 0 => Some(DefectKind::UndecodableData),
            ChunkKind::Exit if self.entry().what & HAS_EXIT_CODE == 0 => {
                Some(DefectKind::MissingExitCode)
            }
            _ => None,
        }
    }

    fn entry(&self) -> &'t Entry {
        &self.index.entries[self.position]
    }

    const fn connection(&self) -> usize {
        (self.index.entries.as_slice()[self.position].what >> CONNECTION_SHIFT) as usize
    }

    /// What is rarely asked for is read from the line again; it was read before.
    fn reread(&self) -> Option<Line<'t>> {
        any_line(self.line()).ok()
    }
}

impl fmt::Debug for ChunkView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkView")
            .field("global_seq", &self.global_seq())
            .field("connection_id", self.connection_id())
            .field("kind", &self.kind())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for FrameIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameIndex")
            .field("bytes", &self.bytes.len())
            .field("chunks", &self.entries.len())
            .finish_non_exhaustive()
    }
}
