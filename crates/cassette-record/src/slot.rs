//! Where the traffic of a live connection is recorded, if it is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cassette_format::process::{Failure, Frame, Stamp};
use cassette_format::schema::RecordingId;

use crate::{RecordError, Tap};

/// The place of a tap in a connection: empty, filled, or filled again.
#[derive(Debug, Default)]
pub(crate) struct Slot(Mutex<Option<Arc<Attached>>>);

/// A tap and the recording that it belongs to.
#[derive(Debug)]
pub(crate) struct Attached {
    tap: Tap,
    recording_id: Option<RecordingId>,
    detached: AtomicBool,
}

impl Attached {
    pub(crate) const fn new(tap: Tap, recording_id: Option<RecordingId>) -> Self {
        Self {
            tap,
            recording_id,
            detached: AtomicBool::new(false),
        }
    }

    /// Records bytes that are about to be sent.
    pub(crate) fn outbound(&self, bytes: &[u8]) -> Result<(), Failure> {
        match self.unless_detached(|tap| tap.outbound(bytes)) {
            // Processes outlive a recording on demand, however it has ended.
            Err(failure) if is_over(&failure) && self.recording_id.is_some() => Ok(()),
            recorded => recorded.map(drop),
        }
    }

    /// Records a frame that was received. What was queued when the recording ended is
    /// received unrecorded.
    pub(crate) fn inbound(&self, frame: &Frame) -> Result<Option<Stamp>, Failure> {
        let mut stamp = match self.unless_detached(|tap| tap.inbound(frame)) {
            Err(failure) if is_over(&failure) => None,
            recorded => recorded?,
        };
        if let Some(stamp) = &mut stamp {
            stamp.recording_id.clone_from(&self.recording_id);
        }
        Ok(stamp)
    }

    /// The input of the connection has ended.
    pub(crate) fn end_input(&self) -> Result<(), Failure> {
        self.unless_detached(Tap::end_input).map(drop)
    }

    /// The connection is being closed.
    pub(crate) fn retire(&self) {
        self.tap.retire();
    }

    /// The connection has ended.
    pub(crate) fn close(&self) -> Result<(), Failure> {
        self.unless_detached(Tap::close).map(drop)
    }

    /// The connection goes on, and is recorded no more.
    pub(crate) fn detach(&self) {
        self.detached.store(true, Ordering::SeqCst);
        // The recorder remembers a refusal, and does not complete then.
        self.tap.close().ok();
    }

    /// What becomes of a recording is no matter of a connection that goes on without it.
    fn unless_detached<T>(
        &self,
        record: impl FnOnce(&Tap) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let detached = || self.detached.load(Ordering::SeqCst);
        if detached() {
            return Ok(None);
        }
        match record(&self.tap) {
            Err(_) if detached() => Ok(None),
            recorded => recorded.map(Some),
        }
    }
}

fn is_over(failure: &Failure) -> bool {
    matches!(failure.downcast_ref(), Some(RecordError::Ended))
}

impl Slot {
    pub(crate) fn holding(attached: Attached) -> Self {
        Self(Mutex::new(Some(Arc::new(attached))))
    }

    pub(crate) fn get(&self) -> Option<Arc<Attached>> {
        self.lock().clone()
    }

    pub(crate) fn attach(&self, attached: Attached) {
        *self.lock() = Some(Arc::new(attached));
    }

    /// Records no more of the connection.
    pub(crate) fn detach(&self) -> Option<Arc<Attached>> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Attached>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
