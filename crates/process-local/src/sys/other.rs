//! Elsewhere than on Unix: every start is refused, as there is no way yet to end
//! a process with its descendants. Not run on any system.

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

/// Refuses.
pub(crate) fn prepare(_command: &mut Command, _name: &OsStr) -> io::Result<()> {
    unsupported()
}

/// Whether `path` is a file.
pub(crate) fn is_command(path: &Path) -> bool {
    path.is_file()
}

impl Group {
    pub(crate) const fn led_by(_child: &Child) -> Self {
        Self
    }

    pub(crate) fn terminate(self) -> io::Result<()> {
        unsupported()
    }

    pub(crate) fn kill(self) -> io::Result<()> {
        unsupported()
    }

    pub(crate) fn wait_for_leader(self) -> io::Result<()> {
        unsupported()
    }
}

impl ExitWatch {
    pub(crate) const fn over(_group: Group) -> Self {
        Self
    }

    pub(crate) async fn exited(&self) -> io::Result<()> {
        unsupported()
    }
}

fn unsupported() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
