//! A mistake with its place, and all those of a file.

use std::fmt;

use super::MistakeKind;
use super::shown::shown;

/// One mistake in a descriptor file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {}{kind}", named(.field))]
#[non_exhaustive]
pub struct DescriptorMistake {
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// Its field, such as `optional-probes[0].result`; empty where the text is
    /// not of the format.
    pub field: String,
    /// What is wrong.
    pub kind: MistakeKind,
}

/// The mistakes of a descriptor file in the order of their places, the first
/// [`MAX_MISTAKES`](super::MAX_MISTAKES) of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescriptorMistakes {
    told: Vec<DescriptorMistake>,
    more: usize,
}

impl DescriptorMistakes {
    pub(super) fn new(told: Vec<DescriptorMistake>, more: usize) -> Self {
        Self { told, more }
    }

    /// The mistakes that are told, at least one.
    pub fn iter(&self) -> impl Iterator<Item = &DescriptorMistake> {
        self.told.iter()
    }

    /// How many are told.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.told.len()
    }

    /// How many there are behind those.
    #[must_use]
    pub const fn more(&self) -> usize {
        self.more
    }

    /// One line a mistake, each beginning with `start`.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, start: &str) -> fmt::Result {
        for (at, mistake) in self.told.iter().enumerate() {
            let line_feed = if at == 0 { "" } else { "\n" };
            write!(f, "{line_feed}{start}{mistake}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl fmt::Display for DescriptorMistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "")
    }
}

impl std::error::Error for DescriptorMistakes {}

fn named(field: &str) -> String {
    if field.is_empty() {
        String::new()
    } else {
        format!("`{}`: ", shown(field))
    }
}
