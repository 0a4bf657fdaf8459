//! This process's own standard streams, as the other side of a connection.

use std::io::Read;
use std::sync::Arc;

use cassette_format::process::{Frame, FrameEvent, ProcessConnection, RecvError, SendError};
use tokio::io::{AsyncWriteExt, Stderr, Stdout};
use tokio::sync::mpsc;

/// What was read from standard input, piece by piece; ends with the input.
///
/// A thread of its own reads: it ends with the process, whatever it waits for.
pub(crate) fn input() -> mpsc::Receiver<Vec<u8>> {
    let (hand_over, handed) = mpsc::channel(4);
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match stdin.read(&mut buffer) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return,
                Ok(count) => {
                    if hand_over.blocking_send(buffer[..count].to_vec()).is_err() {
                        return;
                    }
                }
            }
        }
    });
    handed
}

/// Passes everything that is read on to `connection`, then ends its input. What
/// it refuses mostly shows on the other side too: as its exit, or as a failed `recv`.
pub(crate) async fn pass_input(connection: Arc<dyn ProcessConnection>) -> Result<(), SendError> {
    let mut input = input();
    while let Some(bytes) = input.recv().await {
        connection.send(&bytes).await?;
    }
    let _already_ended = connection.close_input().await;
    Ok(())
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
    stdout: Stdout,
    stderr: Stderr,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self {
            stdout: tokio::io::stdout(),
            stderr: tokio::io::stderr(),
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
            FrameEvent::Stdout(bytes) => write(&mut self.stdout, bytes).await,
            FrameEvent::Stderr(bytes) => write(&mut self.stderr, bytes).await,
            _ => Ok(()),
        };
        passed.map_err(PassError::Write)
    }
}

async fn write(
    stream: &mut (impl tokio::io::AsyncWrite + Unpin),
    bytes: &[u8],
) -> std::io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await
}
