//! What differs between platforms: the signals that ask this process to end.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::asked_to_end;

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::asked_to_end;
