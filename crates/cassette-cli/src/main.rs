//! The `cassette` command.

mod agent_exit;
mod arguments;
mod checks;
mod escaped;
mod failure;
mod inspect;
mod parallel;
mod place;
mod record;
mod replay;
mod results;
mod stdio;
mod sys;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.command {
        Command::Record(options) => record::run(options),
        Command::Replay(options) => replay::run(options),
        Command::Verify(options) => verify::run(options),
        Command::Inspect(options) => inspect::run(options),
    };
    outcome.unwrap_or_else(|error| failure::report(&error))
}
