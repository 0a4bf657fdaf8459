//! How a recording is made.

use cassette_format::schema::{Annotations, TapeLimits};

use crate::Clock;

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

/// What happens to live traffic when the recording has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LiveTraffic {
    /// It fails too, with the recording's reason.
    #[default]
    FailsToo,
    /// It goes on, unrecorded.
    GoesOn,
}
