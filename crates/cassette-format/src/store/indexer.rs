//! Going over the lines of `frames.jsonl`: what each one is, and every check
//! that needs no other line than those before it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::ReadLimits;
use super::frame_index::{Entry, FrameIndex, MAX_CONNECTIONS};
use super::line_reader::{Line, any_line, recorded_line};
use super::open_error::OpenError;
use crate::schema::{ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq, KindStats, Manifest};

/// Goes over lines in order.
pub(super) struct Indexer<'a> {
    path: &'a Path,
    limits: &'a ReadLimits,
    known: HashMap<&'a str, u32>,
    listed: Vec<&'a ConnectionId>,
    /// The connection of the line before: most often the next one's too.
    recent: u32,
    positions: Vec<Vec<u32>>,
    entries: Vec<Entry>,
    /// Of outbound, stdout, stderr and exit: most lines are of these.
    common_kinds: [KindStats; 4],
    other_kinds: BTreeMap<ChunkKind, KindStats>,
    payload_bytes: u64,
}

/// Up to so many connections a comparison with each is quicker than a hash.
const FEW_CONNECTIONS: usize = 16;

/// A check that does not end a load at once, since others are reported first.
pub(super) enum LateError {
    /// A gap in the sequence of the listed connection of this number.
    ChunkSequence(usize, OpenError),
    /// A connection that is not listed.
    Unlisted(OpenError),
    /// A payload over the limit.
    FrameTooLarge(OpenError),
    /// A time over the limit.
    Elapsed(OpenError),
}

/// What the lines add up to.
pub(super) struct Totals {
    pub(super) payload_bytes: u64,
    pub(super) kinds: BTreeMap<ChunkKind, KindStats>,
}

impl<'a> Indexer<'a> {
    /// An indexer of the file at `path` of `bytes` bytes.
    pub(super) fn new(
        path: &'a Path,
        limits: &'a ReadLimits,
        manifest: &'a Manifest,
        bytes: usize,
    ) -> Self {
        let listed: Vec<&ConnectionId> = manifest
            .connections
            .iter()
            .map(|record| &record.connection_id)
            .collect();
        let mut known = HashMap::with_capacity(listed.len());
        for (at, id) in listed.iter().take(MAX_CONNECTIONS).enumerate() {
            known
                .entry(id.as_str())
                .or_insert(u32::try_from(at).unwrap_or(u32::MAX));
        }
        // The manifest's count is a hint only: no line is shorter than this.
        const SHORTEST_LINE: usize = 64;
        let expected = usize::try_from(manifest.frame_count).unwrap_or(usize::MAX);
        Self {
            path,
            limits,
            known,
            positions: vec![Vec::new(); listed.len()],
            listed,
            recent: 0,
            entries: Vec::with_capacity(expected.min(bytes / SHORTEST_LINE)),
            common_kinds: [KindStats::default(); 4],
            other_kinds: BTreeMap::new(),
            payload_bytes: 0,
        }
    }

    /// How many lines were taken.
    pub(super) const fn lines(&self) -> u64 {
        self.entries.len() as u64
    }

    /// The line at the start of `rest`; `None` if it has no line feed.
    pub(super) fn read<'t>(&self, rest: &'t [u8]) -> Result<Option<Line<'t>>, OpenError> {
        if let Some(line) = recorded_line(rest) {
            self.check_length(line.text.len())?;
            return Ok(Some(line));
        }
        self.read_any(rest)
    }

    /// The same for a line that is not in the form that recorders write.
    pub(super) fn read_any<'t>(&self, rest: &'t [u8]) -> Result<Option<Line<'t>>, OpenError> {
        let Some(len) = memchr::memchr(b'\n', rest) else {
            return Ok(None);
        };
        self.check_length(len)?;
        let line = any_line(&rest[..len]).map_err(|source| OpenError::Line {
            path: self.path.to_owned(),
            line: self.lines() + 1,
            source,
        })?;
        Ok(Some(line))
    }

    /// Checks and takes the line that starts at `start`.
    pub(super) fn take(
        &mut self,
        line: &Line<'_>,
        start: usize,
    ) -> Result<Option<LateError>, OpenError> {
        let connection = self.connection(line);
        let late = self.check(line, connection)?;
        self.add(line, start, connection);
        Ok(late)
    }

    /// Takes the line only if it is a sound continuation in every respect.
    pub(super) fn admit(&mut self, line: &Line<'_>, start: usize) -> Result<(), OpenError> {
        let connection = self.connection(line);
        match self.check(line, connection)? {
            None => {
                self.add(line, start, connection);
                Ok(())
            }
            Some(
                LateError::ChunkSequence(_, error)
                | LateError::Unlisted(error)
                | LateError::FrameTooLarge(error)
                | LateError::Elapsed(error),
            ) => Err(error),
        }
    }

    /// The longest line that is taken, its line feed counted.
    pub(super) fn longest_line(&self) -> usize {
        usize::try_from(self.limits.max_line_bytes).unwrap_or(usize::MAX)
    }

    /// Checks the length of a line, given without its line feed.
    pub(super) fn check_length(&self, text: usize) -> Result<(), OpenError> {
        let (bytes, limit) = (text as u64 + 1, self.limits.max_line_bytes);
        if bytes > limit {
            let (path, line) = (self.path.to_owned(), self.lines() + 1);
            return Err(OpenError::LineTooLong {
                path,
                line,
                bytes,
                limit,
            });
        }
        Ok(())
    }

    fn check(
        &self,
        line: &Line<'_>,
        connection: Option<u32>,
    ) -> Result<Option<LateError>, OpenError> {
        let (path, number) = (|| self.path.to_owned(), self.lines() + 1);
        let (found, expected) = (GlobalSeq::new(line.global_seq), GlobalSeq::new(number));
        if found != expected {
            return Err(OpenError::GlobalSequence {
                path: path(),
                line: number,
                found,
                expected,
            });
        }
        let Some(connection) = connection else {
            let connection_id = ConnectionId::from_recorded(line.connection_id.as_ref());
            let (path, line) = (path(), number);
            let error = OpenError::UnlistedConnection {
                path,
                line,
                connection_id,
            };
            return Ok(Some(LateError::Unlisted(error)));
        };
        let connection = connection as usize;
        let next = self.positions[connection].len() as u64 + 1;
        let (found, expected) = (ChunkSeq::new(line.chunk_seq), ChunkSeq::new(next));
        if found != expected {
            let (path, line) = (path(), number);
            let connection_id = self.listed[connection].clone();
            let error = OpenError::ChunkSequence {
                path,
                line,
                connection_id,
                found,
                expected,
            };
            return Ok(Some(LateError::ChunkSequence(connection, error)));
        }
        let (bytes, limit) = (line.payload_bytes(), self.limits.max_frame_bytes);
        if bytes > limit {
            let error = OpenError::FrameTooLarge {
                path: path(),
                line: number,
                bytes,
                limit,
            };
            return Ok(Some(LateError::FrameTooLarge(error)));
        }
        let (found, limit) = (ElapsedMs::new(line.elapsed), ElapsedMs::MAX);
        if found > limit {
            let error = OpenError::Elapsed {
                path: path(),
                line: number,
                found,
                limit,
            };
            return Ok(Some(LateError::Elapsed(error)));
        }
        Ok(None)
    }

    fn add(&mut self, line: &Line<'_>, start: usize, connection: Option<u32>) {
        self.count(line);
        let narrow = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        if let Some(connection) = connection {
            self.positions[connection as usize].push(narrow(self.entries.len()));
            self.recent = connection;
        }
        self.entries
            .push(Entry::new(line, narrow(start), connection.unwrap_or(0)));
    }

    /// The index over `bytes`, whose lines were taken.
    pub(super) fn finish(self, bytes: Vec<u8>) -> (FrameIndex, Totals) {
        let listed = self.listed.into_iter().cloned();
        let connections = listed.zip(self.positions).collect();
        let mut kinds = self.other_kinds;
        let names = [
            ChunkKind::Outbound,
            ChunkKind::Stdout,
            ChunkKind::Stderr,
            ChunkKind::Exit,
        ];
        let common = names.into_iter().zip(self.common_kinds);
        kinds.extend(common.filter(|(_, stats)| stats.frame_count > 0));
        let totals = Totals {
            payload_bytes: self.payload_bytes,
            kinds,
        };
        (FrameIndex::new(bytes, self.entries, connections), totals)
    }

    /// The number of the line's connection among the listed ones.
    fn connection(&self, line: &Line<'_>) -> Option<u32> {
        let id = line.connection_id.as_ref();
        let recent = self.listed.get(self.recent as usize);
        if recent.is_some_and(|recent| recent.as_str() == id) {
            return Some(self.recent);
        }
        if self.listed.len() > FEW_CONNECTIONS {
            return self.known.get(id).copied();
        }
        let at = self
            .listed
            .iter()
            .position(|listed| listed.as_str() == id)?;
        u32::try_from(at).ok()
    }

    fn count(&mut self, line: &Line<'_>) {
        let (payload, stored) = (line.payload_bytes(), line.text.len() as u64 + 1);
        self.payload_bytes += payload;
        let stats = match &line.kind {
            ChunkKind::Outbound => &mut self.common_kinds[0],
            ChunkKind::Stdout => &mut self.common_kinds[1],
            ChunkKind::Stderr => &mut self.common_kinds[2],
            ChunkKind::Exit => &mut self.common_kinds[3],
            kind @ ChunkKind::Unknown(_) => self.other_kinds.entry(kind.clone()).or_default(),
        };
        stats.add(payload, stored);
    }
}
