//! One thing that is tried: a test, and how often.

/// How a test binary is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Build {
    /// As the ordinary tests are, so that nothing is built again after them.
    Ordinary,
    /// Optimised, with the scheduler that tries orders of tasks.
    Schedules,
}

/// Which test binary of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binary {
    /// The unit tests of the library.
    Library,
    /// An integration test of this name.
    Test(&'static str),
}

/// A test with its numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scenario {
    /// What the table calls it.
    pub(crate) name: &'static str,
    /// The member that the test is in.
    pub(crate) package: &'static str,
    /// The binary that the test is in.
    pub(crate) binary: Binary,
    /// How that is built.
    pub(crate) build: Build,
    /// The test's whole name.
    pub(crate) test: &'static str,
    /// `FAULT_ROUNDS` of the short form.
    pub(crate) short: u64,
    /// The same of the long form, of what the caller asked for.
    pub(crate) long: fn(u64) -> u64,
}

impl Scenario {
    /// What the test is told.
    pub(crate) fn rounds(&self, asked: Option<u64>) -> u64 {
        asked.map_or(self.short, |asked| (self.long)(asked).max(1))
    }
}
