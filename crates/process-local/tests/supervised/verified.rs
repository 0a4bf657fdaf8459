//! Verified execution by a supervisor: what of `integration` it has part in.

#[path = "../integration/verified/attack.rs"]
mod attack;
#[path = "../integration/verified/environment.rs"]
mod environment;
#[path = "../integration/verified/launch.rs"]
pub(crate) mod launch;
#[path = "../integration/verified/program.rs"]
mod program;
#[path = "../integration/verified/swaps.rs"]
mod swaps;
