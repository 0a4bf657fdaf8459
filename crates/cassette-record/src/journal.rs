//! What is written, decided without touching a file: numbers, order, portable
//! content, limits, lines and counts.

use std::collections::HashMap;
use std::time::Duration;

use cassette_format::descriptor::Descriptor;
use cassette_format::json::Framing;
use cassette_format::portable::{Direction, Rules};
use cassette_format::process::{EffectiveEnvironment, Frame, chunk_from_frame};
use cassette_format::schema::{
    AgentSessionId, CaptureOrigin, Chunk, ChunkKind, ChunkSeq, ConnectionId, ConnectionRecord,
    CwdToken, ElapsedMs, FramesDigest, GlobalSeq, LaunchOrdinal, Manifest,
};
use cassette_format::store::{write_line, write_manifest};

use crate::backlog::{Backlog, HeldBack};
use crate::desk::Desk;
use crate::inspector::{Inspector, Refusal};
use crate::secret_watch::SecretWatch;
use crate::secrets::{FilterTooLarge, SecretName};
use crate::stream::{Stream, Taken};
use crate::surroundings::Surroundings;
use crate::totals::Totals;
use crate::{HoldLimits, RecordError, RecordOptions};

/// The state of a recording: what its manifest says, which numbers come next, and
/// what waits for the rest of a message.
#[derive(Debug)]
pub(crate) struct Journal {
    manifest: Manifest,
    rules: Rules,
    hold: HoldLimits,
    secrets: SecretWatch,
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
    streams: Streams,
}

#[derive(Debug)]
struct Streams {
    outbound: Stream,
    stdout: Stream,
    stderr: Stream,
}

impl Connection {
    fn new(inspector: Inspector) -> Self {
        let framing = inspector.framing();
        Self {
            chunks: ChunkSeq::new(0),
            inspector,
            streams: Streams {
                outbound: Stream::new(Direction::Outbound, framing),
                stdout: Stream::new(Direction::Inbound, framing),
                stderr: Stream::new(Direction::Inbound, of_stderr(framing)),
            },
        }
    }

    /// Its streams, and what they work with.
    fn at_work<'a>(
        &'a mut self,
        backlog: &'a mut Backlog,
        secrets: &'a mut SecretWatch,
    ) -> (&'a mut Streams, Desk<'a>) {
        let desk = Desk {
            backlog,
            inspector: &mut self.inspector,
            secrets,
        };
        (&mut self.streams, desk)
    }
}

impl Streams {
    /// Says that no message goes on, also when one of them is refused; gives the first
    /// reason.
    fn end(&mut self, desk: &mut Desk<'_>) -> Result<(), Refusal> {
        let outbound = self.outbound.end_message(desk);
        let stdout = self.stdout.end_message(desk);
        let stderr = self.stderr.end_message(desk);
        outbound.and(stdout).and(stderr)
    }
}

/// Agents log lines, whatever their protocol's framing; but nothing is known of what has
/// no messages.
const fn of_stderr(framing: Framing) -> Framing {
    match framing {
        Framing::Raw => Framing::Raw,
        _ => Framing::Lines,
    }
}

impl Journal {
    pub(crate) fn new(options: &RecordOptions) -> Result<Self, FilterTooLarge> {
        let mut manifest = Manifest::incomplete(options.limits);
        manifest.annotations = options.annotations.clone();
        Ok(Self {
            manifest,
            rules: options.rules.clone(),
            hold: options.hold,
            secrets: SecretWatch::new(options.secrets.clone())?,
            totals: Totals::default(),
            launches: HashMap::new(),
            connections: HashMap::new(),
            backlog: Backlog::new(),
        })
    }

    /// Whose value the manifest would show.
    pub(crate) fn secret_in_manifest(&self) -> Option<SecretName> {
        let filter = self.secrets.filter();
        if filter.is_empty() {
            return None;
        }
        let hit = filter.find(&write_manifest(&self.manifest)).next()?;
        Some(hit.name)
    }

    /// What secrets are looked for.
    pub(crate) const fn secrets(&self) -> &SecretWatch {
        &self.secrets
    }

    /// Looks for the secrets of this environment too, from now on.
    pub(crate) fn admit(
        &mut self,
        environment: &EffectiveEnvironment,
    ) -> Result<(), FilterTooLarge> {
        self.secrets.admit(environment)
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
        self.end(id, |streams, desk| streams.outbound.end_message(desk))
    }

    /// Says that a connection has ended: none of its messages goes on.
    pub(crate) fn end_connection(&mut self, id: &ConnectionId) -> Result<(), RecordError> {
        self.end(id, Streams::end)
    }

    fn end(
        &mut self,
        id: &ConnectionId,
        end: impl FnOnce(&mut Streams, &mut Desk<'_>) -> Result<(), Refusal>,
    ) -> Result<(), RecordError> {
        let Some(connection) = self.connections.get_mut(id) else {
            return Ok(());
        };
        let (streams, mut desk) = connection.at_work(&mut self.backlog, &mut self.secrets);
        end(streams, &mut desk).map_err(|refusal| refused(id, refusal))
    }

    /// Says so of all connections, also when one of them is refused; gives the first
    /// reason.
    pub(crate) fn end_all(&mut self) -> Result<(), RecordError> {
        let launched = self.manifest.connections.iter();
        let ids: Vec<ConnectionId> = launched.map(|it| it.connection_id.clone()).collect();
        ids.iter()
            .map(|id| self.end_connection(id))
            .fold(Ok(()), Result::and)
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
        let mut manifest = self.manifest.clone();
        let redactions = self.secrets.redactions();
        if redactions.is_some() {
            manifest.annotations.redactions = redactions;
        }
        self.totals.complete(manifest, digest)
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
        let refused = |refusal| refused(&id, refusal);
        let (streams, mut desk) = connection.at_work(&mut self.backlog, &mut self.secrets);
        let data = std::mem::take(&mut chunk.data);
        let taken = match chunk.kind {
            ChunkKind::Outbound => streams.outbound.take(&mut desk, (number, data)),
            ChunkKind::Stderr => streams.stderr.take(&mut desk, (number, data)),
            ChunkKind::Stdout => streams.stdout.take(&mut desk, (number, data)),
            _ => match streams.end(&mut desk) {
                Ok(()) => Taken::settled(data),
                Err(refusal) => Taken::until(Vec::new(), refusal),
            },
        };
        if taken.refusal.is_some() {
            chunk.message.clear();
        }
        let diagnostic = desk.secrets.redact(chunk.message.as_bytes());
        if let Some(diagnostic) = diagnostic.map_err(refused)? {
            chunk.message = String::from_utf8_lossy(&diagnostic).into_owned();
        }
        chunk.data = taken.data;
        let (settled, chunk_seq) = (taken.settled, chunk.chunk_seq);
        if taken.refusal.is_none() || settled > 0 {
            connection.chunks = chunk_seq;
            self.backlog.push(chunk, elapsed, settled);
        }
        taken
            .refusal
            .map_or(Ok(()), |refusal| Err(refused(refusal)))?;
        self.check_held(elapsed)?;
        Ok(chunk_seq)
    }

    fn check_held(&self, now: Duration) -> Result<(), RecordError> {
        let held = self.backlog.held_back();
        let waited = held
            .since
            .map_or(Duration::ZERO, |since| now.saturating_sub(since));
        if let Some(first) = self.backlog.waits_for()
            && (held.bytes > self.hold.bytes || waited > self.hold.time)
        {
            return Err(RecordError::HeldTooLong {
                connection_id: first.clone(),
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
        Refusal::Content { method, source } => RecordError::Content {
            connection_id,
            method,
            source,
        },
        Refusal::Secret(name) => RecordError::Secret {
            connection_id,
            name,
        },
        Refusal::WentOn => RecordError::WentOn { connection_id },
    }
}
