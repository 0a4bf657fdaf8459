//! What was found.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use crate::escaped::escaped;

/// What was found of one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// What was looked at.
    check: &'static str,
    verdict: Verdict,
    text: String,
    /// The way out.
    hint: Option<String>,
}

/// How good that is, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// As it should be.
    Ok,
    /// Something will not work, or not always.
    Warning,
    /// Recording does not work here.
    Problem,
}

impl Finding {
    /// Something that is as it should be.
    pub(super) fn ok(check: &'static str, text: impl Into<String>) -> Self {
        Self {
            check,
            verdict: Verdict::Ok,
            text: text.into(),
            hint: None,
        }
    }

    /// Something that will not work, or not always, and the way out.
    pub(super) fn warning(
        check: &'static str,
        text: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            verdict: Verdict::Warning,
            hint: Some(hint.into()),
            ..Self::ok(check, text)
        }
    }

    /// Something that keeps recording from working, and the way out.
    pub(super) fn problem(
        check: &'static str,
        text: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            verdict: Verdict::Problem,
            ..Self::warning(check, text, hint)
        }
    }

    pub(super) const fn verdict(&self) -> Verdict {
        self.verdict
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Warning => "warning",
            Verdict::Problem => "problem",
        };
        write!(f, "{verdict:<7}  {}: {}", self.check, escaped(&self.text))?;
        let hint = self.hint.iter();
        hint.into_iter()
            .try_for_each(|hint| write!(f, "\n         hint: {}", escaped(hint)))
    }
}
