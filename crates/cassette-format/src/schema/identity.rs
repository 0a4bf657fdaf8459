//! Identities: of connections, agent sessions, providers and recordings. How
//! each one compares is decided here and nowhere else.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A text that should name something is empty or white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{what} is blank")]
pub struct BlankIdentity {
    /// The kind of identity that was asked for, such as `provider`.
    pub what: &'static str,
}

/// Names one recorded process of a cassette, such as `connection-1`.
///
/// Compares byte for byte (`connectionId` in `docs/format.md`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConnectionId(String);

impl ConnectionId {
    /// The identity as it stands in a manifest; any text is taken.
    pub fn from_recorded(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The identity that a recorder gives to its `number`-th launch, from 1.
    #[must_use]
    pub fn numbered(number: u64) -> Self {
        Self(format!("connection-{number}"))
    }

    /// The text as recorded.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One conversation of the host, as the host names it.
///
/// Compares after trimming white space; the spelling is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentSessionId(String);

impl AgentSessionId {
    /// The identity as it stands in a manifest or comes from a host; any text is taken.
    pub fn from_recorded(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as spelled, untrimmed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text that comparisons use.
    #[must_use]
    pub fn trimmed(&self) -> &str {
        self.0.trim()
    }

    /// Whether nothing is left after trimming.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.trimmed().is_empty()
    }
}

/// A kind of agent process, such as `codex` or `claude-code`.
///
/// Compares after trimming and without case; the spelling is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProviderId(String);

impl ProviderId {
    /// The identity as it stands in a manifest or comes from a host; any text is taken.
    pub fn from_recorded(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as spelled, untrimmed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text that comparisons use: trimmed and in lower case.
    #[must_use]
    pub fn normalized(&self) -> Cow<'_, str> {
        let trimmed = self.0.trim();
        // Character by character: `str::to_lowercase` looks at what surrounds a
        // sigma, and `char::is_uppercase` overlooks title case.
        if trimmed
            .chars()
            .any(|letter| !letter.to_lowercase().eq([letter]))
        {
            Cow::Owned(trimmed.chars().flat_map(char::to_lowercase).collect())
        } else {
            Cow::Borrowed(trimmed)
        }
    }

    /// Whether nothing is left after trimming.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

/// Names one recording of a host that keeps several, chosen by the host. Without
/// white space around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordingId(String);

impl RecordingId {
    /// The text as given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PartialEq for AgentSessionId {
    fn eq(&self, other: &Self) -> bool {
        self.trimmed() == other.trimmed()
    }
}

impl Eq for AgentSessionId {}

impl PartialOrd for AgentSessionId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for AgentSessionId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.trimmed().cmp(other.trimmed())
    }
}

impl Hash for AgentSessionId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.trimmed().hash(state);
    }
}

impl PartialEq for ProviderId {
    fn eq(&self, other: &Self) -> bool {
        self.normalized() == other.normalized()
    }
}

impl Eq for ProviderId {}

impl PartialOrd for ProviderId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ProviderId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.normalized().cmp(&other.normalized())
    }
}

impl Hash for ProviderId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.normalized().hash(state);
    }
}

impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for AgentSessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.trimmed())
    }
}

impl fmt::Display for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim())
    }
}

impl fmt::Display for RecordingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ConnectionId {
    type Err = BlankIdentity;

    fn from_str(text: &str) -> Result<Self, BlankIdentity> {
        named(text, "connection id").map(Self)
    }
}

impl FromStr for AgentSessionId {
    type Err = BlankIdentity;

    fn from_str(text: &str) -> Result<Self, BlankIdentity> {
        named(text, "agent session").map(Self)
    }
}

impl FromStr for ProviderId {
    type Err = BlankIdentity;

    fn from_str(text: &str) -> Result<Self, BlankIdentity> {
        named(text, "provider").map(Self)
    }
}

impl FromStr for RecordingId {
    type Err = BlankIdentity;

    fn from_str(text: &str) -> Result<Self, BlankIdentity> {
        named(text.trim(), "recording id").map(Self)
    }
}

fn named(text: &str, what: &'static str) -> Result<String, BlankIdentity> {
    if text.trim().is_empty() {
        Err(BlankIdentity { what })
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn providers_compare_trimmed_and_without_case() {
        let spelled = ProviderId::from_recorded(" Claude-Code\n");
        assert_eq!(spelled, ProviderId::from_recorded("claude-code"));
        assert_eq!(spelled.as_str(), " Claude-Code\n");
        let both = BTreeSet::from([spelled, ProviderId::from_recorded("CLAUDE-CODE")]);
        assert_eq!(both.len(), 1);
    }

    #[test]
    fn agent_sessions_compare_trimmed_and_with_case() {
        assert_eq!(
            AgentSessionId::from_recorded(" s "),
            AgentSessionId::from_recorded("s")
        );
        assert_ne!(
            AgentSessionId::from_recorded("S"),
            AgentSessionId::from_recorded("s")
        );
    }

    #[test]
    fn blank_text_names_nothing() {
        assert_eq!(
            "\t ".parse::<ProviderId>(),
            Err(BlankIdentity { what: "provider" })
        );
        assert_eq!(
            "".parse::<ConnectionId>(),
            Err(BlankIdentity {
                what: "connection id"
            })
        );
    }
}
