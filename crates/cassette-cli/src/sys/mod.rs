//! What differs between platforms: the signals that ask this process to end.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::EndRequests;

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::EndRequests;
