//! Cassettes to test with: drafts that can be broken on purpose, and what a
//! reader sees of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cassette_format::schema::{
    AgentSessionId, CaptureOrigin, CassetteStatus, Chunk, ChunkKind, ChunkSeq, ConnectionId,
    ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, KindStats, LaunchOrdinal,
    Manifest, ProviderId, TapeLimits,
};
use cassette_format::store::{
    ChunkView, FRAMES_FILE, MANIFEST_FILE, OpenError, ReadLimits, ReadOptions, Tape, TapePrefix,
    write_line, write_manifest,
};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A cassette that is not on disk yet.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) manifest: Manifest,
    pub(crate) lines: Vec<DraftLine>,
    /// Whether the last line has its line feed.
    pub(crate) ends_with_line_feed: bool,
}

/// One line, and what it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DraftLine {
    /// Without line feed.
    pub(crate) text: Vec<u8>,
    /// What a reader should see in it.
    pub(crate) seen: Seen,
}

/// What a reader sees of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) connection_id: ConnectionId,
    pub(crate) chunk_seq: ChunkSeq,
    pub(crate) global_seq: GlobalSeq,
    pub(crate) elapsed: ElapsedMs,
    pub(crate) kind: ChunkKind,
    /// An error names the chunk whose data is no base64.
    pub(crate) data: Result<Vec<u8>, GlobalSeq>,
    pub(crate) exit_code: Option<i64>,
    pub(crate) message: String,
}

/// A cassette on disk; it is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct OnDisk(pub(crate) TempDir);

impl Draft {
    /// A sealed cassette of these connections and lines.
    pub(crate) fn new(connections: Vec<ConnectionRecord>, lines: Vec<DraftLine>) -> Self {
        let mut manifest = Manifest::incomplete(TapeLimits::default());
        manifest.connections = connections;
        let mut draft = Self {
            manifest,
            lines,
            ends_with_line_feed: true,
        };
        draft.seal();
        draft
    }

    /// A cassette of three connections that take turns, with every known kind.
    pub(crate) fn conversation() -> Self {
        let connections = (1..=3).map(|number| connection(number, "codex")).collect();
        let says = [
            (1, ChunkKind::Outbound, "{\"id\":1}\n"),
            (2, ChunkKind::Outbound, "{\"id\":2}\n"),
            (1, ChunkKind::Stdout, "{\"id\":1,\"result\":{}}\n"),
            (3, ChunkKind::Stderr, "warning\n"),
            (2, ChunkKind::Stdout, "{\"id\":2,\"result\":{}}\n"),
            (3, ChunkKind::Outbound, "{}\n"),
            (2, ChunkKind::Exit, ""),
            (3, ChunkKind::Exit, ""),
            (1, ChunkKind::Exit, ""),
        ];
        let mut sequences = BTreeMap::new();
        let lines = says
            .into_iter()
            .zip(1..)
            .map(|((number, kind, data), global)| {
                let sequence: &mut u64 = sequences.entry(number).or_default();
                *sequence += 1;
                let exit_code = (kind == ChunkKind::Exit).then_some(0);
                DraftLine::recorded(Chunk {
                    connection_id: ConnectionId::numbered(number),
                    chunk_seq: ChunkSeq::new(*sequence),
                    global_seq: GlobalSeq::new(global),
                    elapsed: ElapsedMs::new(global * 10),
                    kind,
                    data: data.into(),
                    exit_code,
                    message: String::new(),
                })
            });
        Self::new(connections, lines.collect())
    }

    /// Counts, sums and digest of what the lines are now.
    pub(crate) fn seal(&mut self) {
        let frames = self.frames();
        let manifest = &mut self.manifest;
        manifest.status = CassetteStatus::Complete;
        manifest.frame_count = self.lines.len() as u64;
        manifest.stored_bytes = frames.len() as u64;
        (manifest.payload_bytes, manifest.max_frame_bytes) = (0, 0);
        manifest.frames_by_kind.clear();
        for line in &self.lines {
            let (payload, stored) = (line.seen.payload_bytes(), line.text.len() as u64 + 1);
            manifest.payload_bytes += payload;
            manifest.max_frame_bytes = manifest.max_frame_bytes.max(payload);
            let stats: &mut KindStats = manifest
                .frames_by_kind
                .entry(line.seen.kind.clone())
                .or_default();
            stats.add(payload, stored);
        }
        manifest.frames_sha256 = digest(&frames);
    }

    /// The text of `frames.jsonl`.
    pub(crate) fn frames(&self) -> Vec<u8> {
        let mut frames = Vec::new();
        for line in &self.lines {
            frames.extend_from_slice(&line.text);
            frames.push(b'\n');
        }
        if !self.ends_with_line_feed {
            frames.pop();
        }
        frames
    }

    /// What a reader should see.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.lines.iter().map(|line| line.seen.clone()).collect()
    }

    pub(crate) fn on_disk(&self) -> OnDisk {
        OnDisk::of(write_manifest(&self.manifest), self.frames())
    }
}

impl DraftLine {
    /// The line that a recorder writes for `chunk`.
    pub(crate) fn recorded(chunk: Chunk) -> Self {
        let mut text = Vec::new();
        write_line(&mut text, &chunk).expect("chunk of a test is short");
        assert_eq!(text.pop(), Some(b'\n'));
        Self {
            text,
            seen: chunk.into(),
        }
    }

    /// Changes what the line says, and writes it anew as a recorder does.
    pub(crate) fn rewrite(&mut self, change: impl FnOnce(&mut Chunk)) {
        let mut chunk = self.seen.clone().into_chunk();
        change(&mut chunk);
        *self = Self::recorded(chunk);
    }
}

impl Seen {
    pub(crate) fn payload_bytes(&self) -> u64 {
        self.data.as_ref().map_or(0, |data| data.len() as u64) + self.message.len() as u64
    }

    fn into_chunk(self) -> Chunk {
        Chunk {
            connection_id: self.connection_id,
            chunk_seq: self.chunk_seq,
            global_seq: self.global_seq,
            elapsed: self.elapsed,
            kind: self.kind,
            data: self.data.unwrap_or_default(),
            exit_code: self.exit_code,
            message: self.message,
        }
    }
}

impl From<Chunk> for Seen {
    fn from(chunk: Chunk) -> Self {
        Self {
            connection_id: chunk.connection_id,
            chunk_seq: chunk.chunk_seq,
            global_seq: chunk.global_seq,
            elapsed: chunk.elapsed,
            kind: chunk.kind,
            data: Ok(chunk.data),
            exit_code: chunk.exit_code,
            message: chunk.message,
        }
    }
}

impl From<ChunkView<'_>> for Seen {
    fn from(chunk: ChunkView<'_>) -> Self {
        Self {
            connection_id: chunk.connection_id().clone(),
            chunk_seq: chunk.chunk_seq(),
            global_seq: chunk.global_seq(),
            elapsed: chunk.elapsed(),
            kind: chunk.kind(),
            data: chunk.data().map_err(|error| error.global_seq),
            exit_code: chunk.exit_code(),
            message: chunk.message(),
        }
    }
}

impl OnDisk {
    pub(crate) fn of(manifest: impl AsRef<[u8]>, frames: impl AsRef<[u8]>) -> Self {
        let cassette = Self::empty();
        fs::write(cassette.manifest(), manifest).unwrap();
        fs::write(cassette.frames(), frames).unwrap();
        cassette
    }

    /// A directory without files.
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn dir(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.dir().join(MANIFEST_FILE)
    }

    pub(crate) fn frames(&self) -> PathBuf {
        self.dir().join(FRAMES_FILE)
    }

    pub(crate) fn open(&self) -> Result<Tape, OpenError> {
        self.open_with(&ReadOptions::default())
    }

    pub(crate) fn open_with(&self, options: &ReadOptions) -> Result<Tape, OpenError> {
        Tape::open(self.dir(), options)
    }

    /// The error of opening it.
    pub(crate) fn refusal(&self) -> OpenError {
        self.open().expect_err("the cassette is broken")
    }

    pub(crate) fn prefix(&self) -> TapePrefix {
        TapePrefix::open(self.dir(), &ReadOptions::default()).unwrap()
    }
}

/// All that a tape holds.
pub(crate) fn seen_in(tape: &Tape) -> Vec<Seen> {
    tape.chunks().map(Seen::from).collect()
}

/// The record of `connection-<number>`, the only launch of `session-<number>`.
pub(crate) fn connection(number: u64, provider: &str) -> ConnectionRecord {
    let session = AgentSessionId::from_recorded(format!("session-{number}"));
    ConnectionRecord {
        connection_id: ConnectionId::numbered(number),
        provider: ProviderId::from_recorded(provider),
        agent_session: session.clone(),
        root_agent_session: AgentSessionId::from_recorded("session-1"),
        launch_ordinal: LaunchOrdinal::FIRST,
        cwd_token: CwdToken::new(&session, LaunchOrdinal::FIRST),
        capture_origin: CaptureOrigin::ProcessStart,
        unknown: Vec::new(),
    }
}

pub(crate) fn digest(bytes: &[u8]) -> FramesDigest {
    FramesDigest::from_bytes(Sha256::digest(bytes).into())
}

/// Small limits, so that a test need not write megabytes.
pub(crate) fn small_limits() -> ReadLimits {
    ReadLimits {
        max_manifest_bytes: 16 * 1024,
        max_stored_bytes: 16 * 1024,
        max_line_bytes: 512,
        max_frame_bytes: 64,
    }
}

/// The error and its sources, one a line, with `dir` shown as `[dir]`.
pub(crate) fn chain(error: &dyn std::error::Error, dir: &Path) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}\n  {error}");
        source = error.source();
    }
    text.replace(&dir.display().to_string(), "[dir]")
}
