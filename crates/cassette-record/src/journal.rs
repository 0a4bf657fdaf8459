//! What is written, decided without touching a file: numbers, order, portable
//! content, limits, lines and counts.

use std::collections::HashMap;
use std::time::Duration;

use cassette_format::descriptor::Descriptor;
use cassette_format::json::Framing;
use cassette_format::portable::{Direction, Rules};
use cassette_format::process::{Frame, chunk_from_frame};
use cassette_format::schema::{
    AgentSessionId, Annotations, CaptureOrigin, Chunk, ChunkKind, ChunkSeq, ConnectionId,
    ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, LaunchOrdinal, Manifest,
    TapeLimits,
};
use cassette_format::store::write_line;

use crate::backlog::{Backlog, HeldBack};
use crate::inspector::{Inspector, Refusal};
use crate::stream::Stream;
use crate::surroundings::Surroundings;
use crate::totals::Totals;
use crate::{HoldLimits, RecordError};

/// The state of a recording: what its manifest says, which numbers come next, and
/// what waits for the rest of a message.
#[derive(Debug)]
pub(crate) struct Journal {
    manifest: Manifest,
    rules: Rules,
    hold: HoldLimits,
    totals: Totals,
    launches: HashMap<AgentSessionId, LaunchOrdinal>,
    connections: HashMap<ConnectionId, Connection>,
    backlog: Backlog,
}

/// One connection as far as it has been recorded.
#[derive(Debug)]
struct Connection {
    chunks: ChunkSeq,
    inspector: Inspector,
    outbound: Stream,
    stdout: Stream,
    stderr: Stream,
}

impl Connection {
    fn new(inspector: Inspector) -> Self {
        let framing = inspector.framing();
        Self {
            chunks: ChunkSeq::new(0),
            outbound: Stream::new(Direction::Outbound, framing),
            stdout: Stream::new(Direction::Inbound, framing),
            // Whatever the protocol's framing: agents log lines.
            stderr: Stream::new(Direction::Inbound, Framing::Lines),
            inspector,
        }
    }

    /// Says that no message of these streams goes on.
    fn end_messages(&mut self, backlog: &mut Backlog) -> Result<(), Refusal> {
        for stream in [&mut self.outbound, &mut self.stdout, &mut self.stderr] {
            stream.end_message(backlog, &mut self.inspector)?;
        }
        Ok(())
    }
}

impl Journal {
    pub(crate) fn new(limits: TapeLimits, annotations: Annotations, rules: Rules) -> Self {
        let mut manifest = Manifest::incomplete(limits);
        manifest.annotations = annotations;
        Self {
            manifest,
            rules,
            hold: HoldLimits::default(),
            totals: Totals::default(),
            launches: HashMap::new(),
            connections: HashMap::new(),
            backlog: Backlog::new(),
        }
    }

    /// Bounds what may wait.
    pub(crate) const fn holding(mut self, hold: HoldLimits) -> Self {
        self.hold = hold;
        self
    }

    pub(crate) const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Takes a launch in: gives its connection an identity and a record.
    pub(crate) fn launch(
        &mut self,
        descriptor: &Descriptor,
        surroundings: &Surroundings,
        origin: CaptureOrigin,
    ) -> ConnectionId {
        let session = &surroundings.session;
        let number = self.manifest.connections.len() as u64 + 1;
        let connection_id = ConnectionId::numbered(number);
        let ordinal = self
            .launches
            .get(&session.agent_session)
            .copied()
            .unwrap_or_default()
            .next();
        self.launches.insert(session.agent_session.clone(), ordinal);
        let cwd_token = CwdToken::new(&session.agent_session, ordinal);
        let inspector = Inspector::new(descriptor, surroundings, &cwd_token, &self.rules);
        self.manifest.connections.push(ConnectionRecord {
            connection_id: connection_id.clone(),
            provider: session.provider.clone(),
            agent_session: session.agent_session.clone(),
            root_agent_session: AgentSessionId::from_recorded(session.root().trimmed()),
            launch_ordinal: ordinal,
            cwd_token,
            capture_origin: origin,
            unknown: Vec::new(),
        });
        self.connections
            .insert(connection_id.clone(), Connection::new(inspector));
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

    /// Takes bytes that the host is about to send.
    pub(crate) fn outbound(
        &mut self,
        connection_id: &ConnectionId,
        bytes: &[u8],
        elapsed: Duration,
    ) -> Result<ChunkSeq, RecordError> {
        let (chunk_seq, global_seq) = self.next_numbers(connection_id);
        self.take(
            Chunk {
                connection_id: connection_id.clone(),
                chunk_seq,
                global_seq,
                elapsed: ElapsedMs::from_duration(elapsed),
                kind: ChunkKind::Outbound,
                data: bytes.to_vec(),
                exit_code: None,
                message: String::new(),
            },
            elapsed,
        )
    }

    /// Takes a frame that the host is about to receive.
    pub(crate) fn inbound(
        &mut self,
        connection_id: &ConnectionId,
        frame: &Frame,
        elapsed: Duration,
    ) -> Result<ChunkSeq, RecordError> {
        let numbers = self.next_numbers(connection_id);
        let stamp = ElapsedMs::from_duration(elapsed);
        let chunk = chunk_from_frame(frame, connection_id.clone(), numbers, stamp)?;
        self.take(chunk, elapsed)
    }

    /// Says that the input of a connection has ended.
    pub(crate) fn end_input(&mut self, id: &ConnectionId) -> Result<(), RecordError> {
        let Some(connection) = self.connections.get_mut(id) else {
            return Ok(());
        };
        let Connection {
            outbound,
            inspector,
            ..
        } = connection;
        let ended = outbound.end_message(&mut self.backlog, inspector);
        ended.map_err(|refusal| refused(id, refusal))
    }

    /// Says that a connection has ended: none of its messages goes on.
    pub(crate) fn end_connection(&mut self, id: &ConnectionId) -> Result<(), RecordError> {
        let Some(connection) = self.connections.get_mut(id) else {
            return Ok(());
        };
        let ended = connection.end_messages(&mut self.backlog);
        ended.map_err(|refusal| refused(id, refusal))
    }

    /// Says so of all connections.
    pub(crate) fn end_all(&mut self) -> Result<(), RecordError> {
        let mut ids: Vec<ConnectionId> = self.connections.keys().cloned().collect();
        // The first reason is always the same one.
        ids.sort();
        ids.iter().try_for_each(|id| self.end_connection(id))
    }

    /// Appends the lines of all chunks that wait for nothing any more.
    ///
    /// # Errors
    /// A chunk is over a limit. The lines of those before it are there.
    pub(crate) fn write_ready(&mut self, lines: &mut Vec<u8>) -> Result<(), RecordError> {
        while let Some(chunk) = self.backlog.pop_ready() {
            self.write(&chunk, lines)?;
        }
        Ok(())
    }

    /// What waits.
    pub(crate) fn held_back(&self) -> HeldBack {
        self.backlog.held_back()
    }

    /// Closes the books: the manifest of the complete tape.
    pub(crate) fn complete(&self, digest: FramesDigest) -> Manifest {
        self.totals.complete(self.manifest.clone(), digest)
    }

    /// Takes over a manifest that was written.
    pub(crate) fn adopt(&mut self, manifest: Manifest) {
        self.manifest = manifest;
    }

    fn next_numbers(&self, connection_id: &ConnectionId) -> (ChunkSeq, GlobalSeq) {
        let chunks = self.connections.get(connection_id);
        let chunks = chunks.map_or(ChunkSeq::new(0), |connection| connection.chunks);
        (chunks.next(), self.backlog.next())
    }

    fn take(&mut self, mut chunk: Chunk, elapsed: Duration) -> Result<ChunkSeq, RecordError> {
        self.check_payload(&chunk)?;
        let (id, number) = (chunk.connection_id.clone(), chunk.global_seq);
        let Some(connection) = self.connections.get_mut(&id) else {
            return Err(RecordError::Ended);
        };
        let (inspector, backlog) = (&mut connection.inspector, &mut self.backlog);
        let stream = match chunk.kind {
            ChunkKind::Outbound => Some(&mut connection.outbound),
            ChunkKind::Stderr => Some(&mut connection.stderr),
            ChunkKind::Stdout => Some(&mut connection.stdout),
            _ => None,
        };
        let settled = match stream {
            Some(stream) => {
                let data = std::mem::take(&mut chunk.data);
                let taken = stream.take(backlog, inspector, (number, data));
                let taken = taken.map_err(|refusal| refused(&id, refusal))?;
                chunk.data = taken.data;
                taken.settled
            }
            None => {
                let ended = connection.end_messages(backlog);
                ended.map_err(|refusal| refused(&id, refusal))?;
                chunk.data.len()
            }
        };
        connection.chunks = chunk.chunk_seq;
        let chunk_seq = chunk.chunk_seq;
        self.backlog.push(chunk, elapsed, settled);
        self.check_held(elapsed)?;
        Ok(chunk_seq)
    }

    fn check_held(&self, now: Duration) -> Result<(), RecordError> {
        let held = self.backlog.held_back();
        let waited = held
            .since
            .map_or(Duration::ZERO, |since| now.saturating_sub(since));
        if self.backlog.waits() && (held.bytes > self.hold.bytes || waited > self.hold.time) {
            return Err(RecordError::HeldTooLong {
                bytes: held.bytes as u64,
                waited,
            });
        }
        Ok(())
    }

    fn check_payload(&self, chunk: &Chunk) -> Result<u64, RecordError> {
        let bytes = chunk.payload_bytes();
        let limit = self.manifest.limits.max_frame_bytes;
        if bytes > limit {
            return Err(RecordError::FrameTooLarge {
                connection_id: chunk.connection_id.clone(),
                bytes,
                limit,
            });
        }
        Ok(bytes)
    }

    /// Appends the line of a chunk and counts it.
    fn write(&mut self, chunk: &Chunk, lines: &mut Vec<u8>) -> Result<(), RecordError> {
        let payload_bytes = self.check_payload(chunk)?;
        let before = lines.len();
        write_line(lines, chunk).map_err(|too_long| RecordError::LineTooLong {
            connection_id: chunk.connection_id.clone(),
            bytes: too_long.bytes,
            limit: too_long.limit,
        })?;
        let stored = (lines.len() - before) as u64;
        let bytes = self.totals.stored_bytes() + stored;
        let limit = self.manifest.limits.max_stored_bytes;
        if bytes > limit {
            lines.truncate(before);
            return Err(RecordError::TapeTooLarge { bytes, limit });
        }
        self.totals.add(&chunk.kind, payload_bytes, stored);
        Ok(())
    }
}

fn refused(connection_id: &ConnectionId, refusal: Refusal) -> RecordError {
    let connection_id = connection_id.clone();
    match refusal {
        Refusal::Content(source) => RecordError::Content {
            connection_id,
            source,
        },
    }
}
