//! Several cassettes behind one transport.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use cassette_format::descriptor::Registry;
use cassette_format::process::{
    Failure, Launch, PlaybackControl, PlaybackUnavailable, ProcessConnection, ProcessTransport,
    StartError,
};
use cassette_format::schema::AgentSessionId;
use cassette_format::store::Tape;

use crate::{IncompleteError, PlayOptions, Player, PlayerError};

/// Plays several cassettes: each launch goes to the one that is registered for its root
/// session. Clones are the same player.
#[derive(Debug, Clone)]
pub struct SessionPlayer {
    registered: Arc<[Registered]>,
}

/// A cassette for the sessions of one root.
#[derive(Debug)]
pub struct Registration {
    /// What the caller calls the cassette.
    pub cassette_id: String,
    /// The root session whose launches it plays.
    pub root: AgentSessionId,
    /// The cassette.
    pub tape: Tape,
}

#[derive(Debug)]
struct Registered {
    cassette_id: String,
    root: AgentSessionId,
    player: Player,
}

/// Cassettes were not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistrationError {
    /// There is none.
    #[error("no cassette is registered")]
    Empty,
    /// One has no id.
    #[error("the cassette of root session `{root}` has no id")]
    NoId {
        /// Its root session.
        root: AgentSessionId,
    },
    /// One has no root session.
    #[error("cassette `{cassette_id}` has no root session")]
    NoRoot {
        /// The cassette.
        cassette_id: String,
    },
    /// Two have the same id.
    #[error("cassette `{cassette_id}` is registered twice")]
    DuplicateId {
        /// The cassette.
        cassette_id: String,
    },
    /// Two have the same root session.
    #[error("cassettes `{first}` and `{second}` have the same root session `{root}`")]
    DuplicateRoot {
        /// The root session.
        root: AgentSessionId,
        /// The cassette that was registered first.
        first: String,
        /// The other one.
        second: String,
    },
    /// One cannot be played.
    #[error("cannot play cassette `{cassette_id}`")]
    Player {
        /// The cassette.
        cassette_id: String,
        /// Why not.
        #[source]
        source: PlayerError,
    },
}

/// No cassette is registered for a launch, or under an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotRegistered {
    /// For the root session of a launch.
    #[error("no cassette is registered for root session `{root}`")]
    Root {
        /// The root session.
        root: AgentSessionId,
    },
    /// Under this id.
    #[error("no cassette `{cassette_id}` is registered")]
    Cassette {
        /// The id.
        cassette_id: String,
    },
}

/// Cassettes that were not played whole, in the order of their registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionsIncomplete {
    /// Their ids, and what is missing.
    pub failures: Vec<(String, IncompleteError)>,
}

impl SessionPlayer {
    /// A player of these cassettes, all with the same options. Ids and root sessions
    /// compare without white space around them.
    ///
    /// # Errors
    /// See [`RegistrationError`].
    pub fn new(
        registrations: impl IntoIterator<Item = Registration>,
        registry: &Registry,
        options: &PlayOptions,
    ) -> Result<Self, RegistrationError> {
        let mut registered: Vec<Registered> = Vec::new();
        for Registration {
            cassette_id,
            root,
            tape,
        } in registrations
        {
            let cassette_id = cassette_id.trim().to_owned();
            check(&registered, (&cassette_id, &root))?;
            let player =
                Player::new(tape, registry.clone(), options.clone()).map_err(|source| {
                    let cassette_id = cassette_id.clone();
                    RegistrationError::Player {
                        cassette_id,
                        source,
                    }
                })?;
            registered.push(Registered {
                cassette_id,
                root,
                player,
            });
        }
        if registered.is_empty() {
            return Err(RegistrationError::Empty);
        }
        Ok(Self {
            registered: registered.into(),
        })
    }

    /// The player of one cassette.
    ///
    /// # Errors
    /// None is registered under this id.
    pub fn player(&self, cassette_id: &str) -> Result<&Player, NotRegistered> {
        let cassette_id = cassette_id.trim();
        let mut registered = self.registered.iter();
        let found = registered.find(|it| it.cassette_id == cassette_id);
        found
            .map(|it| &it.player)
            .ok_or_else(|| NotRegistered::Cassette {
                cassette_id: cassette_id.to_owned(),
            })
    }

    /// All cassettes with their players, in the order of their registration.
    pub fn players(&self) -> impl Iterator<Item = (&str, &Player)> {
        let registered = self.registered.iter();
        registered.map(|it| (it.cassette_id.as_str(), &it.player))
    }

    /// Whether every cassette was played whole.
    ///
    /// # Errors
    /// All that were not.
    pub fn verify_complete(&self) -> Result<(), SessionsIncomplete> {
        let failures: Vec<(String, IncompleteError)> = self
            .players()
            .filter_map(|(id, player)| {
                let missing = player.verify_complete().err()?;
                Some((id.to_owned(), missing))
            })
            .collect();
        if failures.is_empty() {
            Ok(())
        } else {
            Err(SessionsIncomplete { failures })
        }
    }
}

/// Whether a cassette can be registered beside others.
fn check(
    registered: &[Registered],
    (cassette_id, root): (&str, &AgentSessionId),
) -> Result<(), RegistrationError> {
    let owned = cassette_id.to_owned();
    if cassette_id.is_empty() {
        return Err(RegistrationError::NoId { root: root.clone() });
    }
    if root.is_blank() {
        return Err(RegistrationError::NoRoot { cassette_id: owned });
    }
    if registered.iter().any(|it| it.cassette_id == cassette_id) {
        return Err(RegistrationError::DuplicateId { cassette_id: owned });
    }
    match registered.iter().find(|it| it.root == *root) {
        Some(first) => Err(RegistrationError::DuplicateRoot {
            root: root.clone(),
            first: first.cassette_id.clone(),
            second: owned,
        }),
        None => Ok(()),
    }
}

#[async_trait]
impl ProcessTransport for SessionPlayer {
    async fn start(&self, launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        let session = launch.session.as_ref().ok_or(StartError::NoSession)?;
        let root = session.root();
        let Some(registered) = self.registered.iter().find(|it| it.root == *root) else {
            let root = root.clone();
            return Err(StartError::Refused(Failure::new(NotRegistered::Root {
                root,
            })));
        };
        registered.player.start(launch).await
    }

    /// Whether every cassette was played whole.
    async fn finalize(&self) -> Result<(), Failure> {
        self.verify_complete().map_err(Failure::new)
    }

    /// Each cassette has controls of its own ([`SessionPlayer::player`]); where there is
    /// one cassette only, these are its.
    fn playback(&self) -> Result<Arc<dyn PlaybackControl>, PlaybackUnavailable> {
        match &*self.registered {
            [only] => ProcessTransport::playback(&only.player),
            _ => Err(PlaybackUnavailable),
        }
    }
}

impl fmt::Display for SessionsIncomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cassettes were not played whole")?;
        for (at, (id, error)) in self.failures.iter().enumerate() {
            let before = if at == 0 { ": " } else { "; " };
            write!(f, "{before}`{id}`: {error}")?;
            if let IncompleteError::Connection { source, .. } = error {
                write!(f, ": {source}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for SessionsIncomplete {}
