//! How a message differs from the recorded one.

use std::fmt;

use super::Departure;

/// How a message differs from the recorded one: the first places, in the order of
/// the recorded message, and how much is equal.
///
/// It is bounded, and shows no secret: neither the values of sensitive fields nor
/// those of the variables that the side was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Difference {
    departures: Vec<Departure>,
    count: usize,
    equal: usize,
    similarity: u16,
}

/// The similarity of what differs in nothing.
pub(super) const WHOLE: u16 = 1000;

impl Difference {
    pub(super) const fn alone(departure: Vec<Departure>) -> Self {
        Self {
            departures: departure,
            count: 1,
            equal: 0,
            similarity: 0,
        }
    }

    pub(super) fn new(
        departures: Vec<Departure>,
        count: usize,
        (equal, different): (usize, usize),
        other_method: bool,
    ) -> Self {
        Self {
            departures,
            count,
            equal,
            similarity: similarity((equal, different), other_method),
        }
    }

    /// The first places that differ, eight at most.
    #[must_use]
    pub fn departures(&self) -> &[Departure] {
        &self.departures
    }

    /// How many places differ.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// How many strings, numbers and words, and empty objects and lists, are equal.
    #[must_use]
    pub const fn equal_values(&self) -> usize {
        self.equal
    }

    /// How similar both are, from 0 to 999: of several messages the one that most
    /// likely was meant has the most. It is the share of values that are equal; half
    /// of it where the methods differ.
    #[must_use]
    pub const fn similarity(&self) -> u16 {
        self.similarity
    }
}

/// See [`Difference::similarity`].
pub(super) fn similarity((equal, different): (usize, usize), other_method: bool) -> u16 {
    let all = (equal + different).max(1);
    let share = u16::try_from(equal * usize::from(WHOLE) / all).unwrap_or(WHOLE);
    share.min(WHOLE - 1) / if other_method { 2 } else { 1 }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, departure) in self.departures.iter().enumerate() {
            let line = if at == 0 { "" } else { "\n" };
            write!(f, "{line}{departure}")?;
        }
        let more = self.count.saturating_sub(self.departures.len());
        if more > 0 {
            write!(f, "\nand {more} more")?;
        }
        match self.equal {
            0 => Ok(()),
            1 => f.write_str("\n1 other value is equal"),
            equal => write!(f, "\n{equal} other values are equal"),
        }
    }
}
