//! `cassette demo`: the whole story, told by really doing it. A small agent and a small
//! client talk through this very program, in a directory of their own.

mod agent;
mod client;
mod conversation;
mod run;
mod steps;
mod story;
mod workplace;

pub(crate) use agent::run as run_agent;
pub(crate) use run::run;
