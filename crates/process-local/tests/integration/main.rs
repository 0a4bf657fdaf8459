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
