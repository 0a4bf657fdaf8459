//! Elsewhere than on Unix: the process alone, without its descendants, and its
//! exit asked for at intervals. Not run on any system so far.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Child, Command};

/// Where commands usually are; searched last.
pub(crate) const FALLBACK_DIRECTORIES: [&str; 0] = [];

/// Would be the group of processes that one process leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group;

/// Would wait for the end of the process that leads a group.
#[derive(Debug)]
pub(crate) struct ExitWatch;

/// Nothing to do.
pub(crate) const fn prepare(_command: &mut Command, _name: &OsStr) {}

/// Whether `path` is a file.
pub(crate) fn is_command(path: &Path) -> bool {
    path.is_file()
}
