//! Everything that differs between platforms: directories as handles, and what is
//! done below them by name. No policy, and no path but relative to a handle.
//!
//! Proven on Linux, portable to macOS. Elsewhere no directory can be opened.

mod opening;
#[cfg(unix)]
mod rename;
#[cfg(unix)]
mod resolve;
mod status;
pub(crate) use opening::{Purpose, Whole};
pub(crate) use status::{Identity, Kind, Stamp, Status};

#[cfg(unix)]
mod unix;
#[cfg(all(test, unix))]
pub(crate) use unix::Calls;
#[cfg(unix)]
pub(crate) use unix::{Handle, current_user, send_ahead, set_mode, status};

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::{Handle, current_user, send_ahead, set_mode, status};
