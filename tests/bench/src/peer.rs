//! An agent that runs, and the ways to talk to it: plain `tokio::process`, and ours.

use std::process::Stdio as Pipe;

use anyhow::{Context as _, ensure};
use cassette_format::process::{FrameEvent, LaunchSpec, ProcessConnection as _, Stdio};
use process_local::{LocalConnection, LocalOptions, Supervisor, spawn};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::sys;

/// A way to talk to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// The pipes that tokio gives.
    Plain,
    /// Frames.
    Frames,
    /// Frames, and a supervisor ends what the agent leaves.
    Supervised,
    /// Streams, made of frames.
    Streams,
}

/// An agent that runs.
#[derive(Debug)]
pub(crate) struct Peer {
    link: Link,
    process: u32,
    buffer: Vec<u8>,
}

#[derive(Debug)]
enum Link {
    Plain(Child, ChildStdin, ChildStdout),
    Frames(LocalConnection),
    Streams(Stdio),
}

impl Way {
    /// How the table calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Frames => "frames",
            Self::Supervised => "supervised",
            Self::Streams => "into_stdio",
        }
    }
}

impl Peer {
    /// Starts this program as an agent.
    pub(crate) fn start(way: Way, role: &[&str]) -> anyhow::Result<Self> {
        let this = std::env::current_exe()?;
        if way == Way::Plain {
            return Self::plain(Command::new(this).arg("agent").args(role));
        }
        let supervisor = match way {
            Way::Supervised => Supervisor::SelfExe,
            _ => Supervisor::None,
        };
        let mut argv = vec![this.into_os_string(), "agent".into()];
        argv.extend(role.iter().map(Into::into));
        let options = LocalOptions {
            supervisor,
            ..LocalOptions::default()
        };
        let connection = spawn(LaunchSpec::new(argv), options)?;
        let process = connection.process_id();
        let link = match way {
            Way::Streams => Link::Streams(connection.into_stdio()),
            _ => Link::Frames(connection),
        };
        Ok(Self::of(link, process))
    }

    fn plain(command: &mut Command) -> anyhow::Result<Self> {
        let mut child = command
            .stdin(Pipe::piped())
            .stdout(Pipe::piped())
            .stderr(Pipe::piped())
            .kill_on_drop(true)
            .spawn()?;
        let process = child.id().context("the agent has ended")?;
        let input = child.stdin.take().context("no pipe")?;
        let output = child.stdout.take().context("no pipe")?;
        Ok(Self::of(Link::Plain(child, input, output), process))
    }

    fn of(link: Link, process: u32) -> Self {
        Self {
            link,
            process,
            buffer: vec![0; 64 * 1024],
        }
    }

    /// Processor seconds of the agent so far.
    pub(crate) fn cpu_seconds(&self) -> Option<f64> {
        sys::cpu_seconds_of(self.process)
    }

    /// Sends a message, and waits for as many bytes.
    pub(crate) async fn round_trip(&mut self, message: &[u8]) -> anyhow::Result<()> {
        match &mut self.link {
            Link::Plain(_, input, _) => input.write_all(message).await?,
            Link::Frames(connection) => connection.send(message).await?,
            Link::Streams(stdio) => {
                stdio.write_all(message).await?;
                stdio.flush().await?;
            }
        }
        self.receive(message.len()).await
    }

    /// Receives so many bytes.
    pub(crate) async fn receive(&mut self, bytes: usize) -> anyhow::Result<()> {
        let mut got = 0;
        while got < bytes {
            let count = match &mut self.link {
                Link::Plain(_, _, output) => output.read(&mut self.buffer).await?,
                Link::Streams(stdio) => stdio.read(&mut self.buffer).await?,
                Link::Frames(connection) => match connection.recv().await? {
                    Some(frame) => match frame.event {
                        FrameEvent::Stdout(bytes) => bytes.len(),
                        _ => 0,
                    },
                    None => 0,
                },
            };
            ensure!(count > 0, "the agent has ended");
            got += count;
        }
        Ok(())
    }

    /// Waits for the agent's exit.
    pub(crate) async fn exit(self) -> anyhow::Result<()> {
        match self.link {
            Link::Plain(mut child, ..) => {
                child.wait().await?;
            }
            Link::Frames(connection) => {
                connection.wait().await;
            }
            Link::Streams(stdio) => drop(stdio),
        }
        Ok(())
    }
}
