//! What the manifest says of one recorded process.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::{AgentSessionId, ConnectionId, LaunchOrdinal, ProviderId, UnknownFields};

/// One recorded process (an element of `connections`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionRecord {
    /// Its identity in this cassette (`connectionId`).
    pub connection_id: ConnectionId,
    /// The kind of agent (`provider`).
    pub provider: ProviderId,
    /// The host's conversation that it served (`agentSessionId`).
    pub agent_session: AgentSessionId,
    /// The top of that conversation's tree (`rootAgentSessionId`).
    pub root_agent_session: AgentSessionId,
    /// Which launch of its agent session it is (`launchOrdinal`). (Agent
    /// session, provider, ordinal) is unique in a cassette.
    pub launch_ordinal: LaunchOrdinal,
    /// What stands in stored traffic for its working directory (`cwdToken`).
    pub cwd_token: CwdToken,
    /// How the recording met the process (`captureOrigin`).
    pub capture_origin: CaptureOrigin,
    /// Fields of newer versions.
    pub unknown: UnknownFields,
}

/// The text that stands for a recorded working directory:
/// `${SESSION_CWD:<agent session>:<ordinal>}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CwdToken(String);

impl CwdToken {
    /// The token of one launch.
    #[must_use]
    pub fn new(session: &AgentSessionId, ordinal: LaunchOrdinal) -> Self {
        Self(format!("${{SESSION_CWD:{}:{ordinal}}}", session.trimmed()))
    }

    /// The token as it stands in a manifest; any text is taken.
    pub fn from_recorded(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CwdToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for CwdToken {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::from_recorded(text))
    }
}

/// How a recording met the process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CaptureOrigin {
    /// From its first byte.
    ProcessStart,
    /// In the middle: the process was running when the recording began.
    AttachedLiveConnection,
    /// A text that this version does not know, or none. Such a cassette is not
    /// loaded.
    Unknown(String),
}

impl CaptureOrigin {
    /// The name on disk.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::ProcessStart => "process-start",
            Self::AttachedLiveConnection => "attached-live-connection",
            Self::Unknown(name) => name,
        }
    }

    /// The origin with this name on disk.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "process-start" => Self::ProcessStart,
            "attached-live-connection" => Self::AttachedLiveConnection,
            other => Self::Unknown(other.to_owned()),
        }
    }
}

impl fmt::Display for CaptureOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for CaptureOrigin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
