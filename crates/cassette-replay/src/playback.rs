//! The playback of a tape: what state it is in.

use crate::Player;

/// Watches the playback of a player.
#[derive(Debug, Clone)]
pub struct Playback {
    player: Player,
}

/// The state of a playback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaybackState {
    /// How fast playback time passes: 1 is as recorded.
    pub speed: f64,
    /// Whether playback time stands still.
    pub paused: bool,
    /// Whether the agent's side comes at once.
    pub fast_forward: bool,
    /// Whether everything was played: every recorded connection was launched
    /// and is at its end.
    pub drained: bool,
}

impl Playback {
    pub(crate) const fn new(player: Player) -> Self {
        Self { player }
    }

    /// The state now.
    #[must_use]
    pub fn state(&self) -> PlaybackState {
        PlaybackState {
            speed: 1.0,
            paused: false,
            fast_forward: self.player.is_fast_forward(),
            drained: self.player.is_drained(),
        }
    }
}
