//! What a comparison has found so far: the first differences, and how many there
//! are.

use super::IdentityConflict;

/// How many differences are told one by one.
pub(super) const MAX_TOLD: usize = 8;

/// The result of a comparison that goes on after a difference.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) told: Vec<Finding>,
    pub(super) count: usize,
    pub(super) equal_leaves: usize,
    pub(super) different_leaves: usize,
    /// Whether what is asked for differs, not only what it is asked with.
    pub(super) other_method: bool,
}

/// One difference, by the places of the values in both lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Finding {
    Value(u32, u32),
    Missing(u32),
    Unexpected(u32),
    /// Lists of different length.
    Length(u32, u32),
    Identity((u32, u32), IdentityConflict),
    /// The id of an answer.
    AnswerId(u32, u32),
}

impl Findings {
    pub(super) fn add(&mut self, finding: Finding, leaves: usize) {
        self.count += 1;
        self.different_leaves += leaves;
        if self.told.len() < MAX_TOLD {
            self.told.push(finding);
        }
    }
}
