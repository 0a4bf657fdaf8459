//! The boundary that hosts, recorders, players and process runners share.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use super::{
    EffectiveEnvironment, EndRequest, Failure, Frame, InputUnit, Launch, PlaybackControl,
    PlaybackUnavailable, Stdio, UnitError,
};
use crate::schema::ProviderId;

/// Starts processes, or what stands for them.
#[async_trait]
pub trait ProcessTransport: Send + Sync {
    /// Starts one process. It outlives this call and whoever made it.
    ///
    /// # Errors
    /// See [`StartError`]. Nothing runs and nothing is used up then.
    async fn start(&self, launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError>;

    /// Ends what the transport itself keeps: what it records is completed or given up,
    /// what it plays is checked. Its connections are closed by then. One that keeps
    /// nothing is fine with it.
    ///
    /// # Errors
    /// What is missing or was lost.
    async fn finalize(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// The controls of the playback.
    ///
    /// # Errors
    /// The transport does not play what was recorded.
    fn playback(&self) -> Result<Arc<dyn PlaybackControl>, PlaybackUnavailable> {
        Err(PlaybackUnavailable)
    }
}

/// One running process: its input, its output, its end.
///
/// All methods take `&self`, so that one task may send while another receives.
/// Dropping the last handle ends the process at once.
#[async_trait]
pub trait ProcessConnection: Send + Sync {
    /// Hands `bytes` to the process's standard input, whole or not at all.
    /// Concurrent sends never interleave.
    ///
    /// # Errors
    /// See [`SendError`].
    ///
    /// # Cancel safety
    /// A cancelled send that had begun is completed in the background, or breaks the
    /// connection; it never leaves half of `bytes` and goes on. One that still waited
    /// for others is not sent at all, and which of the two it was nobody is told: a
    /// host that wants a time limit keeps the send in a task of its own and gives up
    /// waiting for that.
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError>;

    /// The same for bytes that the caller needs no more: where they have to wait for the
    /// process, they are not copied.
    ///
    /// # Errors
    /// See [`SendError`].
    ///
    /// # Cancel safety
    /// As of [`send`](Self::send).
    async fn send_owned(&self, bytes: Vec<u8>) -> Result<(), SendError> {
        self.send(&bytes).await
    }

    /// The next frame, or `None` after the last one. One at a time: of calls that run at
    /// once each gets a frame, in no order that a recorder or host could rely on.
    ///
    /// # Errors
    /// See [`RecvError`].
    ///
    /// # Cancel safety
    /// No frame is lost when the call is cancelled.
    async fn recv(&self) -> Result<Option<Frame>, RecvError>;

    /// Ends the process's standard input. Doing so again is fine.
    ///
    /// # Errors
    /// See [`ControlError`].
    async fn close_input(&self) -> Result<(), ControlError>;

    /// Asks the process to end (SIGTERM, where there are signals).
    ///
    /// # Errors
    /// See [`ControlError`].
    async fn terminate(&self) -> Result<(), ControlError>;

    /// Asks the process to end in this way. A connection that knows one way only, as
    /// those without a process do, terminates; one around another passes it on.
    ///
    /// # Errors
    /// See [`ControlError`].
    async fn ask_to_end(&self, _request: EndRequest) -> Result<(), ControlError> {
        self.terminate().await
    }

    /// Ends the process and its group (SIGKILL, where there are signals).
    ///
    /// # Errors
    /// See [`ControlError`].
    async fn kill(&self) -> Result<(), ControlError>;

    /// Ends the process step by step: input, terminate, kill. Idempotent; after
    /// a failure it may be called again and runs every step again.
    ///
    /// # Errors
    /// See [`ControlError`].
    async fn close(&self) -> Result<(), ControlError>;

    /// Says that the host has handled a message, for checkpoints. Transports
    /// without checkpoints accept it.
    ///
    /// # Errors
    /// See [`UnitError`].
    async fn complete_input_unit(&self, _unit: InputUnit) -> Result<(), UnitError> {
        Ok(())
    }

    /// The environment the process really got, where one was made.
    fn effective_environment(&self) -> Option<&EffectiveEnvironment> {
        None
    }
}

impl dyn ProcessConnection {
    /// The connection as byte streams, for clients that speak over
    /// `AsyncRead` and `AsyncWrite`.
    #[must_use]
    pub fn into_stdio(self: Arc<Self>) -> Stdio {
        Stdio::over(self)
    }
}

/// A process was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no command.
    #[error("launch has no command")]
    NoCommand,
    /// The launch names files with secrets to inherit, which this transport
    /// does not do.
    #[error("launch names {count} sensitive files to inherit, which this transport refuses")]
    SensitiveFiles {
        /// How many.
        count: usize,
    },
    /// The launch names an executable identity, which this transport cannot
    /// verify.
    #[error("launch names an executable identity, which this transport cannot verify")]
    VerificationUnsupported,
    /// The executable is not the one that the launch names, or cannot be held to it.
    #[error("cannot verify the executable of `{command}`")]
    NotVerified {
        /// The command, without its arguments.
        command: String,
        /// Why not.
        source: Failure,
    },
    /// The launch names an executable identity, and sets a variable that would have the
    /// executable load other code.
    #[error("`{name}` cannot be set for a verified executable")]
    RefusedVariable {
        /// The name of the launch's override.
        name: String,
    },
    /// The launch says nothing of the conversation it serves.
    #[error("launch has no session context")]
    NoSession,
    /// No descriptor for this provider.
    #[error("provider `{provider}` is not registered")]
    UnknownProvider {
        /// The provider as spelled.
        provider: ProviderId,
    },
    /// There is no such command, or it may not be executed.
    #[error("command `{command}` not found{}", in_directories(searched))]
    CommandNotFound {
        /// The command, without its arguments.
        command: String,
        /// Where it was searched for; nowhere, if it names its place itself.
        searched: Vec<PathBuf>,
    },
    /// The working directory is not there, or is no directory.
    #[error("working directory `{}` not found", directory.display())]
    DirectoryNotFound {
        /// The directory of the launch.
        directory: PathBuf,
    },
    /// No process can be given a variable of this name.
    #[error("`{name}` is no name of a variable")]
    InvalidVariable {
        /// The name of the launch's override.
        name: String,
    },
    /// The operating system refused.
    #[error("cannot start `{command}`")]
    Spawn {
        /// The command, without its arguments.
        command: String,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// A layer refused it.
    #[error("launch refused")]
    Refused(#[source] Failure),
}

fn in_directories(searched: &[PathBuf]) -> String {
    match searched.len() {
        0 => String::new(),
        1 => " in 1 directory".to_owned(),
        count => format!(" in {count} directories"),
    }
}

/// Bytes were not handed to the process.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The connection or its input is closed, or the process has ended.
    #[error("input of the process is closed")]
    Closed,
    /// Writing failed; the connection is broken.
    #[error("cannot write to the process")]
    Write(#[source] io::Error),
    /// A layer refused the bytes for good.
    #[error("the connection failed")]
    Failed(#[source] Failure),
}

/// No frame could be received.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecvError {
    /// Reading failed.
    #[error("cannot read from the process")]
    Read(#[source] io::Error),
    /// A layer refused the frame for good.
    #[error("the connection failed")]
    Failed(#[source] Failure),
}

/// A process could not be told to end, or did not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// It was told by every means and still runs.
    #[error("process did not exit")]
    DidNotExit,
    /// The operating system refused.
    #[error("cannot {action} the process")]
    Signal {
        /// What was tried: `interrupt`, `terminate`, `kill`, `close the input of` …
        action: &'static str,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// A layer found something wrong at the end.
    #[error("the connection failed")]
    Failed(#[source] Failure),
}
