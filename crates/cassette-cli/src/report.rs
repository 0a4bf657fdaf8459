//! How a recording or a replay has ended, for programs: in the file that an option or
//! the environment names, since the standard streams are the agent's.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use cassette_replay::PlayError;
use serde::Serialize;

use crate::arguments::ReportArguments;
use crate::failure::UNUSABLE;
use crate::results::SCHEMA;

/// The variable that names the file.
pub(crate) const VARIABLE: &str = "CASSETTE_REPORT";

/// How a command has ended.
#[derive(Debug)]
pub(crate) struct Ending {
    /// Its exit code.
    pub(crate) code: u8,
    pub(crate) verdict: Verdict,
    /// What went wrong, as it is said on standard error.
    pub(crate) error: Option<String>,
    /// Where a replay failed.
    pub(crate) mismatch: Option<Mismatch>,
}

/// What came of a recording or a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// The cassette is complete.
    Recorded,
    /// The cassette is there and is not complete.
    Incomplete,
    /// Everything was played.
    Played,
    /// The client did not say what was recorded.
    Mismatch,
    /// Nobody reads what the agent says.
    Unwritable,
    /// The client asked twice to end.
    Interrupted,
    /// It did not begin.
    Error,
}

/// The place on the tape where the client said something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mismatch {
    connection_id: String,
    /// Of the host's messages, from 1.
    message: u64,
    /// Of `frames.jsonl`.
    line: u64,
    expected: String,
    sent: String,
}

impl Ending {
    /// An ending in which nothing went wrong.
    pub(crate) const fn fine(code: u8, verdict: Verdict) -> Self {
        Self {
            code,
            verdict,
            error: None,
            mismatch: None,
        }
    }
}

impl Mismatch {
    /// The place, where an error has one.
    pub(crate) fn of(error: &PlayError) -> Option<Self> {
        let PlayError::Mismatch(mismatch) = error else {
            return None;
        };
        Some(Self {
            connection_id: mismatch.connection_id.as_str().to_owned(),
            message: mismatch.place.message,
            line: mismatch.place.global_seq.get(),
            expected: mismatch.expected.clone(),
            sent: mismatch.sent.clone(),
        })
    }
}

/// The file that the environment names, if it names one.
pub(crate) fn file_of_environment() -> Option<PathBuf> {
    let named = std::env::var_os(VARIABLE).filter(|name: &OsString| !name.is_empty());
    named.map(PathBuf::from)
}

/// Writes the report, if one is wanted, and gives the exit code. That it cannot be
/// written is said on standard error and changes nothing else.
pub(crate) fn end(
    (command, cassette): (&'static str, &Path),
    arguments: &ReportArguments,
    outcome: anyhow::Result<Ending>,
) -> anyhow::Result<ExitCode> {
    let Some(file) = arguments.report.clone().or_else(file_of_environment) else {
        return outcome.map(|ending| ExitCode::from(ending.code));
    };
    let (ending, outcome) = match outcome {
        Ok(ending) => {
            let code = ExitCode::from(ending.code);
            (ending, Ok(code))
        }
        Err(error) => {
            let ending = Ending {
                error: Some(format!("{error:#}")),
                ..Ending::fine(UNUSABLE, Verdict::Error)
            };
            (ending, Err(error))
        }
    };
    let report = Report {
        schema: SCHEMA,
        command,
        cassette: cassette.display().to_string(),
        verdict: ending.verdict,
        exit_code: ending.code,
        error: ending.error,
        mismatch: ending.mismatch,
    };
    if let Err(error) = write(&file, &report) {
        complain(&error);
    }
    outcome
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    schema: u32,
    command: &'static str,
    cassette: String,
    verdict: Verdict,
    exit_code: u8,
    error: Option<String>,
    mismatch: Option<Mismatch>,
}

fn write(file: &Path, report: &Report) -> anyhow::Result<()> {
    let mut text = serde_json::to_vec(report)?;
    text.push(b'\n');
    fs::write(file, text).with_context(|| format!("cannot write the report {}", file.display()))
}

#[expect(
    clippy::print_stderr,
    reason = "the only place for it: stdout is the agent's"
)]
fn complain(error: &anyhow::Error) {
    eprintln!("cassette: {error:#}");
}
