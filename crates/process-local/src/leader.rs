//! The process that was started, from its start until it is reaped, and the rule
//! that its group gets no signal afterwards.

use std::io;
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, PoisonError};

use crate::sys::Group;

/// The started process, which leads a group.
#[derive(Debug)]
pub(crate) struct Leader {
    id: u32,
    group: Group,
    /// `None` once it was reaped: its number may name a stranger then.
    unreaped: Mutex<Option<Child>>,
}

impl Leader {
    pub(crate) fn new(child: Child) -> Self {
        Self {
            id: child.id(),
            group: Group::led_by(&child),
            unreaped: Mutex::new(Some(child)),
        }
    }

    pub(crate) const fn id(&self) -> u32 {
        self.id
    }

    pub(crate) const fn group(&self) -> Group {
        self.group
    }

    /// Asks the group to end, unless its leader was reaped.
    pub(crate) fn terminate(&self) -> io::Result<()> {
        self.while_unreaped(Group::terminate)
    }

    /// Kills the group, unless its leader was reaped.
    pub(crate) fn kill(&self) -> io::Result<()> {
        self.while_unreaped(Group::kill)
    }

    fn while_unreaped(&self, signal: fn(Group) -> io::Result<()>) -> io::Result<()> {
        // The lock is held over the call, so that nobody reaps in between.
        let unreaped = self.unreaped.lock().unwrap_or_else(PoisonError::into_inner);
        if unreaped.is_some() {
            signal(self.group)
        } else {
            Ok(())
        }
    }

    /// Somebody else has reaped it: no signal goes out from now on.
    pub(crate) fn disown(&self) {
        drop(
            self.unreaped
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
    }

    /// Takes the exit status of a leader that has ended. No signal goes out from
    /// now on, even if there is no status.
    pub(crate) fn reap(&self) -> io::Result<ExitStatus> {
        let mut unreaped = self.unreaped.lock().unwrap_or_else(PoisonError::into_inner);
        let status = match unreaped.take() {
            Some(mut child) => child.try_wait()?,
            None => None,
        };
        status.ok_or_else(|| io::Error::other("the process has no exit status"))
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::sys;

    #[test]
    fn a_reaped_leader_passes_no_signal_on_and_has_no_second_status() {
        let mut command = Command::new("/bin/cat");
        sys::prepare(&mut command, "cat".as_ref()).unwrap();
        let leader = Leader::new(command.stdin(Stdio::piped()).spawn().unwrap());
        leader.kill().unwrap();
        leader.group().wait_for_leader().unwrap();

        assert_eq!(leader.reap().unwrap().code(), None);

        let refuse = |_| Err(io::Error::other("a signal went out"));
        leader.while_unreaped(refuse).unwrap();
        assert_eq!(
            leader.reap().unwrap_err().to_string(),
            "the process has no exit status"
        );
    }
}
