//! Time on a tape: whole milliseconds since the capture began.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds since the capture began (`elapsedMs`).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct ElapsedMs(u64);

impl ElapsedMs {
    /// The largest time that a reader accepts: 100 years of 365 days. It keeps
    /// every sum of times far from overflow.
    pub const MAX: Self = Self(100 * 365 * 24 * 60 * 60 * 1000);

    /// The time with this many milliseconds.
    #[must_use]
    pub const fn new(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// The whole milliseconds of `duration`, at most [`ElapsedMs::MAX`].
    #[must_use]
    pub fn from_duration(duration: Duration) -> Self {
        let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self(milliseconds).min(Self::MAX)
    }

    /// The milliseconds.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The time as a duration since the capture began.
    #[must_use]
    pub const fn as_duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl fmt::Display for ElapsedMs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

impl FromStr for ElapsedMs {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        Ok(Self(
            text.strip_suffix("ms")
                .map_or(text, str::trim_end)
                .parse()?,
        ))
    }
}
