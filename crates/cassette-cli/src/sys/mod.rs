//! What differs between platforms: the signals that ask this process to end, and how its
//! outputs are written.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod unix_output;
#[cfg(unix)]
pub(crate) use unix::EndRequests;
#[cfg(unix)]
pub(crate) use unix_output::Unhurried;

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::{EndRequests, Unhurried};
