//! One waker for many waiting tasks.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

/// Wakes everyone who registered since the last wake.
#[derive(Debug, Default)]
pub(super) struct Wakers(Mutex<Vec<Waker>>);

impl Wakers {
    pub(super) fn register(&self, waker: &Waker) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.iter().any(|known| known.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }
}

impl Wake for Wakers {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let waiting = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_iter().for_each(Waker::wake);
    }
}
