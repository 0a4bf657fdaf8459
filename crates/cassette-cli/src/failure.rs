//! From an error to what is said of it, a hint, and an exit code.

use std::io;
use std::process::ExitCode;

use cassette_format::store::{self, OpenError};
use cassette_record::CreateError;

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
        return agent_exit::unwritable(unwritable);
    }
    eprintln!("cassette: {error:#}");
    if let Some(hint) = hint(error) {
        eprintln!("hint: {hint}");
    }
    ExitCode::from(UNUSABLE)
}

fn hint(error: &anyhow::Error) -> Option<&'static str> {
    let found = error.downcast_ref().map(of_create);
    let found = found.or_else(|| error.downcast_ref().map(of_open));
    found.flatten()
}

fn of_create(error: &CreateError) -> Option<&'static str> {
    match error {
        CreateError::Files(store::CreateError::Occupied { .. }) => {
            Some("give another directory with -o, or replace it with --replace")
        }
        _ => None,
    }
}

fn of_open(error: &OpenError) -> Option<&'static str> {
    match error {
        OpenError::Missing { .. } => {
            Some("a cassette is a directory that holds manifest.json and frames.jsonl")
        }
        _ => None,
    }
}
