//! Playback time, of a player and of each of its connections. Nothing waits here.

use std::time::Duration;

use cassette_format::process::Speed;
use cassette_format::schema::ElapsedMs;
use tokio::time::Instant;

/// Playback time of a player: passes as fast as was asked for, and stands still while
/// paused or fast-forwarding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    speed: Speed,
    is_paused: bool,
    is_fast_forward: bool,
    /// When the state was changed last, and playback time then.
    since: Instant,
    played: Duration,
}

/// When something is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    Now,
    At(Instant),
    /// Not before the clock is changed.
    Unknown,
}

impl Clock {
    pub(crate) const fn new(now: Instant) -> Self {
        Self {
            speed: Speed::Normal,
            is_paused: false,
            is_fast_forward: false,
            since: now,
            played: Duration::ZERO,
        }
    }

    pub(crate) const fn speed(&self) -> Speed {
        self.speed
    }

    pub(crate) const fn is_paused(&self) -> bool {
        self.is_paused
    }

    pub(crate) const fn is_fast_forward(&self) -> bool {
        self.is_fast_forward
    }

    pub(crate) fn set_speed(&mut self, speed: Speed, now: Instant) {
        self.settle(now);
        self.speed = speed;
    }

    pub(crate) fn set_paused(&mut self, is_paused: bool, now: Instant) {
        self.settle(now);
        self.is_paused = is_paused;
    }

    pub(crate) fn set_fast_forward(&mut self, is_fast_forward: bool, now: Instant) {
        self.settle(now);
        self.is_fast_forward = is_fast_forward;
    }

    /// Playback time.
    pub(crate) fn played(&self, now: Instant) -> Duration {
        if self.stands() {
            return self.played;
        }
        let passed = now.saturating_duration_since(self.since);
        self.played.saturating_add(self.speed.played_in(passed))
    }

    /// When so much playback time will have passed from now on. Nothing is due in a pause.
    fn due_in(&self, wait: Duration, now: Instant) -> Due {
        if self.is_fast_forward {
            return Due::Now;
        }
        if self.is_paused {
            return Due::Unknown;
        }
        if wait.is_zero() {
            return Due::Now;
        }
        now.checked_add(self.speed.real_time_of(wait))
            .map_or(Due::Unknown, Due::At)
    }

    const fn stands(&self) -> bool {
        self.is_paused || self.is_fast_forward
    }

    fn settle(&mut self, now: Instant) {
        self.played = self.played(now);
        self.since = now;
    }
}

/// Where a connection stands on its tape: 0 at launch, then on with playback time, and
/// ahead to what was matched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Position {
    at: Duration,
    /// Playback time then.
    played: Duration,
    /// The longest wait for anything.
    idle_cap: Option<Duration>,
}

impl Position {
    /// That of a connection that is launched at this playback time.
    pub(crate) const fn new(played: Duration, idle_cap: Option<Duration>) -> Self {
        Self {
            at: Duration::ZERO,
            played,
            idle_cap,
        }
    }

    /// Jumps ahead; never back.
    pub(crate) fn advance_to(&mut self, elapsed: ElapsedMs, played: Duration) {
        self.advance(elapsed.as_duration(), played);
    }

    /// When a chunk of this time is due. Nothing is waited for longer than the cap: the
    /// position jumps ahead so far.
    pub(crate) fn due(&mut self, elapsed: ElapsedMs, (clock, now): (&Clock, Instant)) -> Due {
        if clock.is_fast_forward() {
            return Due::Now;
        }
        let played = clock.played(now);
        let target = elapsed.as_duration();
        if let Some(cap) = self.idle_cap {
            self.advance(target.saturating_sub(cap), played);
        }
        clock.due_in(target.saturating_sub(self.now(played)), now)
    }

    fn now(&self, played: Duration) -> Duration {
        self.at.saturating_add(played.saturating_sub(self.played))
    }

    fn advance(&mut self, target: Duration, played: Duration) {
        self.at = self.now(played).max(target);
        self.played = played;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    #[test]
    fn playback_time_passes_at_its_speed_and_stands_while_paused_or_fast_forwarding() {
        let start = Instant::now();
        let mut clock = Clock::new(start);
        assert_eq!(clock.played(after(start, 100)).as_millis(), 100);
        clock.set_speed(Speed::Double, after(start, 100));
        assert_eq!(clock.played(after(start, 200)).as_millis(), 300);
        clock.set_paused(true, after(start, 200));
        assert_eq!(clock.played(after(start, 900)).as_millis(), 300);
        clock.set_fast_forward(true, after(start, 900));
        clock.set_paused(false, after(start, 1000));
        assert_eq!(clock.played(after(start, 2000)).as_millis(), 300);
        clock.set_fast_forward(false, after(start, 2000));
        clock.set_speed(Speed::Quarter, after(start, 2000));
        assert_eq!(clock.played(after(start, 2400)).as_millis(), 400);
    }

    #[test]
    fn a_chunk_is_due_when_its_time_has_come() {
        let start = Instant::now();
        let mut clock = Clock::new(start);
        let mut position = Position::new(Duration::ZERO, None);
        let due = |position: &mut Position, clock: &Clock, elapsed, now| {
            position.due(ElapsedMs::new(elapsed), (clock, after(start, now)))
        };
        assert_eq!(due(&mut position, &clock, 0, 0), Due::Now);
        assert_eq!(
            due(&mut position, &clock, 200, 50),
            Due::At(after(start, 200))
        );
        assert_eq!(due(&mut position, &clock, 200, 200), Due::Now);
        position.advance_to(ElapsedMs::new(1000), clock.played(after(start, 200)));
        position.advance_to(ElapsedMs::new(500), clock.played(after(start, 200)));
        assert_eq!(due(&mut position, &clock, 1000, 200), Due::Now);
        assert_eq!(
            due(&mut position, &clock, 1100, 200),
            Due::At(after(start, 300))
        );
        clock.set_speed(Speed::Half, after(start, 200));
        assert_eq!(
            due(&mut position, &clock, 1100, 200),
            Due::At(after(start, 400))
        );
        clock.set_paused(true, after(start, 200));
        assert_eq!(due(&mut position, &clock, 1100, 900), Due::Unknown);
        assert_eq!(due(&mut position, &clock, 0, 900), Due::Unknown);
        clock.set_fast_forward(true, after(start, 900));
        assert_eq!(due(&mut position, &clock, 1100, 900), Due::Now);
    }

    #[test]
    fn nothing_is_waited_for_longer_than_the_cap() {
        let start = Instant::now();
        let clock = Clock::new(start);
        let mut position = Position::new(Duration::ZERO, Some(Duration::from_millis(10)));
        let mut due =
            |elapsed, now| position.due(ElapsedMs::new(elapsed), (&clock, after(start, now)));
        assert_eq!(due(5, 0), Due::At(after(start, 5)));
        assert_eq!(due(60_000, 5), Due::At(after(start, 15)));
        assert_eq!(due(60_000, 10), Due::At(after(start, 15)));
        assert_eq!(due(60_000, 15), Due::Now);
        assert_eq!(due(60_003, 15), Due::At(after(start, 18)));
    }

    #[test]
    fn times_that_no_clock_reaches_are_never_due_and_overflow_nothing() {
        let start = Instant::now();
        let mut clock = Clock::new(start);
        clock.set_speed(Speed::Quarter, start);
        let mut position = Position::new(Duration::ZERO, None);
        let due = position.due(ElapsedMs::new(u64::MAX), (&clock, start));
        assert!(matches!(due, Due::Unknown | Due::At(_)));
        position.advance_to(ElapsedMs::new(u64::MAX), Duration::MAX);
        position.advance_to(ElapsedMs::new(u64::MAX), Duration::MAX);
    }
}
