//! `cargo xtask`: the checks of the workspace. Not published, and used by no other member.
//!
//! `ci` runs everything that must hold before a change is accepted; the others are its larger
//! steps by themselves. What each does is in the module of its name; here is only the command line.

mod api;
mod bench;
mod ci;
mod compat;
mod faults;
mod fuzz;
mod metadata;
mod packages;
mod rust;
mod tidy;

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::bail;

use crate::fuzz::FuzzOptions;
use crate::metadata::Metadata;

const USAGE: &str = "usage: cargo xtask ci | tidy | compat | packages | api [--update]
       cargo xtask faults [--rounds N] [--only NAME]
       cargo xtask bench [--json] [--quick] [--input DIR] [--only PART]…
       cargo xtask fuzz [--seconds N] [--target NAME]";

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
        ["compat"] => compat::compat(&Metadata::read()?),
        ["packages"] => packages::packages(&Metadata::read()?),
        ["api"] => show(&api::check(&Metadata::read()?)?),
        ["api", "--update"] => show(&api::update(&Metadata::read()?)?),
        ["faults", rest @ ..] => {
            let asked = faults::Arguments::parse(rest)?;
            show(&faults::faults(&Metadata::read()?, &asked)?)
        }
        ["fuzz", rest @ ..] => {
            let options = FuzzOptions::parse(rest)?;
            show(&fuzz::fuzz(&Metadata::read()?, &options)?)
        }
        _ => bail!("{USAGE}"),
    }
}

/// Tells why something was not done.
fn show(outcome: &ci::Outcome) -> anyhow::Result<()> {
    if let ci::Outcome::Skipped(reason) = outcome {
        writeln!(io::stdout(), "SKIPPED, {reason}")?;
    }
    Ok(())
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
