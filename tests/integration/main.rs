//! Tests that cross crates.
#![cfg(test)]

mod player;
mod player_over_stdio;
mod real_processes;
mod record_then_replay;
mod recorder;
mod recording_on_demand;
