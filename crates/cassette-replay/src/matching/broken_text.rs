//! Messages that are not JSON, or too deep to be read: they match byte for byte, as
//! they are recorded.

use std::str;

use cassette_format::portable::Direction;

use super::departure::{Departure, DepartureKind};
use super::rules::MatchRules;
use super::shown::placeless;
use super::tree::{Behind, Unreadable};

impl MatchRules {
    /// Whether recording what is sent would have given what was recorded.
    pub(super) fn bytes_agree(&self, expected: &[u8], actual: &[u8]) -> bool {
        let mut projection = self.projection.clone();
        let projected = projection.message(Direction::Outbound, actual);
        if projected.is_ok_and(|projected| projected == expected) {
            return true;
        }
        self.redacted_bytes_agree(expected, actual)
    }

    /// Whether what is sent is what was recorded before secrets were replaced in it.
    pub(super) fn redacted_bytes_agree(&self, expected: &[u8], actual: &[u8]) -> bool {
        match (str::from_utf8(expected), str::from_utf8(actual)) {
            (Ok(expected), Ok(actual)) => self.secrets.agree(expected, actual),
            _ => false,
        }
    }
}

/// How bytes differ that are only compared as such.
pub(super) fn of_bytes(expected: &[u8], actual: &[u8]) -> Departure {
    let mut pairs = expected.iter().zip(actual);
    let same = expected.len().min(actual.len());
    placeless(DepartureKind::Bytes {
        offset: pairs.position(|(a, b)| a != b).unwrap_or(same),
        expected_len: expected.len(),
        found_len: actual.len(),
    })
}

/// How what is sent differs from JSON.
pub(super) const fn of_unreadable(unreadable: Unreadable) -> Departure {
    placeless(match unreadable {
        Unreadable::Json {
            error,
            behind: Behind::Values,
        } => DepartureKind::TextBehind {
            offset: error.offset,
        },
        Unreadable::Json { error, .. } => DepartureKind::NotJson { error: Some(error) },
        Unreadable::Empty | Unreadable::TooLong => DepartureKind::NotJson { error: None },
    })
}
