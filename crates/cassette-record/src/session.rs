//! Recordings on demand: whatever serves one root session, from now until it is
//! enough, while its processes go on.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use cassette_format::descriptor::Registry;
use cassette_format::process::{
    Failure, Launch, PlaybackControl, PlaybackUnavailable, ProcessConnection, ProcessTransport,
    StartError,
};
use cassette_format::schema::{AgentSessionId, CaptureOrigin, CassetteStatus, RecordingId};

use crate::connection::RecordingConnection;
use crate::slot::{Attached, Slot};
use crate::surroundings::Surroundings;
use crate::transport::{goes_on, start_error};
use crate::{ArmError, CaptureError, LaunchError, RecordOptions, Recorder, Tap};

/// Starts processes by another transport, and records those of a root session on
/// demand. Clones are the same transport.
///
/// [`arm`](Self::arm) attaches the live connections of a root session, in the order
/// of their launch, and those that come later; [`complete`](Self::complete) and
/// [`cancel`](Self::cancel) detach them, and no process is closed. Several root
/// sessions may be recorded at once, each into a cassette of its own.
#[derive(Clone)]
pub struct SessionRecordingTransport {
    base: Arc<dyn ProcessTransport>,
    registry: Registry,
    options: RecordOptions,
    sessions: Arc<Mutex<Sessions>>,
}

#[derive(Debug, Default)]
struct Sessions {
    /// In the order of their launch.
    live: Vec<Live>,
    captures: HashMap<AgentSessionId, Capture>,
    finalized: bool,
}

/// A connection whose close was not called, and that was not dropped.
#[derive(Debug)]
struct Live {
    surroundings: Surroundings,
    slot: Arc<Slot>,
}

#[derive(Debug)]
struct Capture {
    recording_id: RecordingId,
    recorder: Recorder,
    /// Of all connections that it has attached, closed ones too.
    slots: Vec<Arc<Slot>>,
}

impl SessionRecordingTransport {
    /// Records what `base` starts, on demand. Each recording is made with `options`.
    pub fn new(
        base: impl ProcessTransport + 'static,
        registry: Registry,
        options: RecordOptions,
    ) -> Self {
        Self {
            base: Arc::new(base),
            registry,
            options,
            sessions: Arc::default(),
        }
    }

    /// Begins a recording of a root session into `dir`.
    ///
    /// # Errors
    /// See [`ArmError`]. Nothing is attached then.
    pub fn arm(
        &self,
        root: &AgentSessionId,
        recording_id: &RecordingId,
        dir: impl Into<PathBuf>,
    ) -> Result<(), ArmError> {
        if root.is_blank() {
            return Err(ArmError::RootRequired);
        }
        let mut sessions = self.lock();
        if sessions.finalized {
            return Err(ArmError::Finalized);
        }
        if let Some(capture) = sessions.captures.get(root) {
            return Err(ArmError::Busy {
                root: root.clone(),
                recording_id: capture.recording_id.clone(),
            });
        }
        for live in sessions.live.iter().filter(|live| live.serves(root)) {
            // Before there is a directory.
            let provider = &live.surroundings.session.provider;
            if self.registry.by_provider(provider).is_none() {
                let provider = provider.clone();
                return Err(ArmError::Attach(LaunchError::UnknownProvider { provider }));
            }
        }
        let recorder = Recorder::create(dir, self.registry.clone(), self.options.clone())?;
        let mut attached = Vec::new();
        for live in sessions.live.iter().filter(|live| live.serves(root)) {
            let origin = CaptureOrigin::AttachedLiveConnection;
            match recorder.begin(&live.surroundings, origin) {
                Ok(id) => attached.push((Arc::clone(&live.slot), Tap::new(recorder.clone(), id))),
                Err(error) => {
                    drop(attached);
                    // What was begun stays, as an incomplete cassette without frames.
                    recorder.abort().ok();
                    return Err(ArmError::Attach(error));
                }
            }
        }
        let mut capture = Capture {
            recording_id: recording_id.clone(),
            recorder,
            slots: Vec::new(),
        };
        for (slot, tap) in attached {
            capture.attach(slot, tap);
        }
        sessions.captures.insert(root.clone(), capture);
        Ok(())
    }

    /// Ends the recording of a root session and completes its cassette. Its processes
    /// go on, unrecorded.
    ///
    /// # Errors
    /// See [`CaptureError`]. The recording has ended all the same, but for
    /// [`CaptureError::NotFound`].
    pub fn complete(&self, root: &AgentSessionId) -> Result<(), CaptureError> {
        let recorder = self.end(root)?;
        if recorder.manifest().connections.is_empty() {
            recorder.abort()?;
            return Err(CaptureError::Empty { root: root.clone() });
        }
        match recorder.finish()? {
            CassetteStatus::Complete => Ok(()),
            _ => Err(CaptureError::Aborted { root: root.clone() }),
        }
    }

    /// Ends the recording of a root session and leaves its cassette incomplete. Its
    /// processes go on, unrecorded.
    ///
    /// # Errors
    /// See [`CaptureError`]; as [`complete`](Self::complete).
    pub fn cancel(&self, root: &AgentSessionId) -> Result<(), CaptureError> {
        self.end(root)?.abort()?;
        Ok(())
    }

    /// The recorder of a root session, while it is recorded. Where that is ended by
    /// itself, processes go on, and later ones start, unrecorded.
    #[must_use]
    pub fn recorder(&self, root: &AgentSessionId) -> Option<Recorder> {
        let sessions = self.lock();
        let capture = sessions.captures.get(root)?;
        Some(capture.recorder.clone())
    }

    /// Ends all recordings as [`cancel`](Self::cancel) does, and finalises the base
    /// transport. None can be begun any more, and processes that are started are not
    /// recorded.
    ///
    /// # Errors
    /// The first of [`CaptureError`]; all recordings have ended.
    pub async fn finalize(&self) -> Result<(), CaptureError> {
        let ended = self.cancel_all();
        let base = self.base.finalize().await.map_err(CaptureError::Base);
        ended.and(base)
    }

    fn cancel_all(&self) -> Result<(), CaptureError> {
        let recorders: Vec<Recorder> = {
            let mut sessions = self.lock();
            sessions.finalized = true;
            let captures = sessions.captures.drain();
            captures.map(|(_, capture)| capture.end()).collect()
        };
        let ended: Vec<_> = recorders.iter().map(Recorder::abort).collect();
        ended.into_iter().collect::<Result<(), _>>()?;
        Ok(())
    }

    /// Detaches all connections of a recording.
    fn end(&self, root: &AgentSessionId) -> Result<Recorder, CaptureError> {
        let mut sessions = self.lock();
        let capture = sessions.captures.remove(root);
        let capture = capture.ok_or_else(|| CaptureError::NotFound { root: root.clone() })?;
        Ok(capture.end())
    }

    fn lock(&self) -> MutexGuard<'_, Sessions> {
        lock(&self.sessions)
    }
}

impl Live {
    fn serves(&self, root: &AgentSessionId) -> bool {
        self.surroundings.session.root() == root
    }
}

impl Capture {
    fn attach(&mut self, slot: Arc<Slot>, tap: Tap) {
        slot.attach(Attached::new(tap, Some(self.recording_id.clone())));
        self.slots.push(slot);
    }

    /// Detaches all connections.
    fn end(self) -> Recorder {
        for attached in self.slots.iter().filter_map(|slot| slot.detach()) {
            attached.detach();
        }
        self.recorder
    }
}

#[async_trait]
impl ProcessTransport for SessionRecordingTransport {
    async fn start(&self, launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        let session = launch.session.as_ref().ok_or(StartError::NoSession)?;
        // Refused before anything starts, so long as it would be recorded.
        if let Some(recorder) = self.recorder(session.root()) {
            match recorder.check(session) {
                Err(error) if !self.goes_on(&error) => return Err(start_error(error)),
                _ => {}
            }
        }
        let base = self.base.start(launch.clone()).await?;
        let surroundings = Surroundings::of(&launch, base.effective_environment());
        let surroundings = surroundings.ok_or(StartError::NoSession)?;
        match self.admit(surroundings) {
            Ok(slot) => {
                let (sessions, of) = (Arc::downgrade(&self.sessions), Arc::clone(&slot));
                let (live, units) = (self.options.live, self.options.units.clone());
                let connection = RecordingConnection::new(base, slot, live, units);
                Ok(Arc::new(connection.on_end(move || forget(&sessions, &of))))
            }
            Err(error) => {
                // Others are recorded on. A process that does not end either is ended
                // by dropping it.
                base.close().await.ok();
                Err(start_error(error))
            }
        }
    }

    async fn finalize(&self) -> Result<(), Failure> {
        Self::finalize(self).await.map_err(Failure::new)
    }

    /// That of the base.
    fn playback(&self) -> Result<Arc<dyn PlaybackControl>, PlaybackUnavailable> {
        self.base.playback()
    }
}

impl SessionRecordingTransport {
    /// Takes a connection in, and into the recording of its root session.
    fn admit(&self, surroundings: Surroundings) -> Result<Arc<Slot>, LaunchError> {
        let mut sessions = self.lock();
        let slot = Arc::new(Slot::default());
        if let Some(capture) = sessions.captures.get_mut(surroundings.session.root()) {
            let recorder = capture.recorder.clone();
            match recorder.begin(&surroundings, CaptureOrigin::ProcessStart) {
                Ok(id) => capture.attach(Arc::clone(&slot), Tap::new(recorder, id)),
                Err(error) if self.goes_on(&error) => {}
                Err(error) => return Err(error),
            }
        }
        sessions.live.push(Live {
            surroundings,
            slot: Arc::clone(&slot),
        });
        Ok(slot)
    }

    /// Whether a launch that is not recorded for this reason goes on: processes outlive a
    /// recording that has ended.
    fn goes_on(&self, error: &LaunchError) -> bool {
        matches!(error, LaunchError::Ended) || goes_on(self.options.live, error)
    }
}

/// The close of a connection has begun, or it was dropped.
fn forget(sessions: &Weak<Mutex<Sessions>>, slot: &Arc<Slot>) {
    if let Some(sessions) = sessions.upgrade() {
        let mut sessions = lock(&sessions);
        sessions.live.retain(|live| !Arc::ptr_eq(&live.slot, slot));
    }
}

fn lock(sessions: &Mutex<Sessions>) -> MutexGuard<'_, Sessions> {
    sessions.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for SessionRecordingTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionRecordingTransport")
            .field("sessions", &self.sessions)
            .finish_non_exhaustive()
    }
}
