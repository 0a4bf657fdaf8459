//! Tests that cross crates.
#![cfg(test)]

mod record_then_replay;
