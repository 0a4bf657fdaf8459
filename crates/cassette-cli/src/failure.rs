//! From an error to what is said of it, a hint, and an exit code.

use std::io;
use std::process::ExitCode;

use cassette_format::process::StartError;
use cassette_format::store::{self, OpenError};
use cassette_record::{CopyError, CreateError, FinishError, RecoverError, RedactError};

use crate::agent_exit;

/// Usage, or data that cannot be read.
pub(crate) const UNUSABLE: u8 = 2;

/// Says on standard error what went wrong, and what may help.
#[expect(
    clippy::print_stderr,
    reason = "the place where the command reports errors"
)]
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(unwritable) = error.downcast_ref::<io::Error>()
        && unwritable.kind() == io::ErrorKind::BrokenPipe
    {
        // Whoever read the output has seen enough.
        return ExitCode::from(agent_exit::unwritable(unwritable));
    }
    eprintln!("cassette: {error:#}");
    say_hint(hint(error));
    ExitCode::from(UNUSABLE)
}

/// Says on standard error what may help, if anything does.
#[expect(
    clippy::print_stderr,
    reason = "the place where the command reports errors"
)]
pub(crate) fn say_hint(hint: Option<&str>) {
    if let Some(hint) = hint {
        eprintln!("hint: {hint}");
    }
}

/// The first hint that an error of the chain has, the outermost first.
pub(crate) fn hint(error: &anyhow::Error) -> Option<&'static str> {
    error.chain().find_map(|error| {
        let found = error.downcast_ref().map(of_create);
        let found = found.or_else(|| error.downcast_ref().map(of_start));
        let found = found.or_else(|| error.downcast_ref().map(of_finish));
        let found = found.or_else(|| error.downcast_ref().map(of_copy));
        let found = found.or_else(|| error.downcast_ref().map(of_recover));
        let found = found.or_else(|| error.downcast_ref().map(of_redact));
        let found = found.or_else(|| error.downcast_ref().map(of_open));
        found.flatten()
    })
}

fn of_create(error: &CreateError) -> Option<&'static str> {
    match error {
        CreateError::Files(store::CreateError::Occupied { .. }) => {
            Some("give another directory with -o, or replace it with --replace")
        }
        _ => None,
    }
}

fn of_start(error: &StartError) -> Option<&'static str> {
    match error {
        StartError::UnknownProvider { .. } => Some("`cassette providers` lists those that are"),
        _ => None,
    }
}

fn of_finish(error: &FinishError) -> Option<&'static str> {
    match error {
        FinishError::Secret { .. } => {
            Some("`cassette redact FROM TO --secret NAME` makes a complete copy without it")
        }
        _ => None,
    }
}

fn of_copy(error: &CopyError) -> Option<&'static str> {
    match error {
        CopyError::Create(store::CreateError::Occupied { .. }) => {
            Some("give another directory for the new cassette")
        }
        _ => None,
    }
}

fn of_recover(error: &RecoverError) -> Option<&'static str> {
    match error {
        RecoverError::NotWhole { .. } => {
            Some("--mode tail takes what is before them, --mode salvage all that can be read")
        }
        _ => None,
    }
}

fn of_redact(error: &RedactError) -> Option<&'static str> {
    match error {
        RedactError::NotWhole { .. } => Some("`cassette recover FROM TO --mode tail` first"),
        _ => None,
    }
}

fn of_open(error: &OpenError) -> Option<&'static str> {
    match error {
        OpenError::Missing { .. } => {
            Some("a cassette is a directory that holds manifest.json and frames.jsonl")
        }
        OpenError::Status { .. } => {
            Some("`cassette recover FROM TO` makes a complete cassette of what is there")
        }
        _ => None,
    }
}
