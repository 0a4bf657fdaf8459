//! Faults at the system calls of whole operations, and power losses between them.
//!
//! The test binary starts itself again, under `strace`, as the process that does them
//! ([`work`]). `FAULT_ROUNDS` says how much is tried; `cargo xtask faults` says it.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod every_call;
mod power_loss;
mod recording;
mod replacing;
mod rounds;
mod scratch;
mod tracer;
mod work;
