//! The process that was started, from its start until it is reaped, and the rule
//! that its group gets no signal afterwards.

use std::io;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

use cassette_format::process::EndRequest;

use crate::close::TreeEnd;
use crate::options::Leftovers;
use crate::sys::Child;

/// The started process, which leads a group.
#[derive(Debug)]
pub(crate) struct Leader {
    id: u32,
    promise: TreeEnd,
    /// `None` once it was reaped: its number may name a stranger then.
    unreaped: Mutex<Option<Child>>,
}

impl Leader {
    pub(crate) fn new(child: Child) -> Self {
        Self {
            id: child.id(),
            promise: child.promise(),
            unreaped: Mutex::new(Some(child)),
        }
    }

    pub(crate) const fn id(&self) -> u32 {
        self.id
    }

    /// Which descendants will be ended.
    pub(crate) const fn promise(&self) -> TreeEnd {
        self.promise
    }

    /// Which descendants were ended, once that was waited for.
    pub(crate) fn tree(&self) -> TreeEnd {
        self.with_child(Child::tree).unwrap_or_default()
    }

    /// Asks the group to end, unless its leader was reaped.
    pub(crate) fn ask_to_end(&self, request: EndRequest) -> io::Result<()> {
        let ask = |child: &mut Child| child.ask_to_end(request);
        self.with_child(ask).unwrap_or(Ok(()))
    }

    /// Kills the group, unless its leader was reaped.
    pub(crate) fn kill(&self) -> io::Result<()> {
        self.with_child(Child::kill).unwrap_or(Ok(()))
    }

    /// Ends what is left of the process, or says that it may go on, unless it was reaped.
    pub(crate) fn end_tree(&self, leftovers: Leftovers) -> io::Result<()> {
        let end = |child: &mut Child| child.end_tree(leftovers);
        self.with_child(end).unwrap_or(Ok(()))
    }

    /// Does something with the process that nobody reaps meanwhile; `None` if it
    /// was reaped.
    pub(crate) fn with_child<T>(&self, action: impl FnOnce(&mut Child) -> T) -> Option<T> {
        let mut unreaped = self.unreaped.lock().unwrap_or_else(PoisonError::into_inner);
        unreaped.as_mut().map(action)
    }

    /// Somebody else has reaped it: no signal goes out from now on.
    pub(crate) fn disown(&self) {
        drop(self.take());
    }

    /// Takes the exit status of a leader that has ended. No signal goes out from
    /// now on, even if there is no status.
    pub(crate) fn reap(&self) -> io::Result<ExitStatus> {
        let status = match self.take() {
            Some(child) => child.reap()?,
            None => None,
        };
        status.ok_or_else(|| io::Error::other("the process has no exit status"))
    }

    fn take(&self) -> Option<Child> {
        let mut unreaped = self.unreaped.lock().unwrap_or_else(PoisonError::into_inner);
        unreaped.take()
    }
}

#[cfg(test)]
impl Leader {
    /// A leader of this command, for tests; its input is open.
    pub(crate) fn of(argv: &[&str]) -> Self {
        Self::with_pipes(argv).0
    }

    /// The same with its pipes. For tests in a runtime.
    pub(crate) fn with_pipes(argv: &[&str]) -> (Self, crate::sys::Pipes) {
        use std::process::{Command, Stdio};

        use crate::options::Supervisor;

        let mut command = Command::new(argv[0]);
        command.args(&argv[1..]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = crate::sys::spawn(command, argv[0].as_ref(), &Supervisor::None, None);
        let (child, pipes) = started.unwrap();
        (Self::new(child), pipes.unwrap())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys;

    #[tokio::test]
    async fn a_reaped_leader_passes_no_signal_on_and_has_no_second_status() {
        let (leader, _pipes) = Leader::with_pipes(&["/bin/cat"]);
        leader.kill().unwrap();
        sys::wait_for_exit(&leader).unwrap();

        assert_eq!(leader.reap().unwrap().code(), None);

        assert!(leader.with_child(|_| panic!("a signal went out")).is_none());
        leader.kill().unwrap();
        assert_eq!(
            leader.reap().unwrap_err().to_string(),
            "the process has no exit status"
        );
    }
}
