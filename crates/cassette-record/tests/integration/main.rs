//! What `cassette-record` promises to other crates, tested from outside.
#![cfg(test)]

mod audit;
mod audit_cost;
mod unverified_tape;
