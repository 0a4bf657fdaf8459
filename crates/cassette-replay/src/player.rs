//! A transport made from a tape.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use cassette_format::descriptor::Registry;
use cassette_format::process::{
    Failure, Launch, LaunchSpec, PlaybackControl, PlaybackUnavailable, ProcessConnection,
    ProcessTransport, SessionContext, StartError,
};
use cassette_format::schema::{ConnectionId, ConnectionRecord};
use cassette_format::store::Tape;
use tokio::time::{Instant, timeout};

use crate::clock::{Clock, Position};
use crate::connection::{Played, PlayedConnection};
use crate::conversation::Conversation;
use crate::launch::Launches;
use crate::optional::{holds_token, is_optional};
use crate::script::Script;
use crate::side::LaunchSide;
use crate::stage::Stage;
use crate::sync::{Mutex, MutexGuard};
use crate::{ConnectError, Pace, PlayError, PlayOptions, Playback, PlayerError};

/// Plays a tape: a transport whose processes are recorded connections. Clones
/// are the same player.
///
/// Order is kept: a `send` waits while the tape has the agent speak first, and a
/// `recv` while it has the host speak. A host that sends several things before it
/// receives does both from different tasks, or over
/// [`into_stdio`](cassette_format::process::Stdio).
///
/// A connection that is closed before all of it was played fails with
/// [`PlayError::Unconsumed`], what the agent says included: receive it first. The agent's
/// exit alone need not be received; where nothing else is left, closing plays it.
#[derive(Debug, Clone)]
pub struct Player {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    tape: Arc<Tape>,
    registry: Registry,
    options: PlayOptions,
    stage: Arc<Stage>,
    /// Connections that need not be launched.
    optional: HashSet<ConnectionId>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    launches: Launches,
    played: Vec<Arc<Played>>,
}

/// A tape was not played whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IncompleteError {
    /// Recorded connections were not launched.
    #[error("{launched} of {recorded} recorded connections were launched, {first_missing} was not")]
    Unlaunched {
        /// Connections that were launched, of those that have to be.
        launched: usize,
        /// Connections that have to be launched.
        recorded: usize,
        /// The first that was not.
        first_missing: ConnectionId,
    },
    /// A connection failed, or was not played to its end.
    #[error("{connection_id} was not played to its end")]
    Connection {
        /// The connection.
        connection_id: ConnectionId,
        /// Its first failure, or what is left of it.
        source: PlayError,
    },
}

/// Progress could not be waited for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgressError {
    /// The connection was not launched.
    #[error("{connection_id} was not launched")]
    NotLaunched {
        /// The connection.
        connection_id: ConnectionId,
    },
    /// The connection was closed meanwhile.
    #[error("{connection_id} was closed while its progress was waited for")]
    Closed {
        /// The connection.
        connection_id: ConnectionId,
    },
}

impl Player {
    /// A player of `tape`.
    ///
    /// # Errors
    /// See [`PlayerError`].
    pub fn new(tape: Tape, registry: Registry, options: PlayOptions) -> Result<Self, PlayerError> {
        let tape = Arc::new(tape);
        let mut optional = HashSet::new();
        for record in &tape.manifest().connections {
            let Some(descriptor) = registry.by_provider(&record.provider) else {
                return Err(PlayerError::UnknownProvider {
                    connection_id: record.connection_id.clone(),
                    provider: record.provider.clone(),
                });
            };
            if is_optional(&tape, record, descriptor) {
                optional.insert(record.connection_id.clone());
            }
        }
        let mut clock = Clock::new(Instant::now());
        if options.pace == Pace::FastForward {
            clock.set_fast_forward(true, Instant::now());
        }
        Ok(Self {
            shared: Arc::new(Shared {
                tape,
                registry,
                options,
                stage: Arc::new(Stage::new(clock)),
                optional,
                state: Mutex::default(),
            }),
        })
    }

    /// Takes the recorded connection of a launch that serves `session` and says nothing
    /// of directories; [`start`](ProcessTransport::start) takes a whole launch.
    ///
    /// # Errors
    /// See [`ConnectError`]. A refused launch uses nothing up.
    pub fn connect(
        &self,
        session: SessionContext,
    ) -> Result<Arc<dyn ProcessConnection>, ConnectError> {
        let nothing: [&str; 0] = [];
        self.launch(&Launch::for_session(LaunchSpec::new(nothing), session))
    }

    /// Takes the recorded connection of a launch.
    ///
    /// # Errors
    /// See [`ConnectError`]. A refused launch uses nothing up.
    pub fn launch(&self, launch: &Launch) -> Result<Arc<dyn ProcessConnection>, ConnectError> {
        let side = LaunchSide::of(launch).ok_or(ConnectError::NoSession)?;
        let shared = &self.shared;
        let mut state = self.lock();
        let conversation = shared.cast(&mut state.launches, &side)?;
        let is_optional = shared.optional.contains(conversation.connection_id());
        let relaunch = is_optional.then(|| Relaunch {
            shared: Arc::downgrade(shared),
            side,
        });
        let stage = Arc::clone(&shared.stage);
        let played = Arc::new(Played::new(conversation, stage, relaunch));
        state.played.push(Arc::clone(&played));
        Ok(Arc::new(PlayedConnection(played)))
    }

    /// The tape that is played.
    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.shared.tape
    }

    /// Controls the playback.
    #[must_use]
    pub fn playback(&self) -> Playback {
        Playback::new(self.clone())
    }

    /// Waits so long in which a connection is not held by the
    /// [cursor](PlaybackControl::set_cursor): for time limits that are no fault of a host
    /// which is held. Returns when the time has passed.
    ///
    /// # Errors
    /// See [`ProgressError`].
    pub async fn wait_for_progress(
        &self,
        connection_id: &ConnectionId,
        duration: Duration,
    ) -> Result<(), ProgressError> {
        let connection_id = connection_id.clone();
        let Some(played) = self.played(&connection_id) else {
            return Err(ProgressError::NotLaunched { connection_id });
        };
        let mut left = duration;
        loop {
            let changed = played.changed();
            if played.is_closed() {
                return Err(ProgressError::Closed { connection_id });
            }
            if self.shared.stage.barrier().holds(&connection_id) {
                changed.await;
                continue;
            }
            let before = Instant::now();
            if timeout(left, changed).await.is_err() {
                return Ok(());
            }
            left = left.saturating_sub(before.elapsed());
        }
    }

    /// Whether an answer that is not on the tape in its turn waits to be received.
    #[must_use]
    pub fn has_pending_synthetic(&self, connection_id: &ConnectionId) -> bool {
        self.played(connection_id)
            .is_some_and(|played| played.has_synthetic())
    }

    /// The first failure of any connection, in the order of launches.
    #[must_use]
    pub fn failure(&self) -> Option<PlayError> {
        self.lock()
            .played
            .iter()
            .find_map(|played| played.failure())
    }

    /// Whether every recorded connection that has to be was launched and all were played
    /// to their ends.
    ///
    /// # Errors
    /// See [`IncompleteError`].
    pub fn verify_complete(&self) -> Result<(), IncompleteError> {
        let state = self.lock();
        let launched = |record: &&ConnectionRecord| state.launches.took(&record.connection_id);
        if let Some(missing) = self.required().find(|record| !launched(record)) {
            return Err(IncompleteError::Unlaunched {
                launched: self.required().filter(launched).count(),
                recorded: self.required().count(),
                first_missing: missing.connection_id.clone(),
            });
        }
        let played = state.played.clone();
        drop(state);
        let verify = |played: &Arc<Played>| {
            let verdict = played.verify();
            verdict.map_err(|source| IncompleteError::Connection {
                connection_id: played.connection_id(),
                source,
            })
        };
        played.iter().try_for_each(verify)
    }

    pub(crate) fn is_drained(&self) -> bool {
        let state = self.lock();
        let launched = |record: &ConnectionRecord| state.launches.took(&record.connection_id);
        self.required().all(launched) && state.played.iter().all(|played| played.is_drained())
    }

    pub(crate) fn stage(&self) -> &Stage {
        &self.shared.stage
    }

    /// Has everything that waits look again.
    pub(crate) fn look_again(&self) {
        for played in &self.lock().played {
            played.look_again();
        }
    }

    fn played(&self, connection_id: &ConnectionId) -> Option<Arc<Played>> {
        let state = self.lock();
        let mut played = state.played.iter();
        played
            .find(|played| played.connection_id() == *connection_id)
            .cloned()
    }

    /// The connections that have to be launched.
    fn required(&self) -> impl Iterator<Item = &ConnectionRecord> {
        let records = self.shared.tape.manifest().connections.iter();
        records.filter(|record| !self.shared.optional.contains(&record.connection_id))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.lock()
    }
}

impl Shared {
    /// Takes the recorded connection that a launch gets.
    fn cast(
        &self,
        launches: &mut Launches,
        side: &LaunchSide,
    ) -> Result<Conversation, ConnectError> {
        let provider = &side.session.provider;
        let Some(descriptor) = self.registry.by_provider(provider) else {
            let provider = provider.clone();
            return Err(ConnectError::UnknownProvider { provider });
        };
        let manifest = self.tape.manifest();
        let found = launches.find(&manifest.connections, &side.session)?;
        let record = found.record;
        let connection_id = record.connection_id.clone();
        let script = Script::new(Arc::clone(&self.tape), connection_id.clone());
        if !side.has_cwd() && holds_token(&script, &record.cwd_token) {
            return Err(ConnectError::NoDirectory { connection_id });
        }
        let rules = side.rules((descriptor, record), (manifest, &self.options));
        let played = self.stage.clock().played(Instant::now());
        let position = Position::new(played, self.options.idle_cap);
        let conversation = Conversation::new(script, rules, position);
        launches.take(&found);
        let may_be_another = self.optional.contains(&connection_id)
            && launches.find(&manifest.connections, &side.session).is_ok();
        Ok(if may_be_another {
            conversation.tentative()
        } else {
            conversation
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a launch goes on that took a connection which it did not mean.
pub(crate) struct Relaunch {
    shared: Weak<Shared>,
    side: LaunchSide,
}

impl Relaunch {
    /// The connection behind the one that was taken, which is given back.
    pub(crate) fn next(&self, taken: &ConnectionId) -> Option<Conversation> {
        let shared = self.shared.upgrade()?;
        let mut state = shared.lock();
        let next = shared.cast(&mut state.launches, &self.side).ok()?;
        state.launches.give_back(taken);
        Some(next)
    }
}

impl fmt::Debug for Relaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relaunch")
            .field("side", &self.side)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl ProcessTransport for Player {
    async fn start(&self, launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        self.launch(&launch).map_err(|error| match error {
            ConnectError::NoSession => StartError::NoSession,
            ConnectError::UnknownProvider { provider } => StartError::UnknownProvider { provider },
            error => StartError::Refused(Failure::new(error)),
        })
    }

    /// Whether everything was played.
    async fn finalize(&self) -> Result<(), Failure> {
        self.verify_complete().map_err(Failure::new)
    }

    fn playback(&self) -> Result<Arc<dyn PlaybackControl>, PlaybackUnavailable> {
        Ok(Arc::new(Self::playback(self)))
    }
}
