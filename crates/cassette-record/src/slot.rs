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
        self.unless_detached(|tap| tap.outbound(bytes)).map(drop)
    }

    /// Records a frame that was received.
    pub(crate) fn inbound(&self, frame: &Frame) -> Result<Option<Stamp>, Failure> {
        let mut stamp = self.unless_detached(|tap| tap.inbound(frame))?;
        if let Some(stamp) = &mut stamp {
            stamp.recording_id.clone_from(&self.recording_id);
        }
        Ok(stamp)
    }

    /// The input of the connection has ended.
    pub(crate) fn end_input(&self) -> Result<(), Failure> {
        self.unless_over(Tap::end_input)
    }

    /// The connection has ended.
    pub(crate) fn close(&self) -> Result<(), Failure> {
        self.unless_over(Tap::close)
    }

    /// The connection goes on, and is recorded no more.
    pub(crate) fn detach(&self) {
        self.detached.store(true, Ordering::SeqCst);
        // The recorder remembers a refusal, and does not complete then.
        self.tap.close().ok();
    }

    /// A recording that ends meanwhile is no failure of a connection that goes on.
    fn unless_detached<T>(
        &self,
        record: impl FnOnce(&Tap) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let detached = || self.detached.load(Ordering::SeqCst);
        if detached() {
            return Ok(None);
        }
        match record(&self.tap) {
            Err(failure) if is_over(&failure) && detached() => Ok(None),
            recorded => recorded.map(Some),
        }
    }

    /// To end what is recorded no more is no failure.
    fn unless_over(&self, end: fn(&Tap) -> Result<(), Failure>) -> Result<(), Failure> {
        end(&self.tap).or_else(|failure| {
            if is_over(&failure) {
                Ok(())
            } else {
                Err(failure)
            }
        })
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
