//! What `cassette-record` promises to other crates, tested from outside.
#![cfg(test)]

mod audit;
mod audit_cost;
mod holding;
mod live;
mod recovering;
mod unverified_tape;
