//! The supervisor's `main`: starts the process, passes signals on, tells of its exit, ends
//! all descendants.
//!
//! It runs on one thread. The runtime is there because a signal is caught by it without
//! unsafe code: an uncaught SIGTERM to all of a service would leave the tree without
//! its supervisor at the moment at which it is needed.

use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::task::Poll;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, getpid, getppid, pidfd_open,
    set_child_subreaper, waitid,
};
use tokio::net::UnixStream as Watched;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal as Caught, SignalKind, signal};

use super::entry::Order;
use super::tree::{self, Left};
use super::wire::{Report, Request, receive_descriptors};
use crate::sys::busy::spawn_unless_busy;
use crate::sys::descriptor::Descriptor;
use crate::sys::unix::{signal_group, signal_of};

/// Exit code of a supervisor that leaves nobody behind.
pub(super) const ALL: i32 = 0;
/// Exit code of one that does, or that was not started by a host.
pub(super) const NOT_ALL: i32 = 1;

/// What is passed on to the process instead of ending the supervisor.
const PASSED_ON: [(Signal, fn() -> SignalKind); 4] = [
    (Signal::TERM, SignalKind::terminate),
    (Signal::INT, SignalKind::interrupt),
    (Signal::HUP, SignalKind::hangup),
    (Signal::QUIT, SignalKind::quit),
];

/// Serves until nobody is left. Gives the exit code.
pub(super) fn run(order: &Order) -> i32 {
    rustix::thread::set_name(c"supervisor").ok();
    let served = || -> io::Result<i32> {
        let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        let descriptors = receive_descriptors(&socket)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(serve(order, socket, descriptors)))
    };
    served().unwrap_or(NOT_ALL)
}

async fn serve(order: &Order, socket: UnixStream, descriptors: Vec<OwnedFd>) -> i32 {
    let started = Watch::over(order.host, &socket).and_then(|watch| {
        let agent = start(order, descriptors)?;
        Ok((watch, agent))
    });
    match started {
        Ok((mut watch, agent)) => {
            // The process has its directory; this one keeps none from being removed.
            std::env::set_current_dir("/").ok();
            // A host that is gone is noticed below.
            Report::Started(agent).send(&socket).ok();
            supervise(&mut watch, agent, &socket).await
        }
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
            Report::NotStarted(errno).send(&socket).ok();
            ALL
        }
    }
}

async fn supervise(watch: &mut Watch, agent: Pid, socket: &UnixStream) -> i32 {
    let mut told = false;
    loop {
        match watch.next().await {
            // Whoever cannot be signalled is left to the end.
            Event::Signal(signal) => drop(signal_group(agent, signal)),
            Event::Children => {
                if !told && let Some(status) = exit_status(agent) {
                    told = true;
                    Report::Exited(status).send(socket).ok();
                }
                tree::reap_all_but(agent);
            }
            Event::Leave => return NOT_ALL,
            Event::EndTree => break,
        }
    }
    let left = tree::end(&mut watch.children, |pid, status| {
        if pid == agent && !told {
            Report::Exited(status.as_raw()).send(socket).ok();
        }
    });
    match left.await {
        Left::Nobody => ALL,
        Left::Untouchable => NOT_ALL,
    }
}

/// Starts the process in a group of its own, with the pipes that came with the order. Of
/// these nothing stays open here.
fn start(order: &Order, descriptors: Vec<OwnedFd>) -> io::Result<Pid> {
    let mut descriptors = descriptors.into_iter();
    let mut next = || descriptors.next().ok_or(io::ErrorKind::InvalidInput);
    let (stdin, stdout, stderr) = (next()?, next()?, next()?);
    let executable;
    let file = match &order.file {
        Some(file) => file.clone(),
        None => {
            executable = next()?;
            PathBuf::from(format!("/proc/self/fd/{}", executable.as_raw_fd()))
        }
    };
    let mut command = Command::new(file);
    command
        .arg0(&order.name)
        .args(&order.arguments)
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr))
        .process_group(0);
    if let Some(directory) = &order.directory {
        command.current_dir(directory);
    }
    Ok(Pid::from_child(&spawn_unless_busy(&mut command)?))
}

/// The status of a process that has ended, as `wait` gives it. It is not reaped.
fn exit_status(agent: Pid) -> Option<i32> {
    const DUMPED: i32 = 0x80;
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let status = waitid(WaitId::Pid(agent), how).ok()??;
    let by_signal = status.terminating_signal().map(|signal| {
        let dumped = if status.dumped() { DUMPED } else { 0 };
        signal | dumped
    });
    by_signal.or_else(|| status.exit_status().map(|code| (code & 0xff) << 8))
}

enum Event {
    Signal(Signal),
    /// Some child has ended, or several.
    Children,
    EndTree,
    Leave,
}

/// All that a supervisor waits for.
struct Watch {
    host: Descriptor,
    socket: Watched,
    children: Caught,
    passed_on: Vec<(Signal, Caught)>,
}

impl Watch {
    /// From here on every orphan comes to this process.
    fn over(host: Pid, socket: &UnixStream) -> io::Result<Self> {
        set_child_subreaper(Some(getpid()))?;
        let descriptor = pidfd_open(host, PidfdFlags::empty())?;
        // Asked with the descriptor open, so it is not that of a later process.
        if getppid() != Some(host) {
            return Err(Errno::SRCH.into());
        }
        socket.set_nonblocking(true)?;
        let passed_on = PASSED_ON.map(|(number, kind)| Ok((number, signal(kind())?)));
        Ok(Self {
            host: Descriptor::over(descriptor)?,
            socket: Watched::from_std(socket.try_clone()?)?,
            children: signal(SignalKind::child())?,
            passed_on: passed_on.into_iter().collect::<io::Result<_>>()?,
        })
    }

    async fn next(&mut self) -> Event {
        tokio::select! {
            biased;
            _ = self.host.readable() => Event::EndTree,
            request = next_request(&self.socket) => match request {
                Some(Request::AskToEnd(request)) => Event::Signal(signal_of(request)),
                Some(Request::Kill) => Event::Signal(Signal::KILL),
                Some(Request::Leave) => Event::Leave,
                Some(Request::EndTree) | None => Event::EndTree,
            },
            signal = next_signal(&mut self.passed_on) => Event::Signal(signal),
            _ = self.children.recv() => Event::Children,
        }
    }
}

/// `None` at the end of the socket.
async fn next_request(socket: &Watched) -> Option<Request> {
    loop {
        socket.readable().await.ok()?;
        let mut byte = [0];
        match socket.try_read(&mut byte) {
            Ok(1) => return Request::of(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            _ => return None,
        }
    }
}

async fn next_signal(caught: &mut [(Signal, Caught)]) -> Signal {
    poll_fn(|context| {
        for (number, caught) in &mut *caught {
            if caught.poll_recv(context).is_ready() {
                return Poll::Ready(*number);
            }
        }
        Poll::Pending
    })
    .await
}
