//! The `cassette` command.

mod agent_exit;
mod arguments;
mod failure;
mod place;
mod record;
mod replay;
mod stdio;
mod sys;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.command {
        Command::Record(options) => record::run(options),
        Command::Replay(options) => replay::run(options),
    };
    outcome.unwrap_or_else(|error| failure::report(&error))
}
