//! `cargo xtask fuzz`: runs the targets of `tests/fuzz` under libFuzzer, guided by coverage, on the
//! stable toolchain. What the targets claim is written there; here is how they are built and run.

mod options;
mod run;
mod statistics;
mod table;
mod workshop;

pub(crate) use options::FuzzOptions;
pub(crate) use run::fuzz;
