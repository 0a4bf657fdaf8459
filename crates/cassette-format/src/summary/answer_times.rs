//! How long the requests of a method waited for their answers.

use std::collections::BTreeMap;

use serde::Serialize;

use super::MAX_DISTINCT_TIMES;

/// How many requests of a method were answered and after how long: from the chunk
/// in which the request ended to that in which its answer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AnswerTimes {
    /// Requests that were answered.
    pub count: u64,
    /// Sum of all times, in milliseconds.
    pub total_ms: u64,
    /// Shortest time, in milliseconds; none where nothing was answered.
    pub min_ms: Option<u64>,
    /// Time in the middle, the lower one of two, in milliseconds; none where nothing
    /// was answered or more than [`MAX_DISTINCT_TIMES`] different times were met.
    pub median_ms: Option<u64>,
    /// Longest time, in milliseconds; none where nothing was answered.
    pub max_ms: Option<u64>,
}

/// Times as they are collected.
#[derive(Debug, Default)]
pub(super) struct Waits {
    times: AnswerTimes,
    /// How often each time was met, while there are few of them.
    often: BTreeMap<u64, u64>,
    many: bool,
}

impl Waits {
    /// Adds a time in milliseconds.
    pub(super) fn add(&mut self, time: u64) {
        let times = &mut self.times;
        times.count += 1;
        times.total_ms = times.total_ms.saturating_add(time);
        times.min_ms = Some(times.min_ms.map_or(time, |min| min.min(time)));
        times.max_ms = Some(times.max_ms.map_or(time, |max| max.max(time)));
        self.meet(time, 1);
    }

    /// Adds all times of `other`.
    pub(super) fn merge(&mut self, other: &Self) {
        let (times, more) = (&mut self.times, &other.times);
        times.count += more.count;
        times.total_ms = times.total_ms.saturating_add(more.total_ms);
        times.min_ms = times.min_ms.into_iter().chain(more.min_ms).min();
        times.max_ms = times.max_ms.max(more.max_ms);
        self.many |= other.many;
        for (time, often) in &other.often {
            self.meet(*time, *often);
        }
    }

    /// What the times come to.
    pub(super) fn answer_times(&self) -> AnswerTimes {
        AnswerTimes {
            median_ms: self.median(),
            ..self.times
        }
    }

    fn meet(&mut self, time: u64, often: u64) {
        if self.many {
            return;
        }
        *self.often.entry(time).or_default() += often;
        if self.often.len() > MAX_DISTINCT_TIMES {
            self.many = true;
            self.often.clear();
        }
    }

    fn median(&self) -> Option<u64> {
        if self.many {
            return None;
        }
        let half = self.times.count.div_ceil(2);
        let mut before = 0;
        let mut all = self.often.iter();
        all.find_map(|(time, often)| {
            before += often;
            (before >= half).then_some(*time)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(times: impl IntoIterator<Item = u64>) -> Waits {
        let mut waits = Waits::default();
        times.into_iter().for_each(|time| waits.add(time));
        waits
    }

    fn median(times: impl IntoIterator<Item = u64>) -> Option<u64> {
        waits(times).answer_times().median_ms
    }

    #[test]
    fn the_median_is_the_lower_one_in_the_middle() {
        assert_eq!(median([]), None);
        assert_eq!(median([7]), Some(7));
        assert_eq!(median([9, 7]), Some(7));
        assert_eq!(median([9, 7, 8]), Some(8));
        assert_eq!(median([1, 100, 1, 100, 100]), Some(100));
    }

    #[test]
    fn there_is_no_median_of_more_times_than_are_kept() {
        let kept = MAX_DISTINCT_TIMES as u64;
        let middle = (kept - 1) / 2;
        assert_eq!(median(0..kept), Some(middle));
        assert_eq!(median((0..kept).chain(0..kept)), Some(middle));
        let beyond = waits(0..=kept);
        assert_eq!(
            beyond.answer_times(),
            AnswerTimes {
                count: kept + 1,
                total_ms: kept * (kept + 1) / 2,
                min_ms: Some(0),
                median_ms: None,
                max_ms: Some(kept),
            }
        );
        assert!(beyond.often.is_empty());
    }

    #[test]
    fn merged_times_are_those_of_one_collection() {
        let kept = MAX_DISTINCT_TIMES as u64;
        for (some, more) in [
            (0..0, 0..0),
            (0..0, 3..9),
            (3..9, 0..0),
            (5..9, 3..7),
            (0..kept, 1..kept + 1),
            (0..kept + 1, 0..1),
            (0..1, 0..kept + 1),
        ] {
            let mut merged = waits(some.clone());
            merged.merge(&waits(more.clone()));
            let together = waits(some.chain(more));
            assert_eq!(merged.answer_times(), together.answer_times());
        }
    }
}
