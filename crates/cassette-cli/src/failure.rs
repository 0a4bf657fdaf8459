//! From an error to what is said of it, a hint, and an exit code.

use std::process::ExitCode;

use cassette_format::store;
use cassette_record::CreateError;

/// Usage, or data that cannot be read.
const UNUSABLE: u8 = 2;

/// Says on standard error what went wrong, and what may help.
#[expect(
    clippy::print_stderr,
    reason = "the place where the command reports errors"
)]
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    eprintln!("cassette: {error:#}");
    if let Some(hint) = hint(error) {
        eprintln!("hint: {hint}");
    }
    ExitCode::from(UNUSABLE)
}

fn hint(error: &anyhow::Error) -> Option<&'static str> {
    match error.downcast_ref()? {
        CreateError::Files(store::CreateError::Occupied { .. }) => {
            Some("give another directory with -o, or replace it with --replace")
        }
        _ => None,
    }
}
