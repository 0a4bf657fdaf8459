//! What is written, decided without touching a file: numbers, lines, counts.

use std::collections::HashMap;
use std::time::Duration;

use cassette_format::process::{Frame, SessionContext, chunk_from_frame};
use cassette_format::schema::{
    AgentSessionId, Annotations, CaptureOrigin, CassetteStatus, Chunk, ChunkKind, ChunkSeq,
    ConnectionId, ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, KindStats,
    LaunchOrdinal, Manifest, TapeLimits,
};
use cassette_format::store::write_line;

use crate::RecordError;

/// The state of a recording: what its manifest says and which numbers come next.
#[derive(Debug)]
pub(crate) struct Journal {
    manifest: Manifest,
    totals: Totals,
    launches: HashMap<AgentSessionId, LaunchOrdinal>,
    connections: HashMap<ConnectionId, u64>,
}

/// Counted while recording; the manifest shows it only at the end.
#[derive(Debug, Default)]
struct Totals {
    frames: u64,
    payload_bytes: u64,
    stored_bytes: u64,
    max_frame_bytes: u64,
    kinds: std::collections::BTreeMap<ChunkKind, KindStats>,
}

/// A chunk that may be written: its line and what it counts.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) line: Vec<u8>,
    pub(crate) chunk_seq: ChunkSeq,
    connection_id: ConnectionId,
    kind: ChunkKind,
    payload_bytes: u64,
}

impl Journal {
    pub(crate) fn new(limits: TapeLimits, annotations: Annotations) -> Self {
        let mut manifest = Manifest::incomplete(limits);
        manifest.annotations = annotations;
        Self {
            manifest,
            totals: Totals::default(),
            launches: HashMap::new(),
            connections: HashMap::new(),
        }
    }

    pub(crate) const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Takes a launch in: gives its connection an identity and a record.
    pub(crate) fn launch(
        &mut self,
        session: &SessionContext,
        origin: CaptureOrigin,
    ) -> ConnectionId {
        let number = self.manifest.connections.len() as u64 + 1;
        let connection_id = ConnectionId::numbered(number);
        let ordinal = self
            .launches
            .get(&session.agent_session)
            .copied()
            .unwrap_or_default()
            .next();
        self.launches.insert(session.agent_session.clone(), ordinal);
        self.manifest.connections.push(ConnectionRecord {
            connection_id: connection_id.clone(),
            provider: session.provider.clone(),
            agent_session: session.agent_session.clone(),
            root_agent_session: session.root().clone(),
            launch_ordinal: ordinal,
            cwd_token: CwdToken::new(&session.agent_session, ordinal),
            capture_origin: origin,
            unknown: Vec::new(),
        });
        self.connections.insert(connection_id.clone(), 0);
        connection_id
    }

    /// Undoes the last launch.
    pub(crate) fn forget_last_launch(&mut self) {
        let Some(record) = self.manifest.connections.pop() else {
            return;
        };
        self.connections.remove(&record.connection_id);
        let before = LaunchOrdinal::new(record.launch_ordinal.get().saturating_sub(1));
        self.launches.insert(record.agent_session, before);
    }

    /// The entry of bytes that the host sent.
    pub(crate) fn outbound(
        &self,
        connection_id: &ConnectionId,
        bytes: &[u8],
        elapsed: Duration,
    ) -> Result<Entry, RecordError> {
        let (chunk_seq, global_seq) = self.next_numbers(connection_id);
        self.entry(&Chunk {
            connection_id: connection_id.clone(),
            chunk_seq,
            global_seq,
            elapsed: ElapsedMs::from_duration(elapsed),
            kind: ChunkKind::Outbound,
            data: bytes.to_vec(),
            exit_code: None,
            message: String::new(),
        })
    }

    /// The entry of a frame that the host received.
    pub(crate) fn inbound(
        &self,
        connection_id: &ConnectionId,
        frame: &Frame,
        elapsed: Duration,
    ) -> Result<Entry, RecordError> {
        let numbers = self.next_numbers(connection_id);
        let elapsed = ElapsedMs::from_duration(elapsed);
        self.entry(&chunk_from_frame(
            frame,
            connection_id.clone(),
            numbers,
            elapsed,
        )?)
    }

    /// Counts an entry that was written.
    pub(crate) fn written(&mut self, entry: &Entry) {
        let stored = entry.line.len() as u64;
        self.totals.frames += 1;
        self.totals.payload_bytes += entry.payload_bytes;
        self.totals.stored_bytes += stored;
        self.totals.max_frame_bytes = self.totals.max_frame_bytes.max(entry.payload_bytes);
        self.totals
            .kinds
            .entry(entry.kind.clone())
            .or_default()
            .add(entry.payload_bytes, stored);
        self.connections
            .insert(entry.connection_id.clone(), entry.chunk_seq.get());
    }

    /// Closes the books: the manifest of the complete tape.
    pub(crate) fn complete(&self, digest: FramesDigest) -> Manifest {
        let totals = &self.totals;
        Manifest {
            status: CassetteStatus::Complete,
            frame_count: totals.frames,
            payload_bytes: totals.payload_bytes,
            stored_bytes: totals.stored_bytes,
            max_frame_bytes: totals.max_frame_bytes,
            frames_by_kind: totals.kinds.clone(),
            frames_sha256: digest,
            ..self.manifest.clone()
        }
    }

    /// Takes over a manifest that was written.
    pub(crate) fn adopt(&mut self, manifest: Manifest) {
        self.manifest = manifest;
    }

    fn next_numbers(&self, connection_id: &ConnectionId) -> (ChunkSeq, GlobalSeq) {
        let chunks = self.connections.get(connection_id).copied().unwrap_or(0);
        (
            ChunkSeq::new(chunks + 1),
            GlobalSeq::new(self.totals.frames + 1),
        )
    }

    fn entry(&self, chunk: &Chunk) -> Result<Entry, RecordError> {
        let payload_bytes = chunk.payload_bytes();
        let limits = &self.manifest.limits;
        if payload_bytes > limits.max_frame_bytes {
            return Err(RecordError::FrameTooLarge {
                connection_id: chunk.connection_id.clone(),
                bytes: payload_bytes,
                limit: limits.max_frame_bytes,
            });
        }
        let mut line = Vec::new();
        write_line(&mut line, chunk).map_err(|too_long| RecordError::LineTooLong {
            connection_id: chunk.connection_id.clone(),
            bytes: too_long.bytes,
            limit: too_long.limit,
        })?;
        let bytes = self.totals.stored_bytes + line.len() as u64;
        if bytes > limits.max_stored_bytes {
            return Err(RecordError::TapeTooLarge {
                bytes,
                limit: limits.max_stored_bytes,
            });
        }
        Ok(Entry {
            line,
            chunk_seq: chunk.chunk_seq,
            connection_id: chunk.connection_id.clone(),
            kind: chunk.kind.clone(),
            payload_bytes,
        })
    }
}
