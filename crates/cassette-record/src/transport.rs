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
use crate::{LaunchError, LiveTraffic, Recorder, Tap};

/// Starts processes by another transport and records them. With
/// [`LiveTraffic::GoesOn`] it starts them unrecorded once the recording has failed or
/// ended.
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
        let live = self.recorder.live();
        match self.recorder.check(session) {
            Err(error) if !goes_on(live, &error) => return Err(start_error(error)),
            _ => {}
        }
        let base = self.base.start(launch.clone()).await?;
        let begun = Surroundings::of(&launch, base.effective_environment())
            .ok_or(LaunchError::NoSession)
            .and_then(|surroundings| {
                let origin = CaptureOrigin::ProcessStart;
                self.recorder.begin(&surroundings, origin)
            });
        let slot = match begun {
            Ok(connection_id) => {
                let tap = Tap::new(self.recorder.clone(), connection_id);
                Slot::holding(Attached::new(tap, None))
            }
            Err(error) if goes_on(live, &error) => Slot::default(),
            Err(error) => {
                // The launch is refused for the recording's reason; a process that
                // does not end either is ended by dropping it.
                let _ended = base.close().await;
                return Err(start_error(error));
            }
        };
        let units = self.recorder.units();
        let connection = RecordingConnection::new(base, Arc::new(slot), live, units);
        Ok(Arc::new(connection))
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

/// Whether a launch that is not recorded for this reason is live traffic that goes on.
pub(crate) fn goes_on(live: LiveTraffic, error: &LaunchError) -> bool {
    live == LiveTraffic::GoesOn && matches!(error, LaunchError::Failed(_) | LaunchError::Ended)
}

pub(crate) fn start_error(error: LaunchError) -> StartError {
    match error {
        LaunchError::NoSession => StartError::NoSession,
        LaunchError::UnknownProvider { provider } => StartError::UnknownProvider { provider },
        LaunchError::Failed(failure) => StartError::Refused(failure),
        error => StartError::Refused(Failure::new(error)),
    }
}
