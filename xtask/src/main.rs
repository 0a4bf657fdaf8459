//! `cargo xtask`: the checks of the workspace. Not published, and used by no other member.
//!
//! `ci` runs everything that must hold before a change is accepted; `tidy` checks the house rules
//! that no compiler knows; `bench` measures. What they do is in [`ci`], [`tidy`] and [`bench`]; here is
//! only the command line.

mod bench;
mod ci;
mod metadata;
mod rust;
mod tidy;

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::bail;

use crate::metadata::Metadata;

const USAGE: &str =
    "usage: cargo xtask ci | tidy | bench [--json] [--quick] [--input DIR] [--only PART]…";

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do when the terminal is gone too; the exit code still says it.
            writeln!(io::stderr(), "error: {error:#}").ok();
            ExitCode::FAILURE
        }
    }
}

/// Runs the command that the arguments name.
fn run(arguments: &[String]) -> anyhow::Result<()> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["ci"] => ci::ci(&Metadata::read()?),
        ["bench", options @ ..] => bench::bench(&Metadata::read()?, options),
        ["tidy"] => tidy::tidy(&Metadata::read()?),
        _ => bail!("{USAGE}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_command_is_refused_with_the_usage() {
        let error = run(&["polish".to_owned()]).unwrap_err();

        assert_eq!(error.to_string(), USAGE);
    }
}
