//! What depends on the operating system: starting a process with its descendants
//! in hand, ending them, seeing an exit, which files are commands.
//!
//! [`unix`] is proven on Linux. [`windows`] was compiled, and run nowhere.

#[cfg(unix)]
mod exit_watch;
mod pipes;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use exit_watch::{ExitWatch, wait_for_exit};
pub(crate) use pipes::Pipes;
#[cfg(unix)]
pub(crate) use unix::{Child, HOME_DIRECTORIES, SYSTEM_DIRECTORIES, command_file, signal, spawn};
#[cfg(windows)]
pub(crate) use windows::{
    Child, ExitWatch, HOME_DIRECTORIES, SYSTEM_DIRECTORIES, command_file, signal, spawn,
    wait_for_exit,
};
