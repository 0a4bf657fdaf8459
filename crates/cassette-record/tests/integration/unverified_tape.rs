//! Cassettes on disk that nobody verified, to audit.

use std::fs;
use std::path::Path;

use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, Registry, TargetId};
use cassette_format::portable::Rules;
use cassette_format::schema::{
    AgentSessionId, CaptureOrigin, Chunk, ChunkKind, ChunkSeq, ConnectionId, ConnectionRecord,
    CwdToken, ElapsedMs, GlobalSeq, LaunchOrdinal, Manifest, ProviderId, TapeLimits,
};
use cassette_format::store::{FRAMES_FILE, MANIFEST_FILE, ReadOptions, write_line, write_manifest};
use cassette_record::{AuditError, Finding, audit};
use tempfile::TempDir;

/// A cassette on disk; it is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct UnverifiedTape {
    dir: TempDir,
    manifest: Manifest,
    frames: Vec<u8>,
    lines: u64,
}

impl UnverifiedTape {
    /// An incomplete cassette with a connection of each provider, numbered from 1.
    pub(crate) fn of(providers: &[&str]) -> Self {
        let mut manifest = Manifest::incomplete(TapeLimits::default());
        manifest.connections = (1..)
            .zip(providers)
            .map(|(number, provider)| connection(number, provider))
            .collect();
        Self {
            dir: tempfile::tempdir().unwrap(),
            manifest,
            frames: Vec::new(),
            lines: 0,
        }
    }

    /// One more line of `frames.jsonl`.
    pub(crate) fn line(mut self, connection: u64, kind: ChunkKind, data: impl AsRef<[u8]>) -> Self {
        self.lines += 1;
        let chunk = Chunk {
            connection_id: ConnectionId::numbered(connection),
            chunk_seq: ChunkSeq::new(self.lines),
            global_seq: GlobalSeq::new(self.lines),
            elapsed: ElapsedMs::new(0),
            exit_code: (kind == ChunkKind::Exit).then_some(0),
            kind,
            data: data.as_ref().to_vec(),
            message: String::new(),
        };
        write_line(&mut self.frames, &chunk).unwrap();
        self
    }

    /// One more line, as it is given.
    pub(crate) fn raw_line(mut self, line: &str) -> Self {
        self.lines += 1;
        self.frames.extend_from_slice(line.as_bytes());
        self.frames.push(b'\n');
        self
    }

    /// The directory, with both files in it.
    pub(crate) fn on_disk(&self) -> &Path {
        let dir = self.dir.path();
        fs::write(dir.join(MANIFEST_FILE), write_manifest(&self.manifest)).unwrap();
        fs::write(dir.join(FRAMES_FILE), &self.frames).unwrap();
        dir
    }

    pub(crate) fn audit(&self) -> Result<Vec<Finding>, AuditError> {
        self.audit_with(&Rules::default())
    }

    pub(crate) fn audit_with(&self, rules: &Rules) -> Result<Vec<Finding>, AuditError> {
        audit(self.on_disk(), &registry(), &ReadOptions::default(), rules)
    }
}

/// Providers `lines`, `headers` and `raw`, by their framing.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::new();
    for (name, framing, dialect) in [
        ("lines", MessageFraming::Lines, Dialect::JsonRpc),
        ("headers", MessageFraming::ContentLength, Dialect::JsonRpc),
        ("raw", MessageFraming::Raw, Dialect::Opaque),
    ] {
        let descriptor = Descriptor {
            credential_methods: vec!["login".into()],
            ..Descriptor::new(
                ProviderId::from_recorded(name),
                TargetId::named(format!("local:{name}")),
                framing,
                dialect,
            )
        };
        registry.register(descriptor).unwrap();
    }
    registry
}

fn connection(number: u64, provider: &str) -> ConnectionRecord {
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
