//! Directories as open handles. Every open, create, rename and sync of a binding
//! goes through one of them; nothing is reached through a link, whoever renames
//! directories meanwhile.
//!
//! What is looked for and why is not here. Paths are kept for messages only.

mod directory;
mod error;
mod lock;
mod name;
mod open_file;
mod staged;
#[cfg(test)]
mod tests;

pub(crate) use directory::Directory;
pub use error::PlaceError;
pub(crate) use lock::Lock;
pub(crate) use open_file::OpenFile;
pub(crate) use staged::{Finished, Staged, is_staged};

pub(crate) use crate::sys::{Kind, Stamp};
