//! A transport that records everything it starts.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use cassette_format::process::{
    Failure, Launch, PlaybackControl, PlaybackUnavailable, ProcessConnection, ProcessTransport,
    StartError,
};
use cassette_format::schema::CaptureOrigin;

use crate::connection::RecordingConnection;
use crate::slot::{Attached, Slot};
use crate::surroundings::Surroundings;
use crate::{LaunchError, Recorder, Tap};

/// Starts processes by another transport and records them.
pub struct RecordingTransport {
    recorder: Recorder,
    base: Arc<dyn ProcessTransport>,
}

impl RecordingTransport {
    pub(crate) fn new(recorder: Recorder, base: Arc<dyn ProcessTransport>) -> Self {
        Self { recorder, base }
    }
}

#[async_trait]
impl ProcessTransport for RecordingTransport {
    async fn start(&self, launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        let session = launch.session.as_ref().ok_or(StartError::NoSession)?;
        self.recorder.check(session).map_err(start_error)?;
        let base = self.base.start(launch.clone()).await?;
        let begun = Surroundings::of(&launch, base.effective_environment())
            .ok_or(LaunchError::NoSession)
            .and_then(|surroundings| {
                let origin = CaptureOrigin::ProcessStart;
                self.recorder.begin(&surroundings, origin)
            });
        match begun {
            Ok(connection_id) => {
                let tap = Tap::new(self.recorder.clone(), connection_id);
                let slot = Arc::new(Slot::holding(Attached::new(tap, None)));
                let (live, units) = (self.recorder.live(), self.recorder.units());
                Ok(Arc::new(RecordingConnection::new(base, slot, live, units)))
            }
            Err(error) => {
                // The launch is refused for the recording's reason; a process that
                // does not end either is ended by dropping it.
                let _ended = base.close().await;
                Err(start_error(error))
            }
        }
    }

    /// Completes the cassette, then finalises the base.
    async fn finalize(&self) -> Result<(), Failure> {
        let finished = self.recorder.finish().map(drop).map_err(Failure::new);
        finished.and(self.base.finalize().await)
    }

    /// That of the base.
    fn playback(&self) -> Result<Arc<dyn PlaybackControl>, PlaybackUnavailable> {
        self.base.playback()
    }
}

impl fmt::Debug for RecordingTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordingTransport")
            .field("recorder", &self.recorder)
            .finish_non_exhaustive()
    }
}

pub(crate) fn start_error(error: LaunchError) -> StartError {
    match error {
        LaunchError::NoSession => StartError::NoSession,
        LaunchError::UnknownProvider { provider } => StartError::UnknownProvider { provider },
        LaunchError::Failed(failure) => StartError::Refused(failure),
        error => StartError::Refused(Failure::new(error)),
    }
}
