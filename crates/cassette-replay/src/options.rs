//! How a tape is played.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use cassette_format::portable::Rules;
use cassette_format::schema::{ConnectionId, ProviderId};

/// How a tape is played.
#[derive(Clone, Default)]
pub struct PlayOptions {
    /// How fast the agent's side comes at first.
    pub pace: Pace,
    /// The longest that anything is waited for in playback time; `None` for as long as
    /// was recorded.
    pub idle_cap: Option<Duration>,
    /// The caller's rules, as they were in recording.
    pub rules: Rules,
    /// What `${REPLAY_HOME}` stands for where a launch has no personal directory; `None`
    /// for the home of this process.
    pub fallback_home: Option<String>,
    /// Values that `${REDACTED:<NAME>}` stands for, beside those that the launch has under
    /// the names that the tape tells. Without a value any text matches.
    pub secrets: BTreeMap<String, String>,
}

impl PlayOptions {
    /// Those with which the agent's side comes at once.
    #[must_use]
    pub fn fast_forward() -> Self {
        Self {
            pace: Pace::FastForward,
            ..Self::default()
        }
    }
}

impl fmt::Debug for PlayOptions {
    /// Shows no value of a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlayOptions")
            .field("pace", &self.pace)
            .field("idle_cap", &self.idle_cap)
            .field("rules", &self.rules)
            .field("fallback_home", &self.fallback_home)
            .field("secrets", &self.secrets.keys())
            .finish()
    }
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
