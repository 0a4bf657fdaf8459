//! This process's own standard streams, as the other side of a connection.

use std::io::Read as _;
use std::sync::{Arc, Weak};

use cassette_format::process::{Frame, FrameEvent, ProcessConnection, RecvError, SendError};
use tokio::io::{AsyncWrite, AsyncWriteExt as _, Stderr, Stdout};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::sys::Unhurried;

/// Passes everything that is read on to `connection`, then ends its input, and tells how that
/// went. What it refuses mostly shows on the other side too: as its exit, or as a failed
/// `recv`. Once nobody wants to be told, nothing is passed on any more.
///
/// A thread of its own does it, and sends what it read without handing it to another: it
/// ends with the process, whatever it waits for. It does not keep the connection.
pub(crate) fn pass_input(
    connection: &Arc<dyn ProcessConnection>,
) -> oneshot::Receiver<Result<(), SendError>> {
    let (mut tell, told) = oneshot::channel();
    let (connection, runtime) = (Arc::downgrade(connection), Handle::current());
    std::thread::spawn(move || {
        if let Some(passed) = pass(&connection, &runtime, &mut tell) {
            // Nobody may want to know.
            tell.send(passed).ok();
        }
    });
    told
}

/// How passing input on has ended; `None` if it was not wanted to the end.
fn pass(
    connection: &Weak<dyn ProcessConnection>,
    runtime: &Handle,
    tell: &mut oneshot::Sender<Result<(), SendError>>,
) -> Option<Result<(), SendError>> {
    let mut stdin = std::io::stdin().lock();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = match stdin.read(&mut buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => 0,
            Ok(count) => count,
        };
        let connection = connection.upgrade()?;
        let bytes = &buffer[..count];
        let pass = async {
            if bytes.is_empty() {
                let _already_ended = connection.close_input().await;
                return Ok(());
            }
            connection.send(bytes).await
        };
        let sent = runtime.block_on(async {
            tokio::select! {
                biased;
                () = tell.closed() => None,
                sent = pass => Some(sent),
            }
        })?;
        if bytes.is_empty() || sent.is_err() {
            return Some(sent);
        }
    }
}

/// Frames were not passed on.
#[derive(Debug)]
pub(crate) enum PassError {
    /// The connection failed.
    Recv(RecvError),
    /// Whoever reads this process's output is gone, or it cannot be written.
    Write(std::io::Error),
}

/// This process's output, where frames go.
pub(crate) struct Output {
    stdout: OutputStream<Stdout>,
    stderr: OutputStream<Stderr>,
}

/// One of its streams.
struct OutputStream<T> {
    unhurried: Option<Unhurried>,
    /// Written by a thread of its own: a reader that keeps it waiting keeps nothing else.
    by_thread: T,
}

impl Output {
    /// To be made on a runtime.
    pub(crate) fn new() -> Self {
        Self {
            stdout: OutputStream {
                unhurried: Unhurried::stdout(),
                by_thread: tokio::io::stdout(),
            },
            stderr: OutputStream {
                unhurried: Unhurried::stderr(),
                by_thread: tokio::io::stderr(),
            },
        }
    }

    /// Passes frames on until the last one, which is given.
    pub(crate) async fn pass(
        &mut self,
        connection: &dyn ProcessConnection,
    ) -> Result<Option<Frame>, PassError> {
        while let Some(frame) = connection.recv().await.map_err(PassError::Recv)? {
            if matches!(frame.event, FrameEvent::Exit(_)) {
                return Ok(Some(frame));
            }
            self.pass_one(&frame).await?;
        }
        Ok(None)
    }

    /// Passes one frame on.
    pub(crate) async fn pass_one(&mut self, frame: &Frame) -> Result<(), PassError> {
        let passed = match &frame.event {
            FrameEvent::Stdout(bytes) => self.stdout.write(bytes).await,
            FrameEvent::Stderr(bytes) => self.stderr.write(bytes).await,
            _ => Ok(()),
        };
        passed.map_err(PassError::Write)
    }
}

impl<T: AsyncWrite + Unpin> OutputStream<T> {
    async fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let written = match &mut self.unhurried {
            Some(stream) => stream.write(bytes).await?,
            None => 0,
        };
        if written < bytes.len() {
            self.by_thread.write_all(&bytes[written..]).await?;
            self.by_thread.flush().await?;
        }
        Ok(())
    }
}
