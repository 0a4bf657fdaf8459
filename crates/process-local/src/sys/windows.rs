//! Windows: a process in a job object, which ends with the host however that ends.
//! Compiled, and run nowhere.
//!
//! There is no SIGTERM: asking a process to end is ending it. Descendants that
//! Windows starts for it elsewhere (by WMI, say) are outside the job.

use std::ffi::OsStr;
use std::fs::File;
use std::future::{Future as _, poll_fn};
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use cassette_format::process::EndRequest;
use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};

use super::Pipes;
use crate::close::TreeEnd;
use crate::leader::Leader;
use crate::options::{Leftovers, Supervisor};

/// Directories of the system in which commands usually are.
pub(crate) const SYSTEM_DIRECTORIES: [&str; 2] =
    ["C:\\Windows\\System32", "C:\\Program Files\\nodejs"];

/// Directories below the home in which commands usually are.
pub(crate) const HOME_DIRECTORIES: [&str; 6] = [
    "AppData\\Roaming\\npm",
    "AppData\\Local\\pnpm",
    "AppData\\Local\\Volta\\bin",
    ".local\\bin",
    ".bun\\bin",
    ".cargo\\bin",
];

/// Endings of commands.
const ENDINGS: [&str; 4] = ["com", "exe", "bat", "cmd"];

/// A started process and its job. Both end when it is dropped.
#[derive(Debug)]
pub(crate) struct Child(Box<dyn ChildWrapper>);

/// Waits for the end of a process.
#[derive(Debug)]
pub(crate) struct ExitWatch(Arc<Leader>);

/// The job ends all of them.
pub(crate) const fn promise(_supervisor: &Supervisor) -> TreeEnd {
    TreeEnd::Supervised
}

/// Nobody is started as one: the job does what a supervisor would.
pub(crate) const fn run_supervisor_if_requested() {}

/// Starts a command in a job of its own, which it is in before it runs.
pub(crate) fn spawn(
    command: Command,
    _name: &OsStr,
    _supervisor: &Supervisor,
    _verified: Option<&File>,
) -> io::Result<(Child, io::Result<Pipes>)> {
    let mut command = CommandWrap::from(tokio::process::Command::from(command));
    let mut child = command.wrap(KillOnDrop).wrap(JobObject).spawn()?;
    let pipes = take_pipes(&mut *child);
    Ok((Child(child), pipes))
}

fn take_pipes(child: &mut dyn ChildWrapper) -> io::Result<Pipes> {
    let pipes = (
        child.stdin().take(),
        child.stdout().take(),
        child.stderr().take(),
    );
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(io::Error::other("the process has no pipes"));
    };
    Ok(Pipes {
        stdin,
        stdout,
        stderr,
    })
}

/// The file that runs when `path` is asked for, if there is one: itself if it has
/// an ending, else the first with a usual one.
pub(crate) fn command_file(path: PathBuf) -> Option<PathBuf> {
    if path.extension().is_some() && path.is_file() {
        return Some(path);
    }
    let with_ending = |ending: &&str| {
        let mut name = path.clone().into_os_string();
        name.push(".");
        name.push(ending);
        PathBuf::from(name)
    };
    let mut candidates = ENDINGS.iter().map(with_ending);
    candidates.find(|candidate| candidate.is_file())
}

/// There are no signals.
pub(crate) fn signal(_status: &ExitStatus) -> Option<i32> {
    None
}

impl Child {
    pub(crate) fn id(&self) -> u32 {
        self.0.id().unwrap_or_default()
    }

    /// Ends every process of the job, whatever the request.
    pub(crate) fn ask_to_end(&mut self, _request: EndRequest) -> io::Result<()> {
        self.kill()
    }

    /// Ends every process of the job.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.0.start_kill()
    }

    /// Which descendants will be ended.
    pub(crate) const fn promise(&self) -> TreeEnd {
        TreeEnd::Supervised
    }

    /// Ends what is left of the process. It ends with the job in any case.
    pub(crate) fn end_tree(&mut self, leftovers: Leftovers) -> io::Result<()> {
        match leftovers {
            Leftovers::End => self.kill(),
            Leftovers::Leave => Ok(()),
        }
    }

    /// Which descendants have been ended.
    pub(crate) const fn tree(&mut self) -> TreeEnd {
        TreeEnd::Supervised
    }

    /// The exit status of a process that has ended.
    pub(crate) fn reap(mut self) -> io::Result<Option<ExitStatus>> {
        self.0.inner_mut().try_wait()
    }
}

impl ExitWatch {
    /// Watches a process that was not reaped yet.
    pub(crate) fn over(leader: &Arc<Leader>) -> Self {
        Self(Arc::clone(leader))
    }

    /// Waits until the process has ended.
    ///
    /// # Errors
    /// The process was taken away meanwhile.
    pub(crate) async fn exited(&self) -> io::Result<()> {
        poll_fn(|cx| {
            // What a poll begins is kept in the child: another poll goes on with it.
            let exited = self.0.with_child(|child| {
                let waiting = pin!(child.0.inner_mut().wait());
                waiting.poll(cx).map_ok(drop)
            });
            exited.unwrap_or_else(|| Poll::Ready(Err(io::ErrorKind::NotFound.into())))
        })
        .await
    }
}

/// Does not wait: a job ends at once.
pub(crate) async fn tree_ended(_leader: &Leader, _patience: Duration) {}

/// The same.
pub(crate) const fn wait_for_tree(_leader: &Leader, _patience: Duration) {}

/// Does not wait: there are no zombies here.
pub(crate) fn wait_for_exit(_leader: &Leader) -> io::Result<()> {
    Ok(())
}
