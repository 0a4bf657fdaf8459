//! Tapes that are made for a measurement: conversations in lines of JSON, the same in every run.

use std::io::{BufWriter, Write as _};

use anyhow::Context as _;
use cassette_format::schema::{
    AgentSessionId, CaptureOrigin, CassetteStatus, Chunk, ChunkKind, ChunkSeq, ConnectionId,
    ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, LaunchOrdinal, Manifest,
    ProviderId, TapeLimits,
};
use cassette_format::store::{CassetteDir, replace_manifest, write_line};
use sha2::{Digest as _, Sha256};

/// Whose conversation it is.
const PROVIDER: &str = "acp";
/// One request of the host, then so many messages of the agent less one, the last of which answers.
const RUN: u64 = 16;

/// What a tape is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recipe {
    /// Bytes of `frames.jsonl`, or a few more: every connection ends with an answer.
    pub(crate) bytes: u64,
    /// About as many bytes has a payload.
    pub(crate) payload: usize,
    /// Connections, which speak in turn.
    pub(crate) connections: u64,
    /// Which messages name a path.
    pub(crate) paths: Paths,
}

/// Which messages of the agent name a path, besides the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paths {
    /// One of ten.
    EveryTenth,
    /// All of them.
    Every,
}

impl Recipe {
    /// Makes the tape.
    pub(crate) fn make(self, dir: &CassetteDir) -> anyhow::Result<()> {
        let mut tape = Tape::create(dir, self.connections)?;
        for group in 0.. {
            if tape.manifest.stored_bytes >= self.bytes {
                break;
            }
            for at in 0..RUN {
                for connection in 0..self.connections {
                    tape.append(self, (connection, group, at))?;
                }
            }
        }
        tape.finish(dir)
    }

    /// The message at a place of a connection, whose working directory has this token.
    fn message(self, (group, at): (u64, u64), token: &str) -> Vec<u8> {
        let number = group * RUN + at;
        let names_path = self.paths == Paths::Every || number.is_multiple_of(10);
        let (head, tail) = match at {
            0 => (
                format!(
                    "{{\"id\":{group},\"method\":\"turn/start\",\"params\":{{\"cwd\":\"{token}\",\"text\":\""
                ),
                "\"}}\n",
            ),
            15 => (
                format!("{{\"id\":{group},\"result\":{{\"cwd\":\"{token}/a\",\"text\":\""),
                "\"}}\n",
            ),
            _ if names_path => (
                format!(
                    "{{\"method\":\"item/delta\",\"params\":{{\"n\":{number},\"path\":\"{token}/src/lib.rs\",\"delta\":\""
                ),
                "\"}}\n",
            ),
            _ => (
                format!("{{\"method\":\"item/delta\",\"params\":{{\"n\":{number},\"delta\":\""),
                "\"}}\n",
            ),
        };
        let room = self.payload.saturating_sub(head.len() + tail.len()).max(1);
        let words = "some words of an agent, \\\"quoted\\\" and not. ";
        let mut text = words.repeat(room / words.len() + 1);
        text.truncate(room);
        while text.ends_with('\\') {
            text.pop();
        }
        format!("{head}{text}{tail}").into_bytes()
    }
}

/// A tape that is being made.
struct Tape {
    file: BufWriter<std::fs::File>,
    manifest: Manifest,
    hash: Sha256,
    line: Vec<u8>,
}

impl Tape {
    fn create(dir: &CassetteDir, connections: u64) -> anyhow::Result<Self> {
        let mut manifest = Manifest::incomplete(TapeLimits::default());
        for number in 1..=connections {
            let session = AgentSessionId::from_recorded(format!("session-{number}"));
            manifest.connections.push(ConnectionRecord {
                connection_id: ConnectionId::numbered(number),
                provider: ProviderId::from_recorded(PROVIDER),
                cwd_token: CwdToken::new(&session, LaunchOrdinal::FIRST),
                root_agent_session: session.clone(),
                agent_session: session,
                launch_ordinal: LaunchOrdinal::FIRST,
                capture_origin: CaptureOrigin::ProcessStart,
                unknown: Vec::new(),
            });
        }
        Ok(Self {
            file: BufWriter::new(dir.create_frames()?),
            manifest,
            hash: Sha256::new(),
            line: Vec::new(),
        })
    }

    fn append(
        &mut self,
        recipe: Recipe,
        (connection, group, at): (u64, u64, u64),
    ) -> anyhow::Result<()> {
        let manifest = &mut self.manifest;
        let record = &manifest.connections[usize::try_from(connection)?];
        let number = manifest.frame_count;
        let chunk = Chunk {
            connection_id: record.connection_id.clone(),
            chunk_seq: ChunkSeq::new(group * RUN + at + 1),
            global_seq: GlobalSeq::new(number + 1),
            elapsed: ElapsedMs::new(number / 10),
            kind: if at == 0 {
                ChunkKind::Outbound
            } else {
                ChunkKind::Stdout
            },
            data: recipe.message((group, at), record.cwd_token.as_str()),
            exit_code: None,
            message: String::new(),
        };
        self.line.clear();
        let stored = write_line(&mut self.line, &chunk)?;
        self.hash.update(&self.line);
        self.file.write_all(&self.line)?;
        manifest.frame_count += 1;
        manifest.payload_bytes += chunk.payload_bytes();
        manifest.stored_bytes += stored;
        let stats = manifest.frames_by_kind.entry(chunk.kind.clone());
        stats.or_default().add(chunk.payload_bytes(), stored);
        Ok(())
    }

    fn finish(mut self, dir: &CassetteDir) -> anyhow::Result<()> {
        self.file.flush()?;
        self.manifest.status = CassetteStatus::Complete;
        self.manifest.frames_sha256 = FramesDigest::from_bytes(self.hash.finalize().into());
        replace_manifest(dir, &self.manifest).context("cannot make a tape")
    }
}
