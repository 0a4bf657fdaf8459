//! Checking many cassettes at once, and what is said of each.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cassette_format::store::{CassetteDir, OpenError};
use serde::Serialize;

use crate::failure::{self, UNUSABLE};
use crate::parallel;
use crate::progress::Progress;
use crate::results::{self, Form, SCHEMA};

/// A checking command has found something.
pub(crate) const FOUND: u8 = 1;

/// Checks each of `cassettes`, prints what was found, and gives 0 if all are
/// fine, 1 if something was found, 2 if one cannot be read.
pub(crate) fn run(
    command: &'static str,
    (cassettes, form): (&[PathBuf], Form),
    check: impl Fn(&Path) -> Checked + Sync,
) -> anyhow::Result<ExitCode> {
    let progress = Progress::of(command, cassettes.len());
    let cassettes = parallel::each(cassettes, |cassette| {
        let checked = check(cassette);
        progress.step();
        checked
    });
    progress.finish();
    let report = Report {
        schema: SCHEMA,
        command,
        cassettes,
    };
    results::print(form, &report)?;
    let worst = report.cassettes.iter().map(|checked| checked.verdict).max();
    Ok(match worst {
        None | Some(Verdict::Ok) => ExitCode::SUCCESS,
        Some(Verdict::Failed) => ExitCode::from(FOUND),
        Some(Verdict::Unreadable) => ExitCode::from(UNUSABLE),
    })
}

/// What is said of a cassette.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checked {
    cassette: String,
    verdict: Verdict,
    problems: Vec<String>,
    /// What helps to know beside that.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// What may help.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

/// How a check has ended, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    /// Nothing was found.
    Ok,
    /// Something was found.
    Failed,
    /// Nothing could be looked at.
    Unreadable,
}

impl Checked {
    /// A cassette in which these problems were found.
    pub(crate) fn found(cassette: &Path, problems: Vec<String>) -> Self {
        let verdict = if problems.is_empty() {
            Verdict::Ok
        } else {
            Verdict::Failed
        };
        Self {
            cassette: cassette.display().to_string(),
            verdict,
            problems,
            note: None,
            hint: None,
        }
    }

    /// A cassette that could not be looked at.
    pub(crate) fn unreadable(cassette: &Path, error: impl Error + Send + Sync + 'static) -> Self {
        let refused = Self::refused(cassette, error);
        Self {
            verdict: Verdict::Unreadable,
            hint: holds_cassettes(cassette).or(refused.hint),
            ..refused
        }
    }

    /// A cassette that was refused for this reason, the first that was found.
    pub(crate) fn refused(cassette: &Path, error: impl Error + Send + Sync + 'static) -> Self {
        let error = anyhow::Error::new(error);
        Self {
            hint: failure::hint(&error),
            ..Self::found(cassette, vec![format!("{error:#}")])
        }
    }

    /// With further problems.
    pub(crate) fn and(mut self, problems: impl IntoIterator<Item = String>) -> Self {
        self.problems.extend(problems);
        self
    }

    /// With this note.
    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// What may help where a directory is given that has cassettes in it.
fn holds_cassettes(directory: &Path) -> Option<&'static str> {
    let mut entries = fs::read_dir(directory).ok()?.flatten();
    let is_one = entries.any(|entry| CassetteDir::new(entry.path()).is_occupied());
    is_one.then_some("the directories in it are cassettes: give DIR/*")
}

/// An error and its causes on one line.
pub(crate) fn in_full(error: impl Error + Send + Sync + 'static) -> String {
    format!("{:#}", anyhow::Error::new(error))
}

/// Whether nothing is known of a cassette that was not opened: its files cannot be
/// read, or are of another version.
pub(crate) const fn is_unreadable(error: &OpenError) -> bool {
    matches!(
        error,
        OpenError::Missing { .. }
            | OpenError::NotAFile { .. }
            | OpenError::Read { .. }
            | OpenError::FileTooLarge { .. }
            | OpenError::Changed { .. }
            | OpenError::SchemaVersion { .. }
            | OpenError::ProjectionVersion { .. }
    )
}

#[derive(Debug, Serialize)]
struct Report {
    schema: u32,
    command: &'static str,
    cassettes: Vec<Checked>,
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, checked) in self.cassettes.iter().enumerate() {
            let line_feed = if at == 0 { "" } else { "\n" };
            write!(f, "{line_feed}{checked}")?;
        }
        Ok(())
    }
}

impl Display for Checked {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Failed => "failed",
            Verdict::Unreadable => "unreadable",
        };
        write!(f, "{}: {verdict}", self.cassette)?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        if let Some(note) = &self.note {
            write!(f, "\n  {note}")?;
        }
        let hint = self.hint.iter();
        hint.into_iter()
            .try_for_each(|hint| write!(f, "\n  hint: {hint}"))
    }
}
