//! Where a recording takes its times from.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Tells how long a recording has run. Clones are the same clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock {
    /// Real time, from now on.
    #[must_use]
    pub fn monotonic() -> Self {
        let start = Instant::now();
        Self::from_fn(move || start.elapsed())
    }

    /// Time as `elapsed` tells it: for recordings that are to be equal byte for
    /// byte. Should not go backwards.
    pub fn from_fn(elapsed: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(elapsed))
    }

    /// How long the recording has run.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.elapsed()).finish()
    }
}
