//! The locks of the player: the standard library's, and those of the check of schedules
//! under `--cfg shuttle`.

#[cfg(shuttle)]
pub(crate) use shuttle::sync::{Mutex, MutexGuard};
#[cfg(not(shuttle))]
pub(crate) use std::sync::{Mutex, MutexGuard};
