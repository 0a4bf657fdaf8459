//! `cassette completions`: what a shell reads to complete the command line.

use std::process::ExitCode;

use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionsArguments};
use crate::results;

/// Prints the script of a shell.
pub(crate) fn run(arguments: &CompletionsArguments) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "cassette", &mut script);
    results::write(|output| output.write_all(&script))?;
    Ok(ExitCode::SUCCESS)
}
