//! Sequence numbers: of chunks in a tape, of chunks in a connection, of
//! launches in an agent session. All count from 1.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A text is no sequence number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("not a sequence number")]
pub struct ParseSequenceError {
    /// What the integer parser said.
    #[from]
    pub source: ParseIntError,
}

/// Position of a chunk among all chunks of a tape, from 1 without gap; also
/// its line in `frames.jsonl` (`globalSeq`).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct GlobalSeq(u64);

/// Position of a chunk among the chunks of its connection, from 1 without gap
/// (`chunkSeq`). 0 stands on frames that a player made up.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct ChunkSeq(u64);

/// The how-manieth launch of its agent session a connection is, from 1
/// (`launchOrdinal`).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct LaunchOrdinal(u64);

macro_rules! sequence_number {
    ($name:ident) => {
        impl $name {
            /// The first number, 1.
            pub const FIRST: Self = Self(1);

            /// The number with this value.
            #[must_use]
            pub const fn new(value: u64) -> Self {
                Self(value)
            }

            /// The value.
            #[must_use]
            pub const fn get(self) -> u64 {
                self.0
            }

            /// The number after this one; the largest stays.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = ParseSequenceError;

            fn from_str(text: &str) -> Result<Self, ParseSequenceError> {
                Ok(Self(text.parse()?))
            }
        }
    };
}

sequence_number!(GlobalSeq);
sequence_number!(ChunkSeq);
sequence_number!(LaunchOrdinal);
