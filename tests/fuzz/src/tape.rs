//! Cassettes on disk, for targets that need files.

use std::fs;
use std::path::{Path, PathBuf};

use cassette_format::schema::{
    AgentSessionId, CaptureOrigin, CassetteStatus, Chunk, ChunkKind, ChunkSeq, ConnectionId,
    ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, LaunchOrdinal, Manifest,
    ProviderId, TapeLimits,
};
use cassette_format::store::{FRAMES_FILE, MANIFEST_FILE, write_line, write_manifest};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// How many connections a tape lists.
pub(crate) const CONNECTIONS: u64 = 2;

/// A manifest that lists [`CONNECTIONS`] of this provider, one a session, and nothing else.
pub(crate) fn listing(provider: &str) -> Manifest {
    let record = |number| {
        let session = AgentSessionId::from_recorded(format!("session-{number}"));
        ConnectionRecord {
            connection_id: ConnectionId::numbered(number),
            provider: ProviderId::from_recorded(provider),
            root_agent_session: session.clone(),
            launch_ordinal: LaunchOrdinal::FIRST,
            cwd_token: CwdToken::new(&session, LaunchOrdinal::FIRST),
            agent_session: session,
            capture_origin: CaptureOrigin::ProcessStart,
            unknown: Vec::new(),
        }
    };
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    manifest.connections = (1..=CONNECTIONS).map(record).collect();
    manifest
}

/// `frames.jsonl` as it grows, and the manifest that says what is in it.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) text: Vec<u8>,
    manifest: Manifest,
    chunks: [u64; CONNECTIONS as usize],
}

impl Lines {
    /// No line, of a tape with this manifest.
    pub(crate) const fn new(manifest: Manifest) -> Self {
        let text = Vec::new();
        let chunks = [0; CONNECTIONS as usize];
        Self {
            text,
            manifest,
            chunks,
        }
    }

    /// Adds a chunk of the connection at this place in the manifest.
    pub(crate) fn push(
        &mut self,
        connection: usize,
        elapsed: u64,
        (kind, data): (ChunkKind, &[u8]),
    ) {
        self.chunks[connection] += 1;
        let chunk = Chunk {
            connection_id: self.manifest.connections[connection].connection_id.clone(),
            chunk_seq: ChunkSeq::new(self.chunks[connection]),
            global_seq: GlobalSeq::new(self.chunks.iter().sum()),
            elapsed: ElapsedMs::new(elapsed),
            exit_code: (kind == ChunkKind::Exit).then_some(0),
            kind,
            data: data.to_vec(),
            message: String::new(),
        };
        let stored = write_line(&mut self.text, &chunk).expect("is not longer than the limit");
        let manifest = &mut self.manifest;
        let stats = manifest
            .frames_by_kind
            .entry(chunk.kind.clone())
            .or_default();
        stats.add(chunk.payload_bytes(), stored);
        manifest.payload_bytes += chunk.payload_bytes();
        manifest.frame_count += 1;
        manifest.stored_bytes += stored;
    }

    /// The complete cassette.
    pub(crate) fn complete(mut self) -> Cassette {
        self.manifest.status = CassetteStatus::Complete;
        self.manifest.frames_sha256 = digest(&self.text);
        Cassette::write(&self.manifest, &self.text)
    }
}

/// The digest of these frames.
pub(crate) fn digest(frames: &[u8]) -> FramesDigest {
    FramesDigest::from_bytes(Sha256::digest(frames).into())
}

/// A cassette in a directory that goes when this does.
#[derive(Debug)]
pub(crate) struct Cassette(TempDir);

impl Cassette {
    /// Writes both files as they are.
    pub(crate) fn write(manifest: &Manifest, frames: &[u8]) -> Self {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        fs::write(scratch.path().join(MANIFEST_FILE), write_manifest(manifest))
            .expect("is written");
        fs::write(scratch.path().join(FRAMES_FILE), frames).expect("is written");
        Self(scratch)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// A place in its directory for another one.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Both files.
    pub(crate) fn files(&self) -> (Vec<u8>, Vec<u8>) {
        let read = |name| fs::read(self.path().join(name)).expect("is there");
        (read(MANIFEST_FILE), read(FRAMES_FILE))
    }
}
