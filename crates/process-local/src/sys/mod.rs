//! What depends on the operating system: starting a process with its descendants
//! in hand, ending them, seeing an exit, which files are commands.
//!
//! [`unix`] is proven on Linux. [`windows`] was compiled, and run nowhere.

#[cfg(unix)]
mod descriptor;
#[cfg(unix)]
mod exit_watch;
mod pipes;
#[cfg(unix)]
mod supervised;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use exit_watch::{ExitWatch, tree_ended, wait_for_exit, wait_for_tree};
pub(crate) use pipes::Pipes;
#[cfg(unix)]
pub(crate) use supervised::run_if_requested as run_supervisor_if_requested;
#[cfg(unix)]
pub(crate) use unix::{
    Child, HOME_DIRECTORIES, SYSTEM_DIRECTORIES, command_file, promise, signal, spawn,
};
#[cfg(windows)]
pub(crate) use windows::{
    Child, ExitWatch, HOME_DIRECTORIES, SYSTEM_DIRECTORIES, command_file, promise,
    run_supervisor_if_requested, signal, spawn, tree_ended, wait_for_exit, wait_for_tree,
};
