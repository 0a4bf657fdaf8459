//! What local processes promise, shown with real ones: the fake agent of this
//! crate. A module a topic.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod agent;
mod close;
mod diagnostics;
mod drop;
mod exchange;
mod exit;
mod held_pipe;
mod input;
mod launch;
mod matrix;
mod output;
mod verified;

use process_local::{Supervisor, TreeEnd};

/// Who starts the agents of this binary; those of `supervised` are started otherwise.
fn supervisor() -> Supervisor {
    Supervisor::None
}

/// What becomes of their descendants.
const TREE: TreeEnd = TreeEnd::BestEffort;

/// What the fake agent calls a host that does the same.
const HOST: &str = "host";

/// What it calls a host that does the same and verifies.
const VERIFYING_HOST: &str = "verified";
