//! What differs between platforms: the signals that ask this process to end, and what the
//! operating system lets it have.

mod resources;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::{EndRequests, free_space, gives_process_descriptors, limits};

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::{EndRequests, free_space, gives_process_descriptors, limits};

pub(crate) use resources::Limits;
