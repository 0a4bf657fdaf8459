//! `cargo xtask bench`: what recording, loading, replaying, auditing, binding and passing through
//! cost, each beside the least that it can cost, measured by turns in the same run.
//!
//! This program is its own agent too, and its own child where peak memory is measured. What the
//! figures mean is in `docs/proof.md`.

mod agent;
mod arguments;
mod audit;
mod bind;
mod case;
mod cost;
mod growth;
mod load;
mod machine;
mod made_tape;
mod materials;
mod operation;
mod pass_through;
mod peak;
mod peer;
mod quickest;
mod record;
mod replay;
mod report;
mod row;
mod run;
mod scan;
mod summary;
mod sys;
mod table;

use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::arguments::Arguments;

fn main() -> ExitCode {
    process_local::supervisor::run_if_requested();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words.as_slice() {
        ["agent", role @ ..] => agent::run(role),
        ["peak", of @ ..] => peak::run_child(of),
        _ => Arguments::parse(&words).and_then(|arguments| run::run(&arguments)),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do when the terminal is gone too; the exit code still says it.
            writeln!(io::stderr(), "error: {error:#}").ok();
            ExitCode::FAILURE
        }
    }
}
