//! Verified execution: which bytes run, which files and variables are refused.

mod environment;
mod launch;
mod node;
mod program;
mod refusals;
mod run;
mod swaps;
