//! The `cassette` command.

mod agent_exit;
mod arguments;
mod audit;
mod checks;
mod colour;
mod completions;
mod demo;
mod descriptors;
mod doctor;
mod duration;
mod escaped;
mod failure;
mod first_message;
mod fork;
mod inspect;
mod lines;
mod message;
mod open_end;
mod parallel;
mod place;
mod progress;
mod provider_guess;
mod providers;
mod record;
mod recover;
mod redact;
mod replay;
mod report;
mod results;
mod secrets_file;
mod show;
mod stdio;
mod sys;
mod transcript;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};

fn main() -> ExitCode {
    process_local::supervisor::run_if_requested();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::usage(&error),
    };
    let outcome = match &arguments.command {
        Command::Record(options) => record::run(options),
        Command::Replay(options) => replay::run(options),
        Command::Show(options) => show::run(options),
        Command::Verify(options) => verify::run(options),
        Command::Inspect(options) => inspect::run(options),
        Command::Audit(options) => audit::run(options),
        Command::Recover(options) => recover::run(options),
        Command::Redact(options) => redact::run(options),
        Command::Fork(options) => fork::run(options),
        Command::Providers(options) => providers::run(options),
        Command::Completions(options) => completions::run(options),
        Command::Demo(options) => demo::run(options),
        Command::Doctor(options) => doctor::run(options),
        Command::DemoAgent => demo::run_agent(),
    };
    outcome.unwrap_or_else(|error| failure::report(&error))
}
