//! `cassette doctor`: what of this machine matters to recording and replaying. Nothing is
//! started, and only a directory of its own is written to and removed.

mod agents;
mod directory;
mod finding;
mod limits;
mod run;
mod system;
mod variables;

pub(crate) use run::run;
