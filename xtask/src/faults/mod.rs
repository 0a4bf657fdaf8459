//! `cargo xtask faults`: what this project claims about crashes, full disks, failing system calls,
//! attackers and crowds, tried. [`catalogue`] says what is tried; the tests themselves are in the
//! crates that they concern, and count what the table shows.

mod arguments;
mod binaries;
mod catalogue;
mod descendants;
mod outcome;
mod plan;
mod scenario;
mod table;
mod trial;

pub(crate) use arguments::Arguments;
pub(crate) use plan::{faults, short_form};
