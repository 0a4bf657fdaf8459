//! What a cassette says about itself beyond what its traffic needs. All of it
//! is optional; readers that do not know it ignore it.

use super::UnknownFields;

/// The `annotations` object of a manifest. Absent members are not written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Annotations {
    /// The program that wrote the cassette (`tool`).
    pub tool: Option<Tool>,
    /// What the agent calls its version (`agentVersion`).
    pub agent_version: Option<String>,
    /// The agent's command after projection (`argv`).
    pub argv: Option<Vec<String>>,
    /// When it was recorded, RFC 3339 in UTC (`recordedAt`). Only on request, so
    /// that equal recordings are equal bytes.
    pub recorded_at: Option<String>,
    /// Where the traffic comes from (`origin`).
    pub origin: Option<Origin>,
    /// What was replaced because it was secret (`redactions`).
    pub redactions: Option<Redactions>,
    /// When frames were handed to the disk (`syncPolicy`).
    pub sync_policy: Option<SyncPolicy>,
    /// What a recovery kept and left (`recovery`).
    pub recovery: Option<RecoveryNote>,
    /// Fields of newer versions.
    pub unknown: UnknownFields,
}

impl Annotations {
    /// Whether there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name, such as `cassette`.
    pub name: String,
    /// Its version, such as `0.1.0`.
    pub version: String,
    /// Fields of newer versions.
    pub unknown: UnknownFields,
}

/// Where the traffic of a cassette comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A live recording, untouched since.
    Recorded,
    /// Changed by a tool after recording.
    Edited,
    /// Made from a recording that had not been completed.
    Recovered,
    /// A text of a newer version.
    Unknown(String),
}

impl Origin {
    /// The name on disk.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Recorded => "recorded",
            Self::Edited => "edited",
            Self::Recovered => "recovered",
            Self::Unknown(name) => name,
        }
    }

    /// The origin with this name on disk.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "recorded" => Self::Recorded,
            "edited" => Self::Edited,
            "recovered" => Self::Recovered,
            other => Self::Unknown(other.to_owned()),
        }
    }
}

/// How often secrets were replaced, and by which rules. Never a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Redactions {
    /// Places.
    pub count: u64,
    /// Names of rules, such as the name of the environment variable.
    pub rules: Vec<String>,
    /// Fields of newer versions.
    pub unknown: UnknownFields,
}

/// When frames were handed to the disk. Every policy hands them to the
/// operating system before the host sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncPolicy {
    /// Once, before the manifest says `complete` (`on-finish`).
    OnFinish,
    /// A text of a newer version.
    Unknown(String),
}

impl SyncPolicy {
    /// The name on disk.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::OnFinish => "on-finish",
            Self::Unknown(name) => name,
        }
    }

    /// The policy with this name on disk.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "on-finish" => Self::OnFinish,
            other => Self::Unknown(other.to_owned()),
        }
    }
}

/// What a recovery kept and left of the tape it read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecoveryNote {
    /// The mode: `strict`, `tail` or `salvage`.
    pub mode: String,
    /// Frames kept.
    pub kept_frames: u64,
    /// Bytes of `frames.jsonl` left out.
    pub dropped_bytes: u64,
    /// Why reading stopped, empty if it did not.
    pub reason: String,
    /// Fields of newer versions.
    pub unknown: UnknownFields,
}
