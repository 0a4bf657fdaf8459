//! Unix: a process in a group of its own, and signals to that group.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};

use rustix::fs::Access;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Where commands usually are; searched last.
pub(crate) const FALLBACK_DIRECTORIES: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// The group of processes that one process leads.
///
/// Its number names the group only until the leader has been reaped: whoever
/// holds a `Group` sees to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    leader: Pid,
}

/// Puts the process to be started into a group of its own, and calls it by the
/// name it was asked for by. Neither needs code between fork and exec.
///
/// # Errors
/// None on Unix.
pub(crate) fn prepare(command: &mut Command, name: &OsStr) -> io::Result<()> {
    command.process_group(0).arg0(name);
    Ok(())
}

/// Whether `path` is a file that may be executed.
pub(crate) fn is_command(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

impl Group {
    /// The group of a child that was started by a command made by [`prepare`].
    pub(crate) fn led_by(child: &Child) -> Self {
        Self {
            leader: Pid::from_child(child),
        }
    }

    pub(super) const fn leader(self) -> Pid {
        self.leader
    }

    /// Asks every process of the group to end.
    pub(crate) fn terminate(self) -> io::Result<()> {
        self.signal(Signal::TERM)
    }

    /// Ends every process of the group.
    pub(crate) fn kill(self) -> io::Result<()> {
        self.signal(Signal::KILL)
    }

    fn signal(self, signal: Signal) -> io::Result<()> {
        match kill_process_group(self.leader, signal) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Whether the leader has ended. It is not reaped.
    pub(crate) fn leader_has_exited(self) -> io::Result<bool> {
        Ok(self.look(WaitIdOptions::NOHANG)?)
    }

    /// Blocks until the leader has ended. It is not reaped.
    pub(crate) fn wait_for_leader(self) -> io::Result<()> {
        self.look(WaitIdOptions::empty())?;
        Ok(())
    }

    fn look(self, how: WaitIdOptions) -> rustix::io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | how;
        rustix::io::retry_on_intr(|| waitid(WaitId::Pid(self.leader), options))
            .map(|status| status.is_some())
    }
}
