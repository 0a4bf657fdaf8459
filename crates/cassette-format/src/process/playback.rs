//! The controls of a transport that plays what was recorded.

use std::time::Duration;

use super::UnitPosition;
use crate::schema::{ChunkSeq, ConnectionId};

/// Controls how recorded traffic is played: its time, and how far the host goes.
///
/// A transport that plays gives it by
/// [`ProcessTransport::playback`](super::ProcessTransport::playback), and one that wraps
/// another gives that one's.
pub trait PlaybackControl: Send + Sync {
    /// The state now.
    fn state(&self) -> PlaybackState;

    /// How fast playback time passes from now on.
    fn set_speed(&self, speed: Speed);

    /// Playback time stands still. Doing so again is fine.
    fn pause(&self);

    /// Playback time passes again.
    fn resume(&self);

    /// Whether the recorded side comes at once, as fast as it is received. This goes
    /// before a pause.
    fn set_fast_forward(&self, enabled: bool);

    /// Sets how far the host handles messages: one target a connection. What is handled
    /// up to its target goes on, at it waits.
    ///
    /// # Errors
    /// See [`CursorError`]. Nothing changes then.
    fn set_cursor(&self, targets: &[UnitPosition]) -> Result<(), CursorError>;

    /// Lets the host handle what it likes. What it has handled is still known.
    fn clear_cursor(&self);

    /// The last handled message of each connection that has handled any, in the order of
    /// their names.
    fn cursor(&self) -> Vec<UnitPosition>;
}

/// The state of a playback.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PlaybackState {
    /// How fast playback time passes.
    pub speed: Speed,
    /// Playback time so far.
    pub elapsed: Duration,
    /// Whether playback time stands still.
    pub paused: bool,
    /// Whether the recorded side comes at once.
    pub fast_forward: bool,
    /// Whether everything was played: every recorded connection that has to be was
    /// launched, and all are at their end.
    pub drained: bool,
}

impl PlaybackState {
    /// The state of a playback that has not begun.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            speed: Speed::Normal,
            elapsed: Duration::ZERO,
            paused: false,
            fast_forward: false,
            drained: false,
        }
    }
}

impl Default for PlaybackState {
    fn default() -> Self {
        Self::new()
    }
}

/// How fast playback time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Speed {
    /// A quarter of the recorded speed.
    Quarter,
    /// Half of the recorded speed.
    Half,
    /// As recorded.
    #[default]
    Normal,
    /// Twice the recorded speed.
    Double,
    /// Four times the recorded speed.
    Quadruple,
}

impl Speed {
    /// All speeds, the slowest first.
    pub const ALL: [Self; 5] = [
        Self::Quarter,
        Self::Half,
        Self::Normal,
        Self::Double,
        Self::Quadruple,
    ];

    /// Playback time for each unit of real time.
    #[must_use]
    pub const fn factor(self) -> f64 {
        match self {
            Self::Quarter => 0.25,
            Self::Half => 0.5,
            Self::Normal => 1.0,
            Self::Double => 2.0,
            Self::Quadruple => 4.0,
        }
    }

    /// Playback time that passes in a real time.
    #[must_use]
    pub const fn played_in(self, real: Duration) -> Duration {
        match self {
            Self::Quarter => Duration::from_nanos_u128(real.as_nanos() / 4),
            Self::Half => Duration::from_nanos_u128(real.as_nanos() / 2),
            Self::Normal => real,
            Self::Double => real.saturating_mul(2),
            Self::Quadruple => real.saturating_mul(4),
        }
    }

    /// Real time in which a playback time has passed.
    #[must_use]
    pub const fn real_time_of(self, played: Duration) -> Duration {
        match self {
            Self::Quarter => played.saturating_mul(4),
            Self::Half => played.saturating_mul(2),
            Self::Normal => played,
            Self::Double => Duration::from_nanos_u128(played.as_nanos().div_ceil(2)),
            Self::Quadruple => Duration::from_nanos_u128(played.as_nanos().div_ceil(4)),
        }
    }
}

/// Playback cannot be this fast.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("speed {factor} is not supported: 0.25, 0.5, 1, 2 and 4 are")]
pub struct UnsupportedSpeed {
    /// What was asked for.
    pub factor: f64,
}

impl TryFrom<f64> for Speed {
    type Error = UnsupportedSpeed;

    fn try_from(factor: f64) -> Result<Self, UnsupportedSpeed> {
        #[expect(clippy::float_cmp, reason = "the factors are exact")]
        let speed = Self::ALL.into_iter().find(|it| it.factor() == factor);
        speed.ok_or(UnsupportedSpeed { factor })
    }
}

/// A transport plays nothing, so there is no playback to control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the transport plays nothing")]
pub struct PlaybackUnavailable;

/// Targets of a cursor were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CursorError {
    /// A target names no connection.
    #[error("a target of the cursor names no connection")]
    EmptyConnection,
    /// Two targets name the same connection.
    #[error("{connection_id} has two targets of the cursor")]
    Duplicate {
        /// The connection.
        connection_id: ConnectionId,
    },
    /// A connection has handled more than its target, or has handled some and has no
    /// target.
    #[error(
        "{connection_id} has handled message {unit_index} of chunk {chunk_seq}, \
         which the cursor does not reach"
    )]
    Behind {
        /// The connection.
        connection_id: ConnectionId,
        /// The chunk of what it has handled last.
        chunk_seq: ChunkSeq,
        /// The message in that chunk, from 1.
        unit_index: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_five_speeds_are_speeds() {
        for speed in Speed::ALL {
            assert_eq!(Speed::try_from(speed.factor()), Ok(speed));
        }
        for factor in [0.0, -1.0, 3.0, 0.3, 8.0, f64::NAN, f64::INFINITY] {
            let refused = Speed::try_from(factor).unwrap_err();
            assert!(refused.to_string().starts_with("speed "), "{refused}");
        }
    }

    #[test]
    fn real_time_is_never_too_short_and_never_overflows() {
        for speed in Speed::ALL {
            for nanos in [0, 1, 2, 3, 5, 1_000_000_007, u64::MAX] {
                let played = Duration::from_nanos(nanos);
                let real = speed.real_time_of(played);
                assert!(speed.played_in(real) >= played, "{speed:?} {nanos}");
                assert!(
                    real < Duration::from_nanos(1) || {
                        let less = real - Duration::from_nanos(1);
                        speed.played_in(less) < played
                    }
                );
            }
            assert!(speed.real_time_of(Duration::MAX) > Duration::from_secs(1));
            assert!(speed.played_in(Duration::MAX) > Duration::from_secs(1));
        }
    }
}
