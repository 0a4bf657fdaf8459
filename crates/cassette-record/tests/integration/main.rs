//! What `cassette-record` promises to other crates, tested from outside.
#![cfg(test)]

mod audit;
mod audit_cost;
mod claim;
mod closing;
mod crash;
mod cutting;
mod frame_memory;
mod full;
mod holding;
mod live;
mod on_demand;
mod puppet;
mod recovering;
mod redacting;
mod redacting_anything;
mod rounds;
mod secrets;
mod together;
mod unverified_tape;
