//! The host's side: starting a supervisor, asking it, hearing from it.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use cassette_format::process::EndRequest;
use rustix::fs::{Mode, OFlags};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, pidfd_send_signal,
    waitpid,
};

use super::entry::{Order, is_requested};
use super::tree::children;
use super::wire::{Report, Request, send_descriptors};
use crate::close::TreeEnd;
use crate::options::{Leftovers, Supervisor};
use crate::sys::busy::spawn_unless_busy;
use crate::sys::descriptor::wait_until_readable;
use crate::sys::unix::{PipeEnds, process_descriptor};

/// How long a supervisor may take to start a process.
const START: Duration = Duration::from_secs(10);
/// How long one may take to end that has nothing to do.
const END: Duration = Duration::from_secs(2);
/// Where the files are that this process has open.
const DESCRIPTORS: &str = "/proc/self/fd";

/// A process that a supervisor has started. Dropping it ends all of it.
#[derive(Debug)]
pub(crate) struct Supervised {
    supervisor: process::Child,
    socket: UnixStream,
    agent: Pid,
    /// The process itself, whoever else reaps it.
    descriptor: OwnedFd,
    ended: Option<Ended>,
}

#[derive(Debug)]
enum Ended {
    Status(ExitStatus),
    /// The supervisor ended before the process had.
    Unsupervised,
}

/// Why a supervisor was not started, or did not start anything.
#[derive(Debug)]
struct Unfit {
    program: PathBuf,
    reason: &'static str,
    source: Option<io::Error>,
}

/// Whether there are supervisors on this system.
pub(crate) fn is_supported() -> bool {
    static SUPPORTED: OnceLock<bool> = OnceLock::new();
    *SUPPORTED
        .get_or_init(|| pidfd_open(getpid(), PidfdFlags::empty()).is_ok() && children().is_ok())
}

impl Supervised {
    /// Starts the command through a supervisor and waits until it runs. An error of the
    /// operating system's own is about the command. What was verified is executed in place of
    /// what the command names.
    pub(crate) fn start(
        command: &Command,
        name: &OsStr,
        supervisor: &Supervisor,
        verified: Option<&File>,
    ) -> io::Result<(Self, PipeEnds)> {
        let program = match supervisor {
            Supervisor::Program(program) => std::path::absolute(program)?,
            // Also when the file was replaced meanwhile.
            _ => PathBuf::from("/proc/self/exe"),
        };
        if is_requested() {
            let reason = "does not begin with `supervisor::run_if_requested`";
            return Err(Unfit::new(&program, reason, None));
        }
        let (order, executable) = order(command, name, verified)?;
        let (socket, theirs) = UnixStream::pair()?;
        let (stdin, stdout, stderr) = (io::pipe()?, io::pipe()?, io::pipe()?);
        let started = supervisor_command(&program, supervisor, &order, command);
        let started = spawn_connected(started, theirs);
        let supervisor = started.map_err(|error| match error.kind() {
            // What it is told is what the process was to be told.
            io::ErrorKind::InvalidInput | io::ErrorKind::ArgumentListTooLong => error,
            _ => Unfit::new(&program, "cannot be started", Some(error)),
        })?;
        let mut passed_on = vec![stdin.0.as_fd(), stdout.1.as_fd(), stderr.1.as_fd()];
        passed_on.extend(executable.as_ref().map(AsFd::as_fd));
        // If it is gone it tells nothing either.
        send_descriptors(&socket, &passed_on).ok();
        drop((stdin.0, stdout.1, stderr.1, executable));
        let starting = Starting { supervisor, socket };
        let supervised = starting.await_start(&program)?;
        let ends = PipeEnds {
            stdin: OwnedFd::from(stdin.1).into(),
            stdout: OwnedFd::from(stdout.0).into(),
            stderr: OwnedFd::from(stderr.0).into(),
        };
        Ok((supervised, ends))
    }

    pub(crate) fn id(&self) -> u32 {
        self.agent.as_raw_nonzero().get().unsigned_abs()
    }

    pub(crate) fn ask_to_end(&mut self, request: EndRequest) -> io::Result<()> {
        self.ask(Request::AskToEnd(request))
    }

    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.ask(Request::Kill)
    }

    pub(crate) fn end_tree(&mut self, leftovers: Leftovers) -> io::Result<()> {
        self.ask(match leftovers {
            Leftovers::End => Request::EndTree,
            Leftovers::Leave => Request::Leave,
        })
    }

    /// Whether the process has ended. If its supervisor has, it is ended here.
    pub(crate) fn has_exited(&mut self) -> bool {
        if self.ended.is_some() {
            return true;
        }
        self.ended = match Report::receive(&self.socket) {
            Ok(Some(Report::Exited(status))) => Some(Ended::Status(ExitStatus::from_raw(status))),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
            _ => {
                // It may have ended with its supervisor.
                pidfd_send_signal(&self.descriptor, Signal::KILL).ok();
                Some(Ended::Unsupervised)
            }
        };
        self.ended.is_some()
    }

    /// Turns readable when the process has ended.
    pub(crate) fn exit_descriptor(&self) -> io::Result<OwnedFd> {
        self.socket.as_fd().try_clone_to_owned()
    }

    /// Turns readable when the supervisor has ended, which is the last thing that it does.
    pub(crate) fn tree_descriptor(&self) -> io::Result<OwnedFd> {
        process_descriptor(&self.supervisor).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    /// Which descendants have been ended.
    pub(crate) fn tree(&mut self) -> TreeEnd {
        match self.supervisor.try_wait() {
            Ok(Some(status)) if status.success() => TreeEnd::Supervised,
            _ => TreeEnd::BestEffort,
        }
    }

    /// The exit status of a process that has ended.
    pub(crate) fn reap(mut self) -> io::Result<Option<ExitStatus>> {
        self.has_exited();
        match self.ended {
            Some(Ended::Status(status)) => Ok(Some(status)),
            Some(Ended::Unsupervised) => Err(io::Error::other("its supervisor ended before it")),
            None => Ok(None),
        }
    }

    /// Waits for the end of all of it once that was asked for.
    pub(crate) fn end_now(self) {
        if let Ok(descriptor) = self.tree_descriptor() {
            wait_until_readable(&descriptor, Some(END)).ok();
        }
    }

    fn ask(&mut self, request: Request) -> io::Result<()> {
        if matches!(self.supervisor.try_wait(), Ok(None)) {
            // A stopped one would not hear it.
            kill_process(Pid::from_child(&self.supervisor), Signal::CONT).ok();
        }
        match request.send(&self.socket) {
            // It has ended, and with it what was to be signalled.
            Err(error) if is_gone(&error) => Ok(()),
            sent => sent,
        }
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
    )
}

impl Drop for Supervised {
    fn drop(&mut self) {
        // Once nobody speaks to it, it ends everything and itself.
        self.socket.shutdown(std::net::Shutdown::Both).ok();
        if matches!(self.supervisor.try_wait(), Ok(None)) {
            let supervisor = Pid::from_child(&self.supervisor);
            let reap = move || waitpid(Some(supervisor), WaitOptions::empty());
            // Without a thread it stays a zombie until the host ends.
            thread::Builder::new()
                .name("supervisor-reap".into())
                .spawn(reap)
                .ok();
        }
    }
}

/// A supervisor that has not told yet whether the process runs.
struct Starting {
    supervisor: process::Child,
    socket: UnixStream,
}

impl Starting {
    fn await_start(self, program: &Path) -> io::Result<Supervised> {
        let told = self.hear();
        let agent = match told {
            Ok(Some(Report::Started(agent))) => agent,
            told => return Err(self.give_up(program, told)),
        };
        // Its number is its own until it is reaped, which waits for this process to ask.
        match pidfd_open(agent, PidfdFlags::empty()) {
            Ok(descriptor) => Ok(Supervised {
                supervisor: self.supervisor,
                socket: self.socket,
                agent,
                descriptor,
                ended: None,
            }),
            Err(errno) => Err(self.give_up(program, Err(errno.into()))),
        }
    }

    fn hear(&self) -> io::Result<Option<Report>> {
        self.socket.set_read_timeout(Some(START))?;
        let report = loop {
            match Report::receive(&self.socket) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                report => break report?,
            }
        };
        self.socket.set_nonblocking(true)?;
        Ok(report)
    }

    fn give_up(mut self, program: &Path, told: io::Result<Option<Report>>) -> io::Error {
        drop(self.socket);
        let ended = process_descriptor(&self.supervisor)
            .map(|descriptor| wait_until_readable(&descriptor, Some(END)));
        drop(ended);
        // One that serves has ended by now, and everything with it.
        self.supervisor.kill().ok();
        self.supervisor.wait().ok();
        match told {
            Ok(Some(Report::NotStarted(errno))) => io::Error::from_raw_os_error(errno),
            Ok(_) => Unfit::new(program, "does not serve as one", None),
            Err(error) if is_gone(&error) => Unfit::new(program, "does not serve as one", None),
            Err(error) => Unfit::new(program, "does not answer", Some(error)),
        }
    }
}

/// What the supervisor is to run, and the file if it has no name that the supervisor could
/// open it by. A verified one is not opened anew: its lease, if it has one, lasts until the
/// last descriptor like it is closed, so beyond the end of this process.
fn order(
    command: &Command,
    name: &OsStr,
    verified: Option<&File>,
) -> io::Result<(Order, Option<OwnedFd>)> {
    let file = PathBuf::from(command.get_program());
    let executable = match verified {
        Some(verified) => Some(verified.as_fd().try_clone_to_owned()?),
        None if file.starts_with(DESCRIPTORS) => {
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            Some(rustix::fs::open(&file, flags, Mode::empty())?)
        }
        None => None,
    };
    let order = Order {
        host: getpid(),
        directory: command.get_current_dir().map(Path::to_owned),
        file: executable.is_none().then_some(file),
        name: name.to_owned(),
        arguments: command.get_args().map(OsStr::to_owned).collect(),
    };
    Ok((order, executable))
}

/// In a group of its own, so that the keyboard's signals do not reach it, and with the
/// environment of the process.
fn supervisor_command(
    program: &Path,
    supervisor: &Supervisor,
    order: &Order,
    command: &Command,
) -> Command {
    let mut started = Command::new(program);
    if *supervisor == Supervisor::SelfExe
        && let Some(own) = std::env::args_os().next()
    {
        started.arg0(own);
    }
    started
        .args(order.to_arguments())
        .env_clear()
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    started
}

/// With this for its standard input, of which nothing stays open here.
fn spawn_connected(mut command: Command, theirs: UnixStream) -> io::Result<process::Child> {
    spawn_unless_busy(command.stdin(Stdio::from(OwnedFd::from(theirs))))
}

impl Unfit {
    #[expect(clippy::new_ret_no_self, reason = "it travels as an I/O error")]
    fn new(program: &Path, reason: &'static str, source: Option<io::Error>) -> io::Error {
        io::Error::other(Self {
            program: program.to_owned(),
            reason,
            source,
        })
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "supervisor `{}` {}", self.program.display(), self.reason)
    }
}

impl std::error::Error for Unfit {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.source.as_ref()?;
        Some(source)
    }
}
