//! A cassette to play: connections and their chunks, written as a recorder would.

use std::io::Write as _;
use std::path::Path;

use cassette_format::schema::{
    AgentSessionId, Annotations, CaptureOrigin, CassetteStatus, Chunk, ChunkKind, ChunkSeq,
    ConnectionId, ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, LaunchOrdinal,
    Manifest, ProviderId, TapeLimits,
};
use cassette_format::store::{CassetteDir, ReadOptions, Tape, replace_manifest, write_line};
use sha2::{Digest, Sha256};

/// What is to be recorded.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    connections: Vec<ConnectionRecord>,
    chunks: Vec<Chunk>,
    /// Chunks whose data is no base64.
    broken: Vec<GlobalSeq>,
    elapsed: u64,
    annotations: Annotations,
}

impl Recording {
    /// One connection, of provider `test` and session `session-1`.
    pub(crate) fn new() -> Self {
        Self::default().connection(("test", "session-1", "session-1"), 1)
    }

    /// A further connection of (provider, session, root); what comes is said on it.
    pub(crate) fn connection(
        mut self,
        (provider, session, root): (&str, &str, &str),
        ordinal: u64,
    ) -> Self {
        let session = AgentSessionId::from_recorded(session);
        let ordinal = LaunchOrdinal::new(ordinal);
        self.connections.push(ConnectionRecord {
            connection_id: ConnectionId::numbered(self.connections.len() as u64 + 1),
            provider: ProviderId::from_recorded(provider),
            root_agent_session: AgentSessionId::from_recorded(root),
            launch_ordinal: ordinal,
            cwd_token: CwdToken::new(&session, ordinal),
            agent_session: session,
            capture_origin: CaptureOrigin::ProcessStart,
            unknown: Vec::new(),
        });
        self
    }

    /// What comes is said at this time, in milliseconds.
    pub(crate) const fn at(mut self, elapsed: u64) -> Self {
        self.elapsed = elapsed;
        self
    }

    pub(crate) fn outbound(self, data: impl Into<Vec<u8>>) -> Self {
        self.chunk(ChunkKind::Outbound, data.into())
    }

    pub(crate) fn stdout(self, data: impl Into<Vec<u8>>) -> Self {
        self.chunk(ChunkKind::Stdout, data.into())
    }

    pub(crate) fn stderr(self, data: impl Into<Vec<u8>>) -> Self {
        self.chunk(ChunkKind::Stderr, data.into())
    }

    pub(crate) fn exit(mut self, code: i64) -> Self {
        self = self.chunk(ChunkKind::Exit, Vec::new());
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.exit_code = Some(code);
        }
        self
    }

    /// A chunk of another kind.
    pub(crate) fn chunk(mut self, kind: ChunkKind, data: Vec<u8>) -> Self {
        let connection_id = ConnectionId::numbered(self.connections.len() as u64);
        let before = self.chunks.iter();
        let before = before.filter(|chunk| chunk.connection_id == connection_id);
        let chunk_seq = ChunkSeq::new(before.count() as u64 + 1);
        self.push(connection_id, chunk_seq, (kind, data));
        self
    }

    /// So many chunks at once, of one connection and nothing else.
    pub(crate) fn chunks(mut self, chunks: impl IntoIterator<Item = (ChunkKind, Vec<u8>)>) -> Self {
        assert!(self.chunks.is_empty(), "numbered from 1");
        for (number, chunk) in (1..).zip(chunks) {
            self.push(ConnectionId::numbered(1), ChunkSeq::new(number), chunk);
        }
        self
    }

    /// The data of the last chunk cannot be read.
    pub(crate) fn broken(mut self) -> Self {
        self.broken
            .extend(self.chunks.last().map(|chunk| chunk.global_seq));
        self
    }

    /// The last chunk has a message.
    pub(crate) fn with_message(mut self, message: &str) -> Self {
        if let Some(chunk) = self.chunks.last_mut() {
            message.clone_into(&mut chunk.message);
        }
        self
    }

    pub(crate) fn annotated(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    fn push(
        &mut self,
        connection_id: ConnectionId,
        chunk_seq: ChunkSeq,
        (kind, data): (ChunkKind, Vec<u8>),
    ) {
        self.chunks.push(Chunk {
            connection_id,
            chunk_seq,
            global_seq: GlobalSeq::new(self.chunks.len() as u64 + 1),
            elapsed: ElapsedMs::new(self.elapsed),
            kind,
            data,
            exit_code: None,
            message: String::new(),
        });
    }

    /// The tape. Its files are gone again.
    pub(crate) fn tape(self) -> Tape {
        let scratch = tempfile::tempdir().unwrap();
        self.write(&scratch.path().join("tape"));
        Tape::open(scratch.path().join("tape"), &ReadOptions::default()).unwrap()
    }

    fn write(self, dir: &Path) {
        let dir = CassetteDir::new(dir);
        let mut manifest = Manifest::incomplete(TapeLimits::default());
        let mut lines = Vec::new();
        for mut chunk in self.chunks {
            let before = lines.len();
            let is_broken = self.broken.contains(&chunk.global_seq);
            if is_broken {
                chunk.data = b"broken".to_vec();
            }
            write_line(&mut lines, &chunk).unwrap();
            if is_broken {
                let line = String::from_utf8(lines.split_off(before)).unwrap();
                lines.extend(line.replace("YnJva2Vu", "!").bytes());
                chunk.data.clear();
            }
            let stored = (lines.len() - before) as u64;
            let kind = chunk.kind.clone();
            let stats = manifest.frames_by_kind.entry(kind).or_default();
            stats.add(chunk.payload_bytes(), stored);
            manifest.payload_bytes += chunk.payload_bytes();
            manifest.frame_count += 1;
        }
        manifest.connections = self.connections;
        manifest.annotations = self.annotations;
        manifest.stored_bytes = lines.len() as u64;
        (&dir.create_frames().unwrap()).write_all(&lines).unwrap();
        manifest.status = CassetteStatus::Complete;
        manifest.frames_sha256 = FramesDigest::from_bytes(Sha256::digest(&lines).into());
        replace_manifest(&dir, &manifest).unwrap();
    }
}
