//! Ways of opening a directory, and what can come of them.

use super::Handle;

/// What a directory is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To open the next segment only.
    Passing,
    /// For everything.
    Holding,
}

/// What came of opening several segments at once.
#[derive(Debug)]
#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "no directory can be opened there")
)]
pub(crate) enum Whole {
    /// The directory.
    Opened(Handle),
    /// One of the segments is not there.
    Absent,
    /// No answer, or a refusal that does not say where: segment by segment tells.
    Unanswered,
}
