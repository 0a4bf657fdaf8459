//! Bindings as a host makes them: two homes before, a request, and what is there
//! after it. A refusal leaves every file of both homes as it was.
#![cfg(unix)]
#![cfg(test)]

mod cancelling;
mod chains;
mod changing;
mod compressed;
mod homes;
mod kept_parents;
mod locking;
mod model;
mod mounts;
mod outcomes;
mod plans;
mod project_files;
mod refusals;
mod requests;
mod rollout;
mod samples;
mod scratch;
mod search;
mod swapped;
mod tree;
mod unwritten;
