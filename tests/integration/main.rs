//! Tests that cross crates.
#![cfg(test)]

mod player;
mod record_then_replay;
mod recorder;
