//! The parts of a connection that clients hold.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::pump::{Pump, Stream};
use crate::process::{ExitCode, ProcessConnection};

/// A connection as byte streams. Reads are the process's standard output,
/// writes its standard input; [`Stdio::into_parts`] gives standard error and
/// the exit too.
///
/// Writes are taken whole and pass on in order. As with any buffered stream,
/// `flush` waits until they are through; reading moves them along as well.
/// At most 1 MiB of unread output is received ahead. Unread standard error never
/// holds up the rest: of more than 1 MiB the oldest is dropped and counted.
/// Dropping the writer ends the input; dropping all parts ends the process.
///
/// Nothing is received but while a part is polled. What a host does not wait for before
/// it closes the connection or drops all parts, be it output or the exit, it need not
/// hear: a recording may lack it, and a player fails a close that leaves output behind.
#[derive(Debug)]
pub struct Stdio {
    reader: StdioReader,
    writer: StdioWriter,
    stderr: StdioStderr,
    exit: StdioExit,
}

/// How a process ended, as seen over its streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitStatus {
    /// The exit code; `None` when the output ended without one.
    pub code: Option<ExitCode>,
    /// A diagnostic of the transport.
    pub message: Option<String>,
}

/// Standard output of a process.
#[derive(Debug)]
pub struct StdioReader {
    pump: Arc<Pump>,
}

/// Standard input of a process.
#[derive(Debug)]
pub struct StdioWriter {
    pump: Arc<Pump>,
}

/// Standard error of a process.
#[derive(Debug)]
pub struct StdioStderr {
    pump: Arc<Pump>,
}

/// The end of a process.
#[derive(Debug, Clone)]
pub struct StdioExit {
    pump: Arc<Pump>,
}

impl Stdio {
    /// The streams of `connection`. Nothing else should receive from it.
    pub fn over(connection: Arc<dyn ProcessConnection>) -> Self {
        let pump = Arc::new(Pump::new(connection));
        Self {
            reader: StdioReader {
                pump: Arc::clone(&pump),
            },
            writer: StdioWriter {
                pump: Arc::clone(&pump),
            },
            stderr: StdioStderr {
                pump: Arc::clone(&pump),
            },
            exit: StdioExit { pump },
        }
    }

    /// The connection below, for signals and closing.
    #[must_use]
    pub fn connection(&self) -> &Arc<dyn ProcessConnection> {
        self.reader.pump.connection()
    }

    /// Standard output, standard input, standard error and the exit, to be
    /// polled by whoever likes. A part that is not wanted is dropped.
    #[must_use]
    pub fn into_parts(self) -> (StdioReader, StdioWriter, StdioStderr, StdioExit) {
        (self.reader, self.writer, self.stderr, self.exit)
    }
}

impl StdioStderr {
    /// Bytes that were dropped because nobody read them in time.
    #[must_use]
    pub fn dropped_bytes(&self) -> u64 {
        self.pump.lock().stderr.dropped
    }
}

impl StdioExit {
    /// Waits for the end of the process. Its output must be read, or its reader
    /// dropped, or the end may be out of reach.
    ///
    /// # Errors
    /// The failure that ended the output, as an [`io::Error`] that holds the
    /// connection's [`Failure`](crate::process::Failure).
    ///
    /// # Cancel safety
    /// May be called again.
    pub async fn wait(&self) -> io::Result<ExitStatus> {
        std::future::poll_fn(|cx| self.pump.poll_exit(cx)).await
    }
}

impl AsyncRead for StdioReader {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.pump.poll_read(cx, into, Stream::Stdout)
    }
}

impl AsyncRead for StdioStderr {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.pump.poll_read(cx, into, Stream::Stderr)
    }
}

impl AsyncWrite for StdioWriter {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.pump.poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.pump.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.pump.poll_end_input(cx)
    }
}

impl AsyncRead for Stdio {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.reader).poll_read(cx, into)
    }
}

impl AsyncWrite for Stdio {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.writer).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }
}

impl Drop for StdioReader {
    fn drop(&mut self) {
        self.pump.abandon_output(Stream::Stdout);
    }
}

impl Drop for StdioStderr {
    fn drop(&mut self) {
        self.pump.abandon_output(Stream::Stderr);
    }
}

impl Drop for StdioWriter {
    fn drop(&mut self) {
        self.pump.abandon_input();
    }
}
