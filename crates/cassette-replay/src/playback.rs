//! The controls of a player.

use cassette_format::process::{CursorError, PlaybackControl, PlaybackState, Speed, UnitPosition};
use tokio::time::Instant;

use crate::Player;

/// Controls the playback of a player. Clones control the same one.
#[derive(Debug, Clone)]
pub struct Playback {
    player: Player,
}

impl Playback {
    pub(crate) const fn new(player: Player) -> Self {
        Self { player }
    }
}

impl PlaybackControl for Playback {
    fn state(&self) -> PlaybackState {
        let clock = *self.player.stage().clock();
        let mut state = PlaybackState::new();
        state.speed = clock.speed();
        state.elapsed = clock.played(Instant::now());
        state.paused = clock.is_paused();
        state.fast_forward = clock.is_fast_forward();
        state.drained = self.player.is_drained();
        state
    }

    fn set_speed(&self, speed: Speed) {
        let now = Instant::now();
        self.player.stage().clock().set_speed(speed, now);
        self.player.look_again();
    }

    fn pause(&self) {
        let now = Instant::now();
        self.player.stage().clock().set_paused(true, now);
        self.player.look_again();
    }

    fn resume(&self) {
        let now = Instant::now();
        self.player.stage().clock().set_paused(false, now);
        self.player.look_again();
    }

    fn set_fast_forward(&self, enabled: bool) {
        let now = Instant::now();
        self.player.stage().clock().set_fast_forward(enabled, now);
        self.player.look_again();
    }

    fn set_cursor(&self, targets: &[UnitPosition]) -> Result<(), CursorError> {
        self.player.stage().barrier().set(targets)?;
        self.player.look_again();
        Ok(())
    }

    fn clear_cursor(&self) {
        self.player.stage().barrier().clear();
        self.player.look_again();
    }

    fn cursor(&self) -> Vec<UnitPosition> {
        self.player.stage().barrier().cursor()
    }
}
