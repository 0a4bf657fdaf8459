//! The position of a connection on its tape, as time passes.

use std::time::Duration;

use cassette_format::schema::ElapsedMs;
use tokio::time::Instant;

use crate::Pace;

/// Where playback stands: 0 at launch, then on with time, and ahead to chunks
/// that were matched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Position {
    pace: Pace,
    at: Instant,
    position: Duration,
}

impl Position {
    pub(crate) const fn new(pace: Pace, now: Instant) -> Self {
        Self {
            pace,
            at: now,
            position: Duration::ZERO,
        }
    }

    /// Jumps ahead to a chunk that was matched; never back.
    pub(crate) fn advance_to(&mut self, elapsed: ElapsedMs, now: Instant) {
        self.position = self.now(now).max(elapsed.as_duration());
        self.at = now;
    }

    /// When a chunk of this time is due; `None` when it is due now.
    pub(crate) fn due(&self, elapsed: ElapsedMs, now: Instant) -> Option<Instant> {
        let wait = elapsed.as_duration().checked_sub(self.now(now))?;
        let waits = self.pace == Pace::AsRecorded && !wait.is_zero();
        waits.then(|| now + wait)
    }

    /// The position now.
    pub(crate) fn now(&self, now: Instant) -> Duration {
        match self.pace {
            Pace::AsRecorded => self.position + now.saturating_duration_since(self.at),
            Pace::FastForward => self.position,
        }
    }
}
