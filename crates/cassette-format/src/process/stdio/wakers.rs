//! One waker for everyone who waits for a part.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

/// Wakes everyone who waits, once.
#[derive(Debug, Default)]
pub(super) struct Wakers(Mutex<Waiting>);

/// Who polls. Streams have one task each, whose last waker counts; for the exit
/// many may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Output,
    Errors,
    Input,
    Exit,
}

#[derive(Debug, Default)]
struct Waiting {
    output: Option<Waker>,
    errors: Option<Waker>,
    input: Option<Waker>,
    exits: Vec<Waker>,
}

impl Wakers {
    pub(super) fn register(&self, part: Part, waker: &Waker) {
        let mut waiting = self.lock();
        let slot = match part {
            Part::Output => &mut waiting.output,
            Part::Errors => &mut waiting.errors,
            Part::Input => &mut waiting.input,
            Part::Exit => {
                if !waiting.exits.iter().any(|known| known.will_wake(waker)) {
                    waiting.exits.push(waker.clone());
                }
                return;
            }
        };
        match slot {
            Some(known) => known.clone_from(waker),
            None => *slot = Some(waker.clone()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Wakers {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let Waiting {
            output,
            errors,
            input,
            exits,
        } = std::mem::take(&mut *self.lock());
        output
            .into_iter()
            .chain(errors)
            .chain(input)
            .chain(exits)
            .for_each(Waker::wake);
    }
}
