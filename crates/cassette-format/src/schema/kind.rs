//! What a chunk is a piece of, and what a tape holds of each kind.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// What a chunk is a piece of (`kind`). Ordered by name, as the manifest lists
/// kinds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChunkKind {
    /// Bytes that the host wrote to the process.
    Outbound,
    /// Bytes that the process wrote to its standard output.
    Stdout,
    /// Bytes that the process wrote to its standard error.
    Stderr,
    /// The end of the process.
    Exit,
    /// A kind that this version does not know. Such a chunk loads, and fails
    /// when it is played.
    Unknown(String),
}

impl ChunkKind {
    /// The name on disk.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Outbound => "outbound",
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Exit => "exit",
            Self::Unknown(name) => name,
        }
    }

    /// The kind with this name on disk.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "outbound" => Self::Outbound,
            "stdout" => Self::Stdout,
            "stderr" => Self::Stderr,
            "exit" => Self::Exit,
            other => Self::Unknown(other.to_owned()),
        }
    }
}

impl PartialOrd for ChunkKind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ChunkKind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Display for ChunkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ChunkKind {
    type Err = std::convert::Infallible;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(Self::named(name))
    }
}

impl Serialize for ChunkKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What a tape holds of one kind (`framesByKind`), or what any chunks add up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KindStats {
    /// Chunks.
    pub frame_count: u64,
    /// Bytes of decoded data and messages.
    pub payload_bytes: u64,
    /// Bytes of lines, line feeds counted.
    pub stored_bytes: u64,
}

impl KindStats {
    /// Counts one more chunk.
    pub const fn add(&mut self, payload_bytes: u64, stored_bytes: u64) {
        self.frame_count = self.frame_count.saturating_add(1);
        self.payload_bytes = self.payload_bytes.saturating_add(payload_bytes);
        self.stored_bytes = self.stored_bytes.saturating_add(stored_bytes);
    }
}
