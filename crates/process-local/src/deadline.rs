//! Moments that are a given time away, however long that is.

use std::time::Duration;

use tokio::time::Instant;

/// What stands for "never": some thirty years.
const FAR: Duration = Duration::from_secs(30 * 365 * 86_400);

/// The moment that is `delay` behind `start`.
pub(crate) fn after(start: Instant, delay: Duration) -> Instant {
    start.checked_add(delay.min(FAR)).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_delay_is_too_long() {
        let start = Instant::now();
        assert!(after(start, Duration::MAX) > start);
        assert_eq!(
            after(start, Duration::from_secs(1)) - start,
            Duration::from_secs(1)
        );
    }
}
