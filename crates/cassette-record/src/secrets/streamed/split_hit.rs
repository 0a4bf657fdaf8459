//! What the scan over messages reports.

use cassette_format::schema::ConnectionId;

use crate::secrets::SecretName;

/// A secret in the decoded text of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitHit {
    /// The secret.
    pub name: SecretName,
    /// The connection whose messages hold it.
    pub connection: ConnectionId,
    /// Where it ends: the JSON path in its message, or `line` in a text that
    /// is not JSON. Never a value.
    pub path: String,
    /// How much of the conversation it takes.
    pub reach: Reach,
}

/// How much of the conversation a secret takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// One text, in a spelling that only decoding shows.
    OneText,
    /// It begins in a text before.
    SeveralTexts,
}
