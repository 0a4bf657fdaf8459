//! What depends on the operating system: starting a process with its descendants
//! in hand, ending them, seeing an exit, which files are commands, holding verified bytes.
//!
//! [`unix`] is proven on Linux. [`windows`] was compiled, and run nowhere.

#[cfg(unix)]
mod busy;
#[cfg(unix)]
mod descriptor;
mod executable;
#[cfg(unix)]
mod exit_watch;
#[cfg(not(target_os = "linux"))]
mod held_elsewhere;
#[cfg(target_os = "linux")]
mod held_linux;
#[cfg(not(target_os = "linux"))]
mod lease_elsewhere;
#[cfg(target_os = "linux")]
mod lease_linux;
mod pipes;
#[cfg(unix)]
mod supervised;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use executable::{has_execute_bit, is_program, open_itself};
#[cfg(unix)]
pub(crate) use exit_watch::{ExitWatch, tree_ended, wait_for_exit, wait_for_tree};
#[cfg(not(target_os = "linux"))]
pub(crate) use held_elsewhere::{copy_privately, descriptor_path, seal_copy};
#[cfg(target_os = "linux")]
pub(crate) use held_linux::{copy_privately, descriptor_path, seal_copy};
#[cfg(not(target_os = "linux"))]
pub(crate) use lease_elsewhere::{has_lease, lease};
#[cfg(target_os = "linux")]
pub(crate) use lease_linux::{has_lease, lease};
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
