//! How a tape is played.

use cassette_format::schema::{ConnectionId, ProviderId};

/// How a tape is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlayOptions {
    /// How fast the agent's side comes.
    pub pace: Pace,
}

/// How fast the agent's side of a tape comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// With the recorded pauses.
    #[default]
    AsRecorded,
    /// At once.
    FastForward,
}

/// A player was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// A connection belongs to a provider that is not registered.
    #[error("{connection_id} has provider `{provider}`, which is not registered")]
    UnknownProvider {
        /// The connection.
        connection_id: ConnectionId,
        /// Its provider.
        provider: ProviderId,
    },
}
