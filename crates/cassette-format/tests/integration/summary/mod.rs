//! Summaries of tapes: what is counted, how, and in which forms it is given.

mod answers;
mod bounds;
mod dialects;
mod forms;
mod generated;
mod script;
mod traffic;
