//! All that `integration` shows, once more with a supervisor, and what a supervisor alone
//! can promise.
#![cfg(test)]
#![cfg(target_os = "linux")]

#[path = "../integration/agent.rs"]
mod agent;
#[path = "../integration/close.rs"]
mod close;
#[path = "../integration/diagnostics.rs"]
mod diagnostics;
#[path = "../integration/drop.rs"]
mod drop;
#[path = "../integration/exchange.rs"]
mod exchange;
#[path = "../integration/exit.rs"]
mod exit;
#[path = "../integration/held_pipe.rs"]
mod held_pipe;
mod host_killed;
#[path = "../integration/input.rs"]
mod input;
#[path = "../integration/launch.rs"]
mod launch;
mod lost;
#[path = "../integration/matrix/mod.rs"]
mod matrix;
#[path = "../integration/output.rs"]
mod output;
mod start;
mod tree;
mod verified;
mod watch;

use process_local::{Supervisor, TreeEnd};

/// Who starts the agents of this binary.
fn supervisor() -> Supervisor {
    Supervisor::Program(env!("CARGO_BIN_EXE_fake-agent").into())
}

/// What becomes of their descendants.
const TREE: TreeEnd = TreeEnd::Supervised;

/// What the fake agent calls a host that does the same.
const HOST: &str = "supervised-host";

/// What it calls a host that does the same and verifies.
const VERIFYING_HOST: &str = "supervised-verified";
