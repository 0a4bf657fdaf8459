//! Unix: a process in a group of its own, and signals to that group.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use rustix::fs::Access;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::Pipes;
use super::busy::spawn_unless_busy;

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
pub(crate) struct Child(std::process::Child);

/// Starts a command in a group of its own, called by the name it was asked for by.
/// Neither needs code between fork and exec.
pub(crate) fn spawn(mut command: Command, name: &OsStr) -> io::Result<(Child, io::Result<Pipes>)> {
    let child = spawn_unless_busy(command.process_group(0).arg0(name))?;
    // Taking the pipes panics where the runtime has no I/O.
    let mut unwatched = Unwatched(Some(Child(child)));
    let pipes = unwatched.0.as_mut().map(|child| take_pipes(&mut child.0));
    match (unwatched.0.take(), pipes) {
        (Some(child), Some(pipes)) => Ok((child, pipes)),
        _ => Err(io::Error::other("the process is gone")),
    }
}

/// A process that nobody looks after yet; ended when it is dropped.
struct Unwatched(Option<Child>);

impl Drop for Unwatched {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            // Nobody is left to tell, and after a kill the wait is short.
            child.kill().ok();
            child.0.wait().ok();
        }
    }
}

fn take_pipes(child: &mut std::process::Child) -> io::Result<Pipes> {
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(io::Error::other("the process has no pipes"));
    };
    Ok(Pipes {
        stdin: ChildStdin::from_std(stdin)?,
        stdout: ChildStdout::from_std(stdout)?,
        stderr: ChildStderr::from_std(stderr)?,
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
        self.0.id()
    }

    /// Asks every process of the group to end.
    pub(crate) fn terminate(&mut self) -> io::Result<()> {
        self.signal(Signal::TERM)
    }

    /// Ends every process of the group.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.signal(Signal::KILL)
    }

    fn signal(&self, signal: Signal) -> io::Result<()> {
        let leader = Pid::from_child(&self.0);
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

    /// The exit status of a process that has ended; its number is free then.
    pub(crate) fn reap(mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }
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
