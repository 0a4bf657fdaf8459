//! Every kind of agent, ended in every way: who survives, what is lost, how the
//! exit is told. A module a way to end.
//!
//! Each test prints its rows of the matrix; `--nocapture` shows them.

mod agents;
mod close;
mod drop;
mod host_exit;
mod kill;
mod normal_exit;
mod row;
