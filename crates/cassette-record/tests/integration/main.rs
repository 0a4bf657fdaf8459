//! What `cassette-record` promises to other crates, tested from outside.
#![cfg(test)]

mod audit;
mod audit_cost;
mod crash;
mod full;
mod holding;
mod live;
mod recovering;
mod redacting;
mod redacting_anything;
mod secrets;
mod unverified_tape;
