//! What differs between platforms: the signals that ask this process to end, how its outputs
//! are written, and what the operating system lets it have.

mod resources;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod unix_output;
#[cfg(unix)]
pub(crate) use unix::{
    EndRequests, free_space, gives_process_descriptors, limits, outlive_size_limit,
};
#[cfg(unix)]
pub(crate) use unix_output::Unhurried;

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::{
    EndRequests, Unhurried, free_space, gives_process_descriptors, limits, outlive_size_limit,
};

pub(crate) use resources::Limits;
