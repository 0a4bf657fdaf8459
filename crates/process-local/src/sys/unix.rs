//! Unix: a process in a group of its own, and signals to that group.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use cassette_format::process::EndRequest;
use rustix::fs::Access;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpgid, kill_process, kill_process_group, waitid,
};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::Pipes;
use super::busy::spawn_unless_busy;
use super::descriptor::wait_until_readable;
use super::supervised::{self, Supervised};
use crate::close::TreeEnd;
use crate::options::{Leftovers, Supervisor};

/// Directories of the system in which commands usually are.
pub(crate) const SYSTEM_DIRECTORIES: [&str; 8] = [
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/usr/local/sbin",
    "/usr/sbin",
    "/sbin",
];

/// Directories below the home in which commands usually are.
pub(crate) const HOME_DIRECTORIES: [&str; 16] = [
    ".local/bin",
    "bin",
    ".npm-global/bin",
    "n/bin",
    ".volta/bin",
    ".asdf/shims",
    ".local/share/mise/shims",
    ".local/share/fnm/aliases/default/bin",
    "Library/Application Support/fnm/aliases/default/bin",
    ".local/share/pnpm",
    ".local/share/pnpm/bin",
    "Library/pnpm",
    "Library/pnpm/bin",
    ".bun/bin",
    ".deno/bin",
    ".cargo/bin",
];

/// A started process, which leads a group. It is not reaped unless asked for.
///
/// Its number names the group only until then: whoever holds a `Child` sees to
/// that.
#[derive(Debug)]
pub(crate) enum Child {
    /// A child of this process.
    Own(std::process::Child),
    /// A child of a supervisor, which is a child of this process.
    Supervised(Supervised),
}

/// What a process without runtime waits for.
#[derive(Debug)]
pub(super) enum Waiting {
    /// The exit of a child, which is not reaped.
    Exit(Pid),
    /// Something to read.
    Readable(OwnedFd),
}

/// The host's ends of the pipes of a process.
#[derive(Debug)]
pub(crate) struct PipeEnds {
    pub(crate) stdin: std::process::ChildStdin,
    pub(crate) stdout: std::process::ChildStdout,
    pub(crate) stderr: std::process::ChildStderr,
}

/// Which descendants would be ended.
pub(crate) fn promise(supervisor: &Supervisor) -> TreeEnd {
    match supervisor {
        Supervisor::None => TreeEnd::BestEffort,
        _ if supervised::is_supported() => TreeEnd::Supervised,
        _ => TreeEnd::BestEffort,
    }
}

/// Starts a command in a group of its own, called by the name it was asked for by.
/// Neither needs code between fork and exec.
/// What was verified is handed on as it is where somebody else executes it.
pub(crate) fn spawn(
    mut command: Command,
    name: &OsStr,
    supervisor: &Supervisor,
    verified: Option<&File>,
) -> io::Result<(Child, io::Result<Pipes>)> {
    let (child, ends) = match promise(supervisor) {
        TreeEnd::Supervised => {
            let (child, ends) = Supervised::start(&command, name, supervisor, verified)?;
            (Child::Supervised(child), Some(ends))
        }
        TreeEnd::BestEffort => {
            let mut child = spawn_unless_busy(command.process_group(0).arg0(name))?;
            let ends = take_ends(&mut child);
            (Child::Own(child), ends)
        }
    };
    // Taking the pipes panics where the runtime has no I/O.
    let mut unwatched = Unwatched(Some(child));
    let pipes = ends.map_or_else(|| Err(io::Error::other("the process has no pipes")), watch);
    match unwatched.0.take() {
        Some(child) => Ok((child, pipes)),
        None => Err(io::Error::other("the process is gone")),
    }
}

/// A process that nobody looks after yet; ended when it is dropped.
struct Unwatched(Option<Child>);

impl Drop for Unwatched {
    fn drop(&mut self) {
        if let Some(child) = self.0.take() {
            child.end_now();
        }
    }
}

fn take_ends(child: &mut std::process::Child) -> Option<PipeEnds> {
    Some(PipeEnds {
        stdin: child.stdin.take()?,
        stdout: child.stdout.take()?,
        stderr: child.stderr.take()?,
    })
}

fn watch(ends: PipeEnds) -> io::Result<Pipes> {
    Ok(Pipes {
        stdin: ChildStdin::from_std(ends.stdin)?,
        stdout: ChildStdout::from_std(ends.stdout)?,
        stderr: ChildStderr::from_std(ends.stderr)?,
    })
}

/// The file that runs when `path` is asked for, if there is one.
pub(crate) fn command_file(path: PathBuf) -> Option<PathBuf> {
    is_command(&path).then_some(path)
}

fn is_command(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// The signal that ended a process.
pub(crate) fn signal(status: &ExitStatus) -> Option<i32> {
    status.signal()
}

impl Child {
    pub(crate) fn id(&self) -> u32 {
        match self {
            Self::Own(child) => child.id(),
            Self::Supervised(child) => child.id(),
        }
    }

    /// Which descendants will be ended.
    pub(crate) const fn promise(&self) -> TreeEnd {
        match self {
            Self::Own(_) => TreeEnd::BestEffort,
            Self::Supervised(_) => TreeEnd::Supervised,
        }
    }

    /// Asks every process of the group to end.
    pub(crate) fn ask_to_end(&mut self, request: EndRequest) -> io::Result<()> {
        match self {
            Self::Own(child) => signal_group(Pid::from_child(child), signal_of(request)),
            Self::Supervised(child) => child.ask_to_end(request),
        }
    }

    /// Ends every process of the group.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        match self {
            Self::Own(child) => signal_group(Pid::from_child(child), Signal::KILL),
            Self::Supervised(child) => child.kill(),
        }
    }

    /// Ends what is left of the process, or says that it may go on.
    pub(crate) fn end_tree(&mut self, leftovers: Leftovers) -> io::Result<()> {
        match (self, leftovers) {
            (Self::Supervised(child), leftovers) => child.end_tree(leftovers),
            (own, Leftovers::End) => own.kill(),
            (_, Leftovers::Leave) => Ok(()),
        }
    }

    /// Whether the process has ended. It is not reaped.
    ///
    /// # Errors
    /// Somebody else has reaped it.
    pub(crate) fn has_exited(&mut self) -> io::Result<bool> {
        match self {
            Self::Own(child) => Ok(wait(Pid::from_child(child), WaitIdOptions::NOHANG)?),
            Self::Supervised(child) => Ok(child.has_exited()),
        }
    }

    /// What turns readable when the process has ended; for the runtime.
    pub(super) fn exit_descriptor(&self) -> Option<OwnedFd> {
        match self {
            Self::Own(child) => process_descriptor(child),
            Self::Supervised(child) => child.exit_descriptor().ok(),
        }
    }

    /// What is waited for until the process has ended, without a runtime.
    pub(super) fn waiting(&self) -> io::Result<Waiting> {
        match self {
            Self::Own(child) => Ok(Waiting::Exit(Pid::from_child(child))),
            Self::Supervised(child) => child.exit_descriptor().map(Waiting::Readable),
        }
    }

    /// What turns readable when all was ended that was to be. `None` if there is nothing to
    /// wait for.
    pub(super) fn tree_descriptor(&self) -> Option<OwnedFd> {
        match self {
            Self::Own(_) => None,
            Self::Supervised(child) => child.tree_descriptor().ok(),
        }
    }

    /// Which descendants have been ended.
    pub(crate) fn tree(&mut self) -> TreeEnd {
        match self {
            Self::Own(_) => TreeEnd::BestEffort,
            Self::Supervised(child) => child.tree(),
        }
    }

    /// The exit status of a process that has ended; its number is free then.
    pub(crate) fn reap(self) -> io::Result<Option<ExitStatus>> {
        match self {
            Self::Own(mut child) => child.try_wait(),
            Self::Supervised(child) => child.reap(),
        }
    }

    /// Ends all of it and waits for that, which is short after a kill.
    fn end_now(mut self) {
        // Nobody is left to tell.
        self.end_tree(Leftovers::End).ok();
        match self {
            Self::Own(mut child) => drop(child.wait()),
            Self::Supervised(child) => child.end_now(),
        }
    }
}

impl Waiting {
    pub(super) fn wait(&self) -> io::Result<()> {
        match self {
            Self::Exit(process) => wait(*process, WaitIdOptions::empty()).map(drop),
            Self::Readable(descriptor) => wait_until_readable(descriptor, None),
        }
    }
}

/// The signal that is this request.
pub(super) const fn signal_of(request: EndRequest) -> Signal {
    match request {
        EndRequest::Interrupt => Signal::INT,
        EndRequest::Terminate => Signal::TERM,
        EndRequest::HangUp => Signal::HUP,
        EndRequest::Quit => Signal::QUIT,
    }
}

/// Signals the group that an unreaped process leads.
pub(super) fn signal_group(leader: Pid, signal: Signal) -> io::Result<()> {
    let mut signalled = kill_process_group(leader, signal);
    // It may have joined another group. Its number is its own until it is reaped.
    if getpgid(Some(leader)).is_ok_and(|group| group != leader) {
        signalled = kill_process(leader, signal);
    }
    match signalled {
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Whether a child has ended. It is not reaped.
fn wait(process: Pid, how: WaitIdOptions) -> io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | how;
    let status = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(process), options))?;
    Ok(status.is_some())
}

/// A process as a descriptor that turns readable when it ends.
#[cfg(target_os = "linux")]
pub(super) fn process_descriptor(child: &std::process::Child) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) const fn process_descriptor(_child: &std::process::Child) -> Option<OwnedFd> {
    None
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use cassette_format::process::EffectiveEnvironment;

    use crate::environment::Environment;

    #[test]
    fn a_command_is_a_file_that_may_be_executed_and_the_first_one_counts() {
        let scratch = tempfile::tempdir().unwrap();
        let place = |name: &str, mode| {
            let file = scratch.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            File::create(&file).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            file
        };
        fs::create_dir_all(scratch.path().join("directory/agent")).unwrap();
        place("unreadable/agent", 0o644);
        let agent = place("first/agent", 0o755);
        place("second/agent", 0o755);
        let list = ["directory", "unreadable", "missing", "first", "second"];
        let list = std::env::join_paths(list.map(|name| scratch.path().join(name))).unwrap();

        let environment = Environment::inherited(EffectiveEnvironment::from_iter([("PATH", list)]));

        assert_eq!(environment.find("agent"), Some(agent));
        assert_eq!(environment.find("no-such-agent"), None);
    }
}
