//! A process that a supervisor starts: [`host`] is what the host has of it, [`entry`] and
//! [`run`] are the supervisor's `main`. Linux alone; elsewhere [`absent`] says so.

#[cfg(not(target_os = "linux"))]
mod absent;
#[cfg(target_os = "linux")]
mod entry;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod wire;

#[cfg(not(target_os = "linux"))]
pub(crate) use absent::run_if_requested;
#[cfg(not(target_os = "linux"))]
pub(super) use absent::{Supervised, is_supported};
#[cfg(target_os = "linux")]
pub(crate) use entry::run_if_requested;
#[cfg(target_os = "linux")]
pub(super) use host::{Supervised, is_supported};
