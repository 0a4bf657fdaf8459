//! What all connections of a player share: time, and how far the host goes.

use std::sync::PoisonError;

use tokio::time::Instant;

use crate::barrier::Barrier;
use crate::clock::Clock;
use crate::conversation::Moment;
use crate::sync::{Mutex, MutexGuard};

#[derive(Debug)]
pub(crate) struct Stage {
    clock: Mutex<Clock>,
    barrier: Mutex<Barrier>,
}

impl Stage {
    pub(crate) fn new(clock: Clock) -> Self {
        Self {
            clock: Mutex::new(clock),
            barrier: Mutex::default(),
        }
    }

    /// This moment.
    pub(crate) fn moment(&self) -> Moment {
        let clock = *self.clock();
        let now = Instant::now();
        Moment { clock, now }
    }

    pub(crate) fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn barrier(&self) -> MutexGuard<'_, Barrier> {
        self.barrier.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
