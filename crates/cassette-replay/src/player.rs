//! A transport made from a tape.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use cassette_format::descriptor::Registry;
use cassette_format::process::{
    Failure, Launch, ProcessConnection, ProcessTransport, SessionContext, StartError,
};
use cassette_format::schema::{ConnectionId, ConnectionRecord};
use cassette_format::store::Tape;
use tokio::time::Instant;

use crate::connection::{Played, PlayedConnection};
use crate::conversation::Conversation;
use crate::launch::Launches;
use crate::time::Position;
use crate::{ConnectError, Pace, PlayError, PlayOptions, Playback, PlayerError};

/// Plays a tape: a transport whose processes are recorded connections. Clones
/// are the same player.
///
/// Order is kept: a `send` waits while the tape has the agent speak first, and a
/// `recv` while it has the host speak. A host that sends several things before it
/// receives does both from different tasks, or over
/// [`into_stdio`](cassette_format::process::Stdio).
#[derive(Debug, Clone)]
pub struct Player {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    tape: Arc<Tape>,
    registry: Registry,
    options: PlayOptions,
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
        /// Connections that were launched.
        launched: usize,
        /// Connections that were recorded.
        recorded: usize,
        /// The first that was not.
        first_missing: ConnectionId,
    },
    /// A connection failed, or was not played to its end.
    #[error("a connection was not played to its end")]
    Connection(#[source] PlayError),
}

impl Player {
    /// A player of `tape`.
    ///
    /// # Errors
    /// See [`PlayerError`].
    pub fn new(tape: Tape, registry: Registry, options: PlayOptions) -> Result<Self, PlayerError> {
        for record in &tape.manifest().connections {
            if registry.by_provider(&record.provider).is_none() {
                return Err(PlayerError::UnknownProvider {
                    connection_id: record.connection_id.clone(),
                    provider: record.provider.clone(),
                });
            }
        }
        let (tape, state) = (Arc::new(tape), Mutex::default());
        Ok(Self {
            shared: Arc::new(Shared {
                tape,
                registry,
                options,
                state,
            }),
        })
    }

    /// Takes the recorded connection of a launch that serves `session`.
    ///
    /// # Errors
    /// See [`ConnectError`]. A refused launch uses nothing up.
    pub fn connect(
        &self,
        session: SessionContext,
    ) -> Result<Arc<dyn ProcessConnection>, ConnectError> {
        if self
            .shared
            .registry
            .by_provider(&session.provider)
            .is_none()
        {
            return Err(ConnectError::UnknownProvider {
                provider: session.provider,
            });
        }
        let mut state = self.lock();
        let record = state.launches.take(self.records(), &session)?;
        let connection_id = record.connection_id.clone();
        let conversation = Conversation::new(Arc::clone(&self.shared.tape), connection_id);
        let position = Position::new(self.shared.options.pace, Instant::now());
        let played = Arc::new(Played::new(conversation, position));
        state.played.push(Arc::clone(&played));
        Ok(Arc::new(PlayedConnection(played)))
    }

    /// The tape that is played.
    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.shared.tape
    }

    /// Watches the playback.
    #[must_use]
    pub fn playback(&self) -> Playback {
        Playback::new(self.clone())
    }

    /// The first failure of any connection, in the order of launches.
    #[must_use]
    pub fn failure(&self) -> Option<PlayError> {
        self.lock()
            .played
            .iter()
            .find_map(|played| played.failure())
    }

    /// Whether every recorded connection was launched and played to its end.
    ///
    /// # Errors
    /// See [`IncompleteError`].
    pub fn verify_complete(&self) -> Result<(), IncompleteError> {
        let state = self.lock();
        let launched = |record: &&ConnectionRecord| state.launches.took(&record.connection_id);
        let records = self.records();
        if let Some(missing) = records.iter().find(|record| !launched(record)) {
            return Err(IncompleteError::Unlaunched {
                launched: records.iter().filter(launched).count(),
                recorded: records.len(),
                first_missing: missing.connection_id.clone(),
            });
        }
        let verdicts = state.played.iter().map(|played| played.verify());
        verdicts
            .collect::<Result<(), PlayError>>()
            .map_err(IncompleteError::Connection)
    }

    pub(crate) fn is_drained(&self) -> bool {
        let state = self.lock();
        let launched = |record: &ConnectionRecord| state.launches.took(&record.connection_id);
        self.records().iter().all(launched) && state.played.iter().all(|played| played.is_drained())
    }

    pub(crate) fn is_fast_forward(&self) -> bool {
        self.shared.options.pace == Pace::FastForward
    }

    fn records(&self) -> &[ConnectionRecord] {
        &self.shared.tape.manifest().connections
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ProcessTransport for Player {
    async fn start(&self, launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        let session = launch.session.ok_or(StartError::NoSession)?;
        self.connect(session).map_err(|error| match error {
            ConnectError::UnknownProvider { provider } => StartError::UnknownProvider { provider },
            error => StartError::Refused(Failure::new(error)),
        })
    }
}
