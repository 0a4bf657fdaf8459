//! The input of a process: sends in line, each written whole or followed by none.
//!
//! A send writes as much as the pipe takes at once, which for small messages is
//! all of it. A task writes the rest, so that it makes no difference what becomes
//! of the caller meanwhile.

use std::borrow::Cow;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use cassette_format::process::SendError;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::process::ChildStdin;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::process::Process;

/// The hosts' end of the input; `W` is the pipe.
#[derive(Debug)]
pub(crate) struct Input<W = ChildStdin> {
    /// One permit: whoever holds it may write. First come, first served. Closed as
    /// soon as there is no input any more.
    turn: Arc<Semaphore>,
    /// `None` while a task writes, and for good once the input has ended.
    pipe: Mutex<Option<W>>,
    process: Arc<Process>,
    runtime: Handle,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Input<W> {
    pub(crate) fn new(pipe: W, process: &Arc<Process>, runtime: &Handle) -> Arc<Self> {
        Arc::new(Self {
            turn: Arc::new(Semaphore::new(1)),
            pipe: Mutex::new(Some(pipe)),
            process: Arc::clone(process),
            runtime: runtime.clone(),
        })
    }

    /// Writes `bytes`, after those sent before.
    ///
    /// # Cancel safety
    /// A cancelled send was either not begun or is completed by a task.
    pub(crate) async fn send(self: &Arc<Self>, bytes: Cow<'_, [u8]>) -> Result<(), SendError> {
        let turn = Arc::clone(&self.turn).acquire_owned().await;
        let turn = turn.map_err(|_| SendError::Closed)?;
        let written = match self.write_at_once(&bytes).await {
            Ok(written) if written == bytes.len() => return Ok(()),
            Ok(written) => written,
            Err(error) => return Err(self.give_up(error)),
        };
        let pipe = self.lock().take().ok_or(SendError::Closed)?;
        let (rest, written) = match bytes {
            Cow::Borrowed(bytes) => (bytes[written..].to_vec(), 0),
            Cow::Owned(bytes) => (bytes, written),
        };
        let finish = Arc::clone(self).finish(turn, pipe, (rest, written));
        // It fails with the runtime alone, and the pipe is gone then.
        let sent = self.runtime.spawn(finish).await;
        sent.unwrap_or(Err(SendError::Closed))
    }

    /// Ends the input after what was sent before.
    ///
    /// # Cancel safety
    /// Once begun it is completed by a task.
    pub(crate) async fn end(self: &Arc<Self>) {
        if let Ok(_turn) = self.turn.try_acquire() {
            return self.end_now();
        }
        let input = Arc::clone(self);
        let end = async move {
            // An error means that it has ended already.
            if let Ok(_turn) = input.turn.acquire().await {
                input.end_now();
            }
        };
        if self.runtime.spawn(end).await.is_err() {
            // The runtime is gone, and whatever was sent before with it.
            self.end_now();
        }
    }

    /// Ends the input after the send that is being written; those in line are
    /// refused.
    pub(crate) fn end_now(&self) {
        self.turn.close();
        drop(self.lock().take());
    }

    /// How many of the bytes the pipe takes without waiting.
    async fn write_at_once(&self, bytes: &[u8]) -> io::Result<usize> {
        poll_fn(|cx| {
            let mut pipe = self.lock();
            let Some(pipe) = pipe.as_mut() else {
                return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
            };
            let mut written = 0;
            while written < bytes.len() {
                match Pin::new(&mut *pipe).poll_write(cx, &bytes[written..]) {
                    Poll::Ready(Ok(0)) => {
                        return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                    }
                    Poll::Ready(Ok(count)) => written += count,
                    Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => break,
                }
            }
            Poll::Ready(Ok(written))
        })
        .await
    }

    /// Writes the bytes of a send that were not written yet. Cut off in the middle by the exit alone, and then
    /// for good.
    async fn finish(
        self: Arc<Self>,
        turn: OwnedSemaphorePermit,
        mut pipe: W,
        (bytes, before): (Vec<u8>, usize),
    ) -> Result<(), SendError> {
        let written = tokio::select! {
            biased;
            () = self.process.exited() => Err(io::ErrorKind::BrokenPipe.into()),
            written = pipe.write_all(&bytes[before..]) => written,
        };
        let sent = match written {
            Ok(()) => {
                self.put_back(pipe);
                Ok(())
            }
            Err(error) => {
                drop(pipe);
                Err(self.give_up(error))
            }
        };
        drop(turn);
        sent
    }

    fn put_back(&self, pipe: W) {
        let mut place = self.lock();
        // Under the lock that `end_now` takes after closing: one of the two drops it.
        if !self.turn.is_closed() {
            *place = Some(pipe);
        }
    }

    /// No further send. A process that closed its input or has ended is no failure
    /// of writing.
    fn give_up(&self, error: io::Error) -> SendError {
        self.end_now();
        match error.kind() {
            io::ErrorKind::BrokenPipe => SendError::Closed,
            _ => SendError::Write(error),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<W>> {
        self.pipe.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
