//! The host's handle of a running process.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use cassette_format::process::{
    ControlError, EffectiveEnvironment, EndRequest, Frame, ProcessConnection, RecvError, SendError,
    Stdio,
};

use crate::close::{CloseReport, TreeEnd, close};
use crate::diagnostics;
use crate::exit::ExitReport;
use crate::input::Input;
use crate::process::{Process, Stage};
use crate::verified::Method;

/// A running process. Dropping it kills the process and its group at once.
///
/// A send waits as long as the process does not read; a process that waits for
/// the host to receive does not. So a host that only sends comes to a standstill
/// once [`LocalOptions::queue_limit`](crate::LocalOptions::queue_limit) bytes of
/// output are unreceived: receive in another task, or at the same time.
#[derive(Debug)]
pub struct LocalConnection {
    process: Arc<Process>,
    input: Arc<Input>,
    environment: EffectiveEnvironment,
    method: Option<Method>,
    /// Held while closing: concurrent calls queue up.
    closing: tokio::sync::Mutex<()>,
    report: Mutex<Option<CloseReport>>,
}

impl LocalConnection {
    pub(crate) fn new(
        process: Arc<Process>,
        input: Arc<Input>,
        environment: EffectiveEnvironment,
    ) -> Self {
        Self {
            process,
            input,
            environment,
            method: None,
            closing: tokio::sync::Mutex::default(),
            report: Mutex::default(),
        }
    }

    /// Says how its executable was held.
    pub(crate) const fn with_method(mut self, method: Option<Method>) -> Self {
        self.method = method;
        self
    }

    /// How the verified bytes of its executable were held; `None` if none were asked for.
    #[must_use]
    pub const fn executable_method(&self) -> Option<Method> {
        self.method
    }

    /// The number of the process, which is that of its group too. It may name
    /// another process once the exit frame was received.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.leader.id()
    }

    /// Which descendants are ended with the process: until its exit frame can be received
    /// what is promised, then what came of it.
    #[must_use]
    pub fn tree(&self) -> TreeEnd {
        self.process.tree()
    }

    /// What the first `close` that found or made the process ended did, or the
    /// last one so far that did not; `None` before that.
    #[must_use]
    pub fn close_report(&self) -> Option<CloseReport> {
        self.report
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Waits until the process has ended and its exit frame can be received, and says
    /// how it ended. Receives nothing: while nobody does, a process that has more to say
    /// than [`LocalOptions::queue_limit`](crate::LocalOptions::queue_limit) does not end.
    ///
    /// # Cancel safety
    /// May be called again.
    pub async fn wait(&self) -> ExitReport {
        self.process.finished().await
    }

    /// The connection as byte streams, for clients that speak over `AsyncRead` and
    /// `AsyncWrite`. A host that wants reports as well shares the connection and uses
    /// [`Stdio::over`]; the process ends when the last share is dropped.
    ///
    /// ```
    /// use process_local::{LaunchSpec, LocalOptions, spawn};
    /// use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cat = spawn(LaunchSpec::new(["cat"]), LocalOptions::default())?;
    /// let (stdout, mut stdin, _stderr, exit) = cat.into_stdio().into_parts();
    /// let mut lines = BufReader::new(stdout).lines();
    ///
    /// stdin.write_all(b"one\ntwo\n").await?;
    /// stdin.shutdown().await?;
    /// while let Some(line) = lines.next_line().await? {
    ///     println!("{line}");
    /// }
    /// assert_eq!(exit.wait().await?.code.map(|code| code.get()), Some(0));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn into_stdio(self) -> Stdio {
        Stdio::over(Arc::new(self))
    }

    /// How the process and its output ended; `None` until its exit frame can be
    /// received.
    #[must_use]
    pub fn exit_report(&self) -> Option<ExitReport> {
        self.process.report()
    }

    fn keep_report(&self, report: CloseReport) {
        let mut kept = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_none_or(|kept| kept.output.is_none()) {
            *kept = Some(report);
        }
    }
}

#[async_trait]
impl ProcessConnection for LocalConnection {
    /// A process that has closed its input gives [`SendError::Closed`] too.
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        if self.process.stage() != Stage::Running {
            return Err(SendError::Closed);
        }
        self.input.send(Cow::Borrowed(bytes)).await
    }

    async fn send_owned(&self, bytes: Vec<u8>) -> Result<(), SendError> {
        if self.process.stage() != Stage::Running {
            return Err(SendError::Closed);
        }
        self.input.send(Cow::Owned(bytes)).await
    }

    /// Chunks are as they were read, whatever the lines: a [`Framer`](cassette_format::json::Framer) makes messages of
    /// them, or [`into_stdio`](LocalConnection::into_stdio) with a buffered reader.
    ///
    /// A stream that could not be read gives one error; frames of the other, and
    /// the exit frame, come after it.
    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        self.process.queue.recv().await.map_err(RecvError::Read)
    }

    /// Waits until what was sent before is written, so as long as the process does
    /// not read. Once begun it is completed even when it is cancelled.
    async fn close_input(&self) -> Result<(), ControlError> {
        self.input.end().await;
        Ok(())
    }

    /// Asks the whole group to end, where there are signals by SIGTERM.
    async fn terminate(&self) -> Result<(), ControlError> {
        self.ask_to_end(EndRequest::Terminate).await
    }

    /// Asks the whole group to end; where there are no signals, ends it.
    async fn ask_to_end(&self, request: EndRequest) -> Result<(), ControlError> {
        self.process
            .leader
            .ask_to_end(request)
            .map_err(|source| ControlError::Signal {
                action: verb(request),
                source,
            })
    }

    /// Does not wait for the exit.
    async fn kill(&self) -> Result<(), ControlError> {
        self.process
            .leader
            .kill()
            .map_err(|source| ControlError::Signal {
                action: "kill",
                source,
            })
    }

    /// Done once the exit frame is queued; waits for nobody to receive it.
    ///
    /// Cancelled, it leaves the process running as far as it had come, and unread output
    /// is waited for again; a further call runs every step again.
    async fn close(&self) -> Result<(), ControlError> {
        let _turn = self.closing.lock().await;
        let (report, result) = close(&self.process, &self.input).await;
        diagnostics::closed(self.process_id(), &report);
        self.keep_report(report);
        result
    }

    fn effective_environment(&self) -> Option<&EffectiveEnvironment> {
        Some(&self.environment)
    }
}

impl Drop for LocalConnection {
    fn drop(&mut self) {
        self.process.abandon();
        self.input.end_now();
    }
}

const fn verb(request: EndRequest) -> &'static str {
    match request {
        EndRequest::Interrupt => "interrupt",
        EndRequest::Terminate => "terminate",
        EndRequest::HangUp => "hang up",
        EndRequest::Quit => "quit",
    }
}
