//! What depends on the operating system: groups of processes, the exit seen
//! before it is reaped, which files are commands.
//!
//! Elsewhere than on Unix every start is refused; that part has been compiled for
//! no such system and run on none.

#[cfg(unix)]
mod exit_watch;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub(crate) use exit_watch::ExitWatch;
#[cfg(not(unix))]
pub(crate) use other::{ExitWatch, FALLBACK_DIRECTORIES, Group, is_command, prepare};
#[cfg(unix)]
pub(crate) use unix::{FALLBACK_DIRECTORIES, Group, is_command, prepare};
