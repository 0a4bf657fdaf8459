//! Verified execution: which bytes run, which files and variables are refused.

mod attack;
mod environment;
mod launch;
mod node;
mod plain;
mod program;
mod refusals;
mod run;
mod swaps;
