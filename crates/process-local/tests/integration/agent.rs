//! Starting the fake agent, hearing what it says, watching who lives.

use std::os::fd::OwnedFd;
use std::time::Duration;

use cassette_format::process::{ExitCode, Frame, FrameEvent, LaunchSpec, ProcessConnection};
use process_local::{LocalConnection, LocalOptions, spawn};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal, test_kill_process};

/// Longer than anything here takes; only a hang reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// The launch of the fake agent with these arguments, split at spaces.
pub(crate) fn spec(arguments: &str) -> LaunchSpec {
    LaunchSpec::new(
        [env!("CARGO_BIN_EXE_fake-agent")]
            .into_iter()
            .chain(arguments.split(' ')),
    )
}

/// As the options are by default, but for the supervisor that this binary is about.
pub(crate) fn options() -> LocalOptions {
    LocalOptions {
        supervisor: crate::supervisor(),
        ..LocalOptions::default()
    }
}

/// A running fake agent with these arguments, split at spaces.
pub(crate) fn start(arguments: &str) -> LocalConnection {
    start_with(arguments, options())
}

pub(crate) fn start_with(arguments: &str, options: LocalOptions) -> LocalConnection {
    spawn(spec(arguments), options).unwrap()
}

/// Fails instead of hanging.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("it hangs")
}

/// All that a process says, up to its end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Every exit frame, and every frame after the first one.
    pub(crate) ends: Vec<Frame>,
}

pub(crate) async fn hear(connection: &dyn ProcessConnection) -> Heard {
    let mut heard = Heard::default();
    hear_more(connection, &mut heard).await;
    heard
}

/// Adds what the process says up to its end.
pub(crate) async fn hear_more(connection: &dyn ProcessConnection, heard: &mut Heard) {
    within(async {
        while let Some(frame) = connection.recv().await.unwrap() {
            match &frame.event {
                _ if !heard.ends.is_empty() => heard.ends.push(frame),
                FrameEvent::Stdout(bytes) => heard.stdout.extend_from_slice(bytes),
                FrameEvent::Stderr(bytes) => heard.stderr.extend_from_slice(bytes),
                _ => heard.ends.push(frame),
            }
        }
        assert_eq!(connection.recv().await.unwrap(), None);
    })
    .await;
}

/// Receives standard output up to a line end, which must be the last byte there is.
pub(crate) async fn hear_line(connection: &dyn ProcessConnection) -> String {
    within(async {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            match connection.recv().await.unwrap() {
                Some(Frame {
                    event: FrameEvent::Stdout(bytes),
                    ..
                }) => line.extend(bytes),
                other => panic!("a line was to come, not {other:?}"),
            }
        }
        String::from_utf8(line).unwrap().trim_end().to_owned()
    })
    .await
}

/// The end of a process with this code, all its output read.
pub(crate) fn exit(code: i64) -> Frame {
    Frame::exit(ExitCode::new(code))
}

/// The end by SIGKILL, all output read.
pub(crate) fn killed() -> Frame {
    Frame::exit(ExitCode::SIGNALED).with_message("signal: 9 (SIGKILL)")
}

/// The bytes that `burst` writes.
pub(crate) fn pattern(total: usize) -> Vec<u8> {
    (0..total).map(|at| at.to_le_bytes()[0]).collect()
}

/// A process that is watched from while it certainly lives, whoever reaps it.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) pid: Pid,
    descriptor: OwnedFd,
}

impl Watched {
    pub(crate) fn new(id: u32) -> Self {
        Self::try_new(id).unwrap()
    }

    /// `None` if there is no such process any more.
    pub(crate) fn try_new(id: u32) -> Option<Self> {
        let pid = Pid::from_raw(id.try_into().unwrap()).unwrap();
        let descriptor = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        Some(Self { pid, descriptor })
    }

    pub(crate) fn kill(&self) {
        pidfd_send_signal(&self.descriptor, Signal::KILL).unwrap();
        self.await_end();
    }

    /// Waits until the kernel says this of it: `T` for stopped.
    pub(crate) async fn await_state(&self, state: char) {
        let stat = format!("/proc/{}/stat", self.pid.as_raw_nonzero());
        while !std::fs::read_to_string(&stat)
            .unwrap()
            .contains(&format!(") {state} "))
        {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// The process whose id the agent says next.
    pub(crate) async fn said_by(connection: &dyn ProcessConnection) -> Self {
        Self::new(hear_line(connection).await.parse().unwrap())
    }

    pub(crate) fn lives(&self) -> bool {
        !self.ends_within(Duration::ZERO)
    }

    /// Waits for its end, without a runtime.
    pub(crate) fn await_end(&self) {
        assert!(self.ends_within(PATIENCE), "{self:?} lives on");
    }

    pub(crate) fn ends_within(&self, patience: Duration) -> bool {
        let mut wanted = [PollFd::new(&self.descriptor, PollFlags::IN)];
        let patience = Timespec::try_from(patience).unwrap();
        poll(&mut wanted, Some(&patience)).unwrap() == 1
    }

    /// Whether nothing is left of it, not even a zombie.
    pub(crate) fn is_reaped(&self) -> bool {
        test_kill_process(self.pid).is_err()
    }

    /// Lets the runtime go on until nothing is left of it.
    pub(crate) async fn await_reaped(&self) {
        within(async {
            while !self.is_reaped() {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}
