//! What a tape holds of one connection.

use std::collections::BTreeMap;

use serde::Serialize;

use super::MessageSummary;
use crate::descriptor::Dialect;
use crate::schema::{
    AgentSessionId, CaptureOrigin, ChunkKind, ConnectionId, ConnectionRecord, ElapsedMs, KindStats,
    LaunchOrdinal, ProviderId,
};

/// One connection: who it is, what passed, how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConnectionSummary {
    /// Its identity in this cassette.
    pub connection_id: ConnectionId,
    /// The kind of agent.
    pub provider: ProviderId,
    /// The host's conversation that it served.
    #[serde(rename = "agentSessionId")]
    pub agent_session: AgentSessionId,
    /// The top of that conversation's tree.
    #[serde(rename = "rootAgentSessionId")]
    pub root_agent_session: AgentSessionId,
    /// Which launch of its agent session it is.
    pub launch_ordinal: LaunchOrdinal,
    /// How the recording met the process.
    pub capture_origin: CaptureOrigin,
    /// All its chunks.
    pub total: KindStats,
    /// Its chunks of each kind.
    pub frames_by_kind: BTreeMap<ChunkKind, KindStats>,
    /// When its first chunk passed; none where there is no chunk.
    #[serde(rename = "firstElapsedMs")]
    pub first_elapsed: Option<ElapsedMs>,
    /// When its last chunk passed; none where there is no chunk.
    #[serde(rename = "lastElapsedMs")]
    pub last_elapsed: Option<ElapsedMs>,
    /// How the process ended, as the last exit chunk says; none where there is none.
    pub exit: Option<Exit>,
    /// Chunks whose data is no base64; it counts 0 bytes, and the messages are read
    /// without it.
    pub undecodable_chunks: u64,
    /// What its messages are; none where the registry lacks its provider.
    pub dialect: Option<Dialect>,
    /// Its messages; none where the registry lacks its provider or knows nothing of
    /// its messages ([`Dialect::Opaque`]).
    pub messages: Option<MessageSummary>,
}

/// The end of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Exit {
    /// The exit code, -1 after a signal; none where the chunk has none.
    pub code: Option<i64>,
    /// When it was seen.
    #[serde(rename = "elapsedMs")]
    pub elapsed: ElapsedMs,
}

impl ConnectionSummary {
    /// A connection of which no chunk has been counted.
    pub(super) fn of(record: &ConnectionRecord, dialect: Option<Dialect>) -> Self {
        Self {
            connection_id: record.connection_id.clone(),
            provider: record.provider.clone(),
            agent_session: record.agent_session.clone(),
            root_agent_session: record.root_agent_session.clone(),
            launch_ordinal: record.launch_ordinal,
            capture_origin: record.capture_origin.clone(),
            total: KindStats::default(),
            frames_by_kind: BTreeMap::new(),
            first_elapsed: None,
            last_elapsed: None,
            exit: None,
            undecodable_chunks: 0,
            dialect,
            messages: None,
        }
    }
}
