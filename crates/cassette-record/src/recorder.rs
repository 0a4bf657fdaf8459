//! The owner of a cassette that is being written.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cassette_format::descriptor::{Descriptor, Registry};
use cassette_format::process::{Failure, Frame, Launch, ProcessTransport, SessionContext, Stamp};
use cassette_format::schema::{
    CaptureOrigin, CassetteStatus, ConnectionId, MAX_FRAME_BYTES, MAX_STORED_BYTES, Manifest,
    TapeLimits,
};
use cassette_format::store::{CassetteDir, replace_manifest};

use crate::backlog::HeldBack;
use crate::claim;
use crate::journal::Journal;
use crate::scan::{self, FoundOnTape, ScanError};
use crate::secrets::{SecretName, SecretRefused};
use crate::surroundings::Surroundings;
use crate::tape_file::TapeFile;
use crate::tape_messages::Framings;
use crate::{
    Clock, CreateError, Existing, FinishError, LaunchError, LiveTraffic, RecordError,
    RecordOptions, RecordingTransport, Tap, UnitSink,
};

/// Owns a cassette while it is written. Clones are the same recorder.
///
/// Frames are on their way to the disk before the host sees them; the manifest
/// says `complete` only after [`Recorder::finish`].
///
/// A host that may run under a limit of the size of files (`RLIMIT_FSIZE`) has to catch
/// or ignore SIGXFSZ, which ends a process by default; then the limit is an error of the
/// recording as a full disk is. Handlers are better: what is ignored is ignored by the
/// processes that it starts, too.
#[derive(Debug, Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    dir: CassetteDir,
    registry: Registry,
    live: LiveTraffic,
    units: Option<UnitSink>,
    clock: Clock,
    state: Mutex<State>,
}

struct State {
    journal: Journal,
    tape: TapeFile,
    /// Lines that are about to be written; kept for its memory.
    lines: Vec<u8>,
    active: BTreeSet<ConnectionId>,
    /// A line was not written: no later one may be.
    halted: bool,
    failure: Option<Failure>,
    ended: Option<CassetteStatus>,
}

impl Recorder {
    /// Begins a cassette in `dir`, which is made (0700) where it is not there.
    ///
    /// # Errors
    /// See [`CreateError`]. A cassette that is there is left untouched unless
    /// the options say to replace it.
    pub fn create(
        dir: impl Into<PathBuf>,
        registry: Registry,
        options: RecordOptions,
    ) -> Result<Self, CreateError> {
        let dir = CassetteDir::new(dir);
        check_limits(options.limits)?;
        let journal = Journal::new(&options)?;
        if let Some(name) = journal.secret_in_manifest() {
            return Err(CreateError::Secret { name });
        }
        let turn = claim::turn(&dir)?;
        if options.existing == Existing::Replace {
            claim::remove_old(&dir)?;
        }
        let frames = dir.create_frames()?;
        let frames = claim::lock(frames, &dir)?;
        if let Err(error) = replace_manifest(&dir, journal.manifest()) {
            // Or the next attempt would find a cassette there. The manifest too may be
            // there: written, and not known to be on the disk.
            fs::remove_file(dir.manifest_path()).ok();
            fs::remove_file(dir.frames_path()).ok();
            return Err(error.into());
        }
        drop(turn);
        let state = State {
            journal,
            tape: TapeFile::new(frames),
            lines: Vec::new(),
            active: BTreeSet::new(),
            halted: false,
            failure: None,
            ended: None,
        };
        let (live, clock) = (options.live, options.clock.unwrap_or_else(Clock::monotonic));
        let state = Mutex::new(state);
        Ok(Self {
            shared: Arc::new(Shared {
                dir,
                registry,
                live,
                units: options.units,
                clock,
                state,
            }),
        })
    }

    /// A transport that records everything `base` starts.
    pub fn wrap(&self, base: impl ProcessTransport + 'static) -> RecordingTransport {
        RecordingTransport::new(self.clone(), Arc::new(base))
    }

    /// A way in for a connection of the host's own: the host says what it sends
    /// and receives.
    ///
    /// # Errors
    /// See [`LaunchError`]. Nothing is used up then.
    pub fn tap(&self, launch: &Launch) -> Result<Tap, LaunchError> {
        let surroundings = Surroundings::of(launch, None).ok_or(LaunchError::NoSession)?;
        let connection_id = self.begin(&surroundings, CaptureOrigin::ProcessStart)?;
        Ok(Tap::new(self.clone(), connection_id))
    }

    /// Completes the cassette: frames to the disk, then the manifest. Doing so
    /// again is fine; after [`Recorder::abort`] it says `incomplete`. The directory is
    /// free for another recorder then.
    ///
    /// A connection is open until its `close` is called, whatever becomes of that, or it
    /// is dropped. What it gives after that is recorded until here, and handed to the
    /// host unrecorded from here on.
    ///
    /// # Errors
    /// See [`FinishError`]. The cassette stays `incomplete` then, save for a last
    /// manifest that was written and could not be synced.
    pub fn finish(&self) -> Result<CassetteStatus, FinishError> {
        let mut state = self.lock();
        if let Some(status) = &state.ended {
            return Ok(status.clone());
        }
        if let Some(failure) = &state.failure {
            return Err(FinishError::Failed(failure.clone()));
        }
        if let Some(first) = state.first_active() {
            return Err(FinishError::Active {
                count: state.active.len(),
                first,
            });
        }
        let ended = state.journal.end_all();
        if let Err(failure) = self.settle(&mut state, ended) {
            return Err(FinishError::Failed(failure));
        }
        let filter = state.journal.secrets().filter();
        let launched = &state.journal.manifest().connections;
        let framings = Framings::of(launched, &self.shared.registry);
        if let Err(error) = scan::scan(&self.shared.dir, filter, &framings) {
            let (secret, error) = match error {
                ScanError::Secret(found) => (Some(found.name.clone()), found.into()),
                ScanError::Read(error) => (None, FinishError::Reread(error)),
            };
            state.failure = Some(Failure::new(LastScan { secret }));
            return Err(error);
        }
        if let Err(source) = state.tape.sync() {
            let path = self.shared.dir.frames_path();
            let failed = io::Error::new(source.kind(), "an earlier sync failed");
            let failure = FinishError::Sync {
                path: path.clone(),
                source: failed,
            };
            state.failure = Some(Failure::new(failure));
            return Err(FinishError::Sync { path, source });
        }
        let complete = state.journal.complete(state.tape.digest());
        if let Err(error) = replace_manifest(&self.shared.dir, &complete) {
            // Whatever stands on the disk now, this recording does not go on.
            state.failure = Some(Failure::new(LastManifest));
            return Err(FinishError::Manifest(error));
        }
        state.journal.adopt(complete);
        state.ended = Some(CassetteStatus::Complete);
        state.tape.release();
        Ok(CassetteStatus::Complete)
    }

    /// Ends the recording as it is: what was recorded is kept, the manifest
    /// stays `incomplete`. The directory is free for another recorder then.
    ///
    /// # Errors
    /// The frames could not be handed to the disk. The recording has ended.
    pub fn abort(&self) -> Result<(), FinishError> {
        let mut state = self.lock();
        if state.ended.is_some() {
            return Ok(());
        }
        state.ended = Some(CassetteStatus::Incomplete);
        let ended = state.journal.end_all();
        // Kept as the reason why the rest is not there.
        self.settle(&mut state, ended).ok();
        let path = self.shared.dir.frames_path();
        let synced = state.tape.sync();
        state.tape.release();
        synced.map_err(|source| FinishError::Sync { path, source })
    }

    /// Why the recording has failed, if it has. It is not completed then.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        self.lock().failure.clone()
    }

    /// The manifest as it stands.
    #[must_use]
    pub fn manifest(&self) -> Manifest {
        self.lock().journal.manifest().clone()
    }

    /// What happens to live traffic when the recording has failed.
    pub(crate) fn live(&self) -> LiveTraffic {
        self.shared.live
    }

    /// What waits for the rest of a message: numbered, and not on the disk.
    #[must_use]
    pub fn held(&self) -> HeldBack {
        self.lock().journal.held_back()
    }

    /// Variables of the recorded processes that are secret by their names and whose
    /// values are not looked for, each with the reason: too short or too long.
    #[must_use]
    pub fn unwatched_secrets(&self) -> Vec<SecretRefused> {
        self.lock().journal.secrets().refused().to_vec()
    }

    /// Who is told of handled messages.
    pub(crate) fn units(&self) -> Option<UnitSink> {
        self.shared.units.clone()
    }

    /// Refuses a launch that cannot be recorded, before anything starts.
    pub(crate) fn check(&self, session: &SessionContext) -> Result<(), LaunchError> {
        self.descriptor(session)?;
        self.lock().check()
    }

    fn descriptor(&self, session: &SessionContext) -> Result<&Descriptor, LaunchError> {
        let descriptor = self.shared.registry.by_provider(&session.provider);
        descriptor.ok_or_else(|| LaunchError::UnknownProvider {
            provider: session.provider.clone(),
        })
    }

    /// Takes a launch in and writes the manifest that lists it.
    pub(crate) fn begin(
        &self,
        surroundings: &Surroundings,
        origin: CaptureOrigin,
    ) -> Result<ConnectionId, LaunchError> {
        let descriptor = self.descriptor(&surroundings.session)?;
        let mut state = self.lock();
        state.check()?;
        state.journal.admit(&surroundings.environment)?;
        let connection_id = state.journal.launch(descriptor, surroundings, origin);
        if let Some(name) = state.journal.secret_in_manifest() {
            state.journal.forget_last_launch();
            return Err(LaunchError::Secret { name });
        }
        if let Err(error) = replace_manifest(&self.shared.dir, state.journal.manifest()) {
            state.journal.forget_last_launch();
            return Err(LaunchError::Manifest(error));
        }
        state.active.insert(connection_id.clone());
        Ok(connection_id)
    }

    /// The close of a connection was called: it is open no more, and what it still gives
    /// is taken.
    pub(crate) fn retire(&self, id: &ConnectionId) {
        self.lock().active.remove(id);
    }

    /// A connection was closed or dropped: none of its messages goes on.
    pub(crate) fn end(&self, id: &ConnectionId) -> Result<(), Failure> {
        self.retire(id);
        self.end_messages(|journal| journal.end_connection(id))
    }

    /// The input of a connection has ended.
    pub(crate) fn end_input(&self, id: &ConnectionId) -> Result<(), Failure> {
        self.end_messages(|journal| journal.end_input(id))
    }

    /// Writes what the ended messages left, also of a recording that has failed: that is
    /// no failure of this.
    fn end_messages(
        &self,
        end: impl FnOnce(&mut Journal) -> Result<(), RecordError>,
    ) -> Result<(), Failure> {
        let mut state = self.lock();
        if state.ended.is_some() {
            return Ok(());
        }
        let failed_before = state.failure.is_some();
        let ended = end(&mut state.journal);
        let settled = self.settle(&mut state, ended);
        if failed_before { Ok(()) } else { settled }
    }

    /// Records bytes that the host is about to send.
    pub(crate) fn outbound(&self, id: &ConnectionId, bytes: &[u8]) -> Result<(), Failure> {
        self.record(|journal, now| journal.outbound(id, bytes, now))
            .map(drop)
    }

    /// Records a frame that the host is about to receive.
    pub(crate) fn inbound(&self, id: &ConnectionId, frame: &Frame) -> Result<Stamp, Failure> {
        let chunk_seq = self.record(|journal, now| journal.inbound(id, frame, now))?;
        let connection_id = id.clone();
        Ok(Stamp {
            recording_id: None,
            connection_id,
            chunk_seq,
            synthetic: false,
        })
    }

    /// Has the journal take something, and writes what waits for nothing any more.
    fn record<T>(
        &self,
        take: impl FnOnce(&mut Journal, Duration) -> Result<T, RecordError>,
    ) -> Result<T, Failure> {
        let mut state = self.lock();
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
        if state.ended.is_some() {
            return Err(Failure::new(RecordError::Ended));
        }
        let now = self.shared.clock.elapsed();
        let taken = match take(&mut state.journal, now) {
            Ok(taken) => taken,
            Err(error @ RecordError::Frame(_)) => return Err(Failure::new(error)),
            Err(error) => {
                let failure = state.fail(error);
                // What waited behind a refused message waits no longer.
                self.write_ready(&mut state).ok();
                return Err(failure);
            }
        };
        self.write_ready(&mut state)?;
        Ok(taken)
    }

    /// Writes what messages left that have been ended, unless that was refused.
    fn settle(&self, state: &mut State, ended: Result<(), RecordError>) -> Result<(), Failure> {
        let ended = ended.map_err(|error| state.fail(error));
        self.write_ready(state).and(ended)
    }

    /// Hands what waits for nothing any more to the operating system, by one write.
    fn write_ready(&self, state: &mut State) -> Result<(), Failure> {
        if state.halted {
            return Ok(());
        }
        let mut lines = std::mem::take(&mut state.lines);
        lines.clear();
        let ready = state.journal.write_ready(&mut lines);
        let written = if lines.is_empty() {
            Ok(())
        } else {
            state.tape.append(&lines)
        };
        state.lines = lines;
        state.halted = ready.is_err() || written.is_err();
        if let Err(source) = written {
            let path = self.shared.dir.frames_path();
            return Err(state.fail(RecordError::Write { path, source }));
        }
        ready.map_err(|error| state.fail(error))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<FoundOnTape> for FinishError {
    fn from(found: FoundOnTape) -> Self {
        Self::Secret {
            connection_id: found.connection_id,
            name: found.name,
        }
    }
}

/// Why a recording whose last manifest was not written has failed.
#[derive(Debug, thiserror::Error)]
#[error("the last manifest was not written")]
struct LastManifest;

/// Why a recording whose last scan failed has failed.
#[derive(Debug, thiserror::Error)]
#[error("the last scan of the recording {}", found(secret.as_ref()))]
struct LastScan {
    secret: Option<SecretName>,
}

fn found(secret: Option<&SecretName>) -> String {
    secret.map_or("failed".to_owned(), |name| {
        format!("found the value of {name}")
    })
}

impl fmt::Debug for State {
    /// Shows no traffic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("held", &self.journal.held_back())
            .field("active", &self.active)
            .field("failure", &self.failure)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

impl State {
    /// Whether a launch can still be taken in.
    fn check(&self) -> Result<(), LaunchError> {
        match (&self.failure, &self.ended) {
            (Some(failure), _) => Err(LaunchError::Failed(failure.clone())),
            (None, Some(_)) => Err(LaunchError::Ended),
            (None, None) => Ok(()),
        }
    }

    /// Of the connections that are open the one that was launched first.
    fn first_active(&self) -> Option<ConnectionId> {
        let launched = &self.journal.manifest().connections;
        let mut ids = launched.iter().map(|record| &record.connection_id);
        ids.find(|id| self.active.contains(*id)).cloned()
    }

    fn fail(&mut self, error: RecordError) -> Failure {
        self.failure
            .get_or_insert_with(|| Failure::new(error))
            .clone()
    }
}

/// A recording may be kept smaller than readers take, not larger.
fn check_limits(limits: TapeLimits) -> Result<(), CreateError> {
    for (what, given, limit) in [
        ("maxFrameBytes", limits.max_frame_bytes, MAX_FRAME_BYTES),
        ("maxStoredBytes", limits.max_stored_bytes, MAX_STORED_BYTES),
    ] {
        if given > limit {
            return Err(CreateError::LimitTooLarge { what, given, limit });
        }
    }
    Ok(())
}
