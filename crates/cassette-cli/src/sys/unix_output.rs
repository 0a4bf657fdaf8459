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

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::net::UnixStream;

    use rustix::fs::{OFlags, fcntl_getfl};

    use super::*;

    /// More than a pipe or a socket takes at once.
    const MUCH: &[u8] = &[b'x'; 4_000_000];

    fn waits(output: impl AsFd) -> bool {
        !fcntl_getfl(output).unwrap().contains(OFlags::NONBLOCK)
    }

    #[tokio::test]
    async fn a_full_pipe_keeps_its_writer_waiting_and_nothing_else() {
        let (mut reader, writer) = io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", writer.as_raw_fd());
        let mut output = Unhurried::over(writer.as_fd(), &path).unwrap();
        assert!(waits(&writer));
        drop(writer);
        let written = tokio::spawn(async move { output.write(MUCH).await });

        // Runs although the pipe is full.
        tokio::task::yield_now().await;
        assert!(!written.is_finished());

        let read = std::thread::spawn(move || {
            let mut read = Vec::new();
            reader.read_to_end(&mut read).map(|_| read)
        });
        assert_eq!(written.await.unwrap().unwrap(), MUCH.len());
        assert!(read.join().unwrap().unwrap() == MUCH);
    }

    #[tokio::test]
    async fn a_full_socket_leaves_the_rest() {
        let (mut reader, writer) = UnixStream::pair().unwrap();
        let mut output = Unhurried::over(writer.as_fd(), "").unwrap();
        let written = output.write(MUCH).await.unwrap();
        assert!((1..MUCH.len()).contains(&written));
        assert_eq!(output.write(MUCH).await.unwrap(), 0);
        assert!(waits(&writer));
        drop((output, writer));
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        assert_eq!(read.len(), written);
    }

    #[tokio::test]
    async fn a_file_is_left_to_a_thread() {
        let file = tempfile::tempfile().unwrap();
        assert!(Unhurried::over(file.as_fd(), "").is_none());
    }
}
