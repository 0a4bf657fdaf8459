//! A way into a recording for a connection of the host's own.

use cassette_format::process::{Failure, Frame, Stamp};
use cassette_format::schema::ConnectionId;

use crate::Recorder;

/// Records one connection that the host runs itself. Dropping it, or
/// [`Tap::close`], ends the connection's part of the recording.
#[derive(Debug)]
pub struct Tap {
    recorder: Recorder,
    connection_id: ConnectionId,
}

impl Tap {
    pub(crate) const fn new(recorder: Recorder, connection_id: ConnectionId) -> Self {
        Self {
            recorder,
            connection_id,
        }
    }

    /// The connection in the cassette.
    #[must_use]
    pub const fn connection_id(&self) -> &ConnectionId {
        &self.connection_id
    }

    /// Records bytes that are about to be sent. Say so before they are sent, or
    /// the answer may be recorded before its request.
    ///
    /// # Errors
    /// The recording has failed or ended; holds a
    /// [`RecordError`](crate::RecordError).
    pub fn outbound(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.recorder.outbound(&self.connection_id, bytes)
    }

    /// Records a frame that was received; gives its place in the recording.
    ///
    /// # Errors
    /// The recording has failed or ended, or the frame is empty; holds a
    /// [`RecordError`](crate::RecordError).
    pub fn inbound(&self, frame: &Frame) -> Result<Stamp, Failure> {
        self.recorder.inbound(&self.connection_id, frame)
    }

    /// Says that no more is sent: an unfinished message ends here. Where the recording
    /// has failed before, what was unfinished is written all the same; where it has ended,
    /// nothing is.
    ///
    /// # Errors
    /// What was unfinished may not be on a tape, or was not written; holds a
    /// [`RecordError`](crate::RecordError).
    pub fn end_input(&self) -> Result<(), Failure> {
        self.recorder.end_input(&self.connection_id)
    }

    /// Says that the connection has ended, and its unfinished messages with it. Doing
    /// so again is fine.
    ///
    /// # Errors
    /// As [`Tap::end_input`].
    pub fn close(&self) -> Result<(), Failure> {
        self.recorder.end(&self.connection_id)
    }

    /// Says that the connection is being closed: the recording may be completed, and
    /// what still comes is recorded until then.
    pub(crate) fn retire(&self) {
        self.recorder.retire(&self.connection_id);
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        // The recorder remembers a refusal.
        self.close().ok();
    }
}
