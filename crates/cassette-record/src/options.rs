//! How a recording is made.

use std::time::Duration;

use cassette_format::portable::Rules;
use cassette_format::schema::{Annotations, TapeLimits};

use crate::{Clock, SecretOptions, UnitSink};

/// How a recording is made. The default records within the format's limits,
/// refuses a directory that holds a cassette, and lets live traffic fail with
/// the recording.
#[derive(Debug, Clone, Default)]
pub struct RecordOptions {
    /// Sizes beyond which the recording fails, in bytes; at most the format's own.
    pub limits: TapeLimits,
    /// What the cassette says about itself.
    pub annotations: Annotations,
    /// What happens to a cassette that is there already.
    pub existing: Existing,
    /// What happens to live traffic when the recording has failed.
    pub live: LiveTraffic,
    /// Where times come from; real time from the recorder's creation when absent.
    pub clock: Option<Clock>,
    /// What the caller adds to the rules of what is portable.
    pub rules: Rules,
    /// Which secrets are looked for, and what happens to them.
    pub secrets: SecretOptions,
    /// How much may wait for the rest of a message, and how long.
    pub hold: HoldLimits,
    /// Who is told of the messages that the host has handled.
    pub units: Option<UnitSink>,
}

/// How much may wait for the rest of a message, and how long: chunks with bytes of a
/// message that has not ended, and all that came after them. Past either bound the
/// recording fails, as nothing can be written before it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoldLimits {
    /// Bytes: 64 MiB, with 256 for each chunk.
    pub bytes: usize,
    /// Time by the recording's clock, looked at when something is recorded: 10 min.
    pub time: Duration,
}

impl Default for HoldLimits {
    fn default() -> Self {
        Self {
            bytes: 64 * 1024 * 1024,
            time: Duration::from_secs(600),
        }
    }
}

/// What happens to a cassette that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// It is left as it is, and the recorder is not created.
    #[default]
    Refuse,
    /// Its two files are removed when the recorder is created.
    Replace,
}

/// What happens to live traffic when the recording has failed: to what is sent and
/// received, and to launches. A launch that is refused for a reason of its own stays
/// refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LiveTraffic {
    /// It fails too, with the recording's reason.
    #[default]
    FailsToo,
    /// It goes on, unrecorded.
    GoesOn,
}
