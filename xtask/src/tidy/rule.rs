//! What a rule is and what it says about a place. The rules themselves are in their own files.

use std::fmt;

use super::tree::Tree;

/// A rule of the house.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    /// A short name, as in the output.
    pub(crate) name: &'static str,
    /// The rule in words, printed with each finding.
    pub(crate) text: &'static str,
    /// Looks for what breaks the rule.
    pub(crate) check: fn(&Tree) -> Vec<Finding>,
}

/// Whether a finding stops the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    /// Printed only.
    Warning,
    /// The rule is broken.
    Violation,
}

/// A place and what is the matter there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    /// From 1.
    pub(crate) line: usize,
    /// What was found.
    pub(crate) found: String,
    /// Whether it stops the run.
    pub(crate) severity: Severity,
}

impl Finding {
    /// A finding that stops the run.
    pub(crate) fn violation(path: &str, line: usize, found: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            found: found.into(),
            severity: Severity::Violation,
        }
    }

    /// A finding that is printed only.
    pub(crate) fn warning(path: &str, line: usize, found: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::violation(path, line, found)
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.found)
    }
}
