//! Unix: outputs that are written without keeping anything else waiting.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;

use rustix::net::{SendFlags, send};
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe;

/// An output of this process that mostly needs no thread of its own to be written.
///
/// Whether writing waits is a property that is shared with whoever has the same output, so it
/// is left as it is.
pub(crate) enum Unhurried {
    /// Opened anew.
    Pipe(pipe::Sender),
    Socket(OwnedFd),
}

impl Unhurried {
    /// Standard output, if it can be written so. To be called on a runtime.
    pub(crate) fn stdout() -> Option<Self> {
        Self::over(io::stdout().as_fd(), "/proc/self/fd/1")
    }

    /// Standard error, if it can be written so. To be called on a runtime.
    pub(crate) fn stderr() -> Option<Self> {
        Self::over(io::stderr().as_fd(), "/proc/self/fd/2")
    }

    fn over(output: BorrowedFd<'_>, path: &str) -> Option<Self> {
        let output = File::from(output.try_clone_to_owned().ok()?);
        let kind = output.metadata().ok()?.file_type();
        if kind.is_fifo() {
            // There may be no such path, and it may be another user's pipe.
            let pipe = pipe::OpenOptions::new().open_sender(path);
            return pipe.ok().map(Self::Pipe);
        }
        kind.is_socket().then(|| Self::Socket(output.into()))
    }

    /// Writes `bytes`, and gives how many; the rest would keep the thread waiting.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Pipe(pipe) => pipe.write_all(bytes).await.map(|()| bytes.len()),
            Self::Socket(socket) => send_at_once(socket, bytes),
        }
    }
}

fn send_at_once(socket: &OwnedFd, bytes: &[u8]) -> io::Result<usize> {
    let mut sent = 0;
    while sent < bytes.len() {
        match send(socket, &bytes[sent..], SendFlags::DONTWAIT).map_err(io::Error::from) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(sent)
}
