//! `manifest.json` as a value.

use std::collections::BTreeMap;
use std::fmt;

use super::{
    Annotations, ChunkKind, ConnectionRecord, KindStats, ProjectionVersion, SchemaVersion,
    TapeLimits, UnknownFields,
};

/// What a cassette is: its versions, state, counts and processes.
///
/// Counts and sums stay 0 until the status is `complete`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Layout of manifest and chunks.
    pub schema_version: SchemaVersion,
    /// Rules that made the traffic portable.
    pub projection_version: ProjectionVersion,
    /// Whether the tape is whole.
    pub status: CassetteStatus,
    /// Chunks of the tape.
    pub frame_count: u64,
    /// Bytes of decoded data and messages of all chunks.
    pub payload_bytes: u64,
    /// Bytes of `frames.jsonl`.
    pub stored_bytes: u64,
    /// Largest payload of a chunk, in bytes. For people; readers ignore it.
    pub max_frame_bytes: u64,
    /// The limits it was recorded under.
    pub limits: TapeLimits,
    /// Fields of newer versions in `limits`.
    pub limits_unknown: UnknownFields,
    /// What there is of each kind.
    pub frames_by_kind: BTreeMap<ChunkKind, KindStats>,
    /// Fields of newer versions in what there is of a kind, where there are any.
    pub frames_by_kind_unknown: BTreeMap<ChunkKind, UnknownFields>,
    /// SHA-256 of `frames.jsonl`.
    pub frames_sha256: FramesDigest,
    /// The recorded processes, in the order of their launches.
    pub connections: Vec<ConnectionRecord>,
    /// What the cassette says about itself; not written when empty.
    pub annotations: Annotations,
    /// Fields of newer versions.
    pub unknown: UnknownFields,
}

impl Manifest {
    /// The manifest of a recording that begins: `incomplete`, nothing counted.
    #[must_use]
    pub fn incomplete(limits: TapeLimits) -> Self {
        Self {
            schema_version: SchemaVersion::CURRENT,
            projection_version: ProjectionVersion::CURRENT,
            status: CassetteStatus::Incomplete,
            frame_count: 0,
            payload_bytes: 0,
            stored_bytes: 0,
            max_frame_bytes: 0,
            limits,
            limits_unknown: UnknownFields::new(),
            frames_by_kind: BTreeMap::new(),
            frames_by_kind_unknown: BTreeMap::new(),
            frames_sha256: FramesDigest::default(),
            connections: Vec::new(),
            annotations: Annotations::default(),
            unknown: UnknownFields::new(),
        }
    }
}

/// Whether a tape is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CassetteStatus {
    /// The recording runs, was aborted, failed or was killed.
    Incomplete,
    /// The tape is whole, on disk and hashed.
    Complete,
    /// A text that this version does not know, or none.
    Unknown(String),
}

impl CassetteStatus {
    /// The name on disk.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Incomplete => "incomplete",
            Self::Complete => "complete",
            Self::Unknown(name) => name,
        }
    }

    /// The status with this name on disk.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "incomplete" => Self::Incomplete,
            "complete" => Self::Complete,
            other => Self::Unknown(other.to_owned()),
        }
    }
}

impl fmt::Display for CassetteStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// SHA-256 of `frames.jsonl` in lower-case hexadecimal; empty while the tape is
/// incomplete. Compares with case.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct FramesDigest(String);

impl FramesDigest {
    /// The digest of these 32 bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |value: u8| char::from(DIGITS[usize::from(value & 15)]);
        Self(
            bytes
                .iter()
                .flat_map(|byte| [digit(byte >> 4), digit(*byte)])
                .collect(),
        )
    }

    /// The digest as it stands in a manifest; any text is taken.
    pub fn from_recorded(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FramesDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
