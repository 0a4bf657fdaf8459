//! The pumps: one task for each output of a process, sole owner of its pipe.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::sync::watch;

use crate::process::Process;
use crate::queue::{Pushed, Stream};

/// Largest chunk that is read at once: what a pipe holds.
const CHUNK: usize = 64 * 1024;
/// Most that a pipe may hold where nobody has privileges.
const LARGEST_PIPE: usize = 1024 * 1024;

/// How much both pumps have read, and how many are still at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) open: usize,
    pub(crate) bytes: u64,
}

/// Whether a pump is to end before its pipe does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Pump,
    /// After what the pipe holds at this moment.
    FinishNow,
    /// At once.
    Stop,
}

/// What a pump is made of, but for its pipe.
#[derive(Debug)]
pub(crate) struct Pump {
    stream: Stream,
    process: Arc<Process>,
    progress: watch::Sender<Progress>,
    orders: watch::Receiver<Order>,
}

impl Pump {
    /// Counted as open from now on, until it is dropped.
    pub(crate) fn new(
        stream: Stream,
        process: &Arc<Process>,
        progress: &watch::Sender<Progress>,
        orders: &watch::Sender<Order>,
    ) -> Self {
        progress.send_modify(|progress| progress.open += 1);
        Self {
            stream,
            process: Arc::clone(process),
            progress: progress.clone(),
            orders: orders.subscribe(),
        }
    }

    /// Reads the pipe to its end, or until ordered otherwise.
    pub(crate) async fn run(mut self, mut pipe: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; CHUNK];
        loop {
            let read = tokio::select! {
                biased;
                changed = self.orders.wait_for(|order| *order != Order::Pump) => {
                    if changed.is_ok_and(|order| *order == Order::FinishNow) {
                        break;
                    }
                    return;
                }
                read = pipe.read(&mut buffer) => read,
            };
            if !self.pass_on(read, &buffer).await {
                return;
            }
        }
        let mut left = LARGEST_PIPE;
        while let Some(read) = read_without_waiting(&mut pipe, &mut buffer).await {
            left = left.saturating_sub(read.as_ref().map_or(0, |count| *count));
            if !self.pass_on(read, &buffer).await || left == 0 {
                return;
            }
        }
    }

    /// Says whether there may be more.
    async fn pass_on(&self, read: io::Result<usize>, buffer: &[u8]) -> bool {
        match read {
            Ok(0) => false,
            Ok(count) => {
                self.progress
                    .send_modify(|progress| progress.bytes += count as u64);
                self.process.queue.push(self.stream, &buffer[..count]).await == Pushed::Kept
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
            Err(error) => {
                self.process.queue.push_failure(error);
                false
            }
        }
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.progress.send_modify(|progress| progress.open -= 1);
    }
}

/// What the pipe holds at this moment; `None` if that is nothing.
async fn read_without_waiting(
    pipe: &mut (impl AsyncRead + Unpin),
    buffer: &mut [u8],
) -> Option<io::Result<usize>> {
    poll_fn(|cx| {
        let mut into = ReadBuf::new(buffer);
        Poll::Ready(match Pin::new(&mut *pipe).poll_read(cx, &mut into) {
            Poll::Ready(read) => Some(read.map(|()| into.filled().len())),
            Poll::Pending => None,
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use tokio::io::AsyncWriteExt as _;

    use super::*;
    use crate::exit::{Ended, OutputEnd};
    use crate::leader::Leader;
    use crate::options::LocalOptions;
    use crate::sys;

    /// What a pump passes on that finds its order and 100 000 bytes in an open pipe.
    async fn passed_on(order: Order) -> u64 {
        let mut command = Command::new("/bin/cat");
        sys::prepare(&mut command, "cat".as_ref()).unwrap();
        let leader = Leader::new(command.stdin(Stdio::piped()).spawn().unwrap());
        let process = Arc::new(Process::new(leader, LocalOptions::default()));
        let (mut theirs, ours) = tokio::io::duplex(100_000);
        theirs.write_all(&[b'x'; 100_000]).await.unwrap();
        let progress = watch::Sender::new(Progress { open: 0, bytes: 0 });
        let orders = watch::Sender::new(order);

        Pump::new(Stream::Stdout, &process, &progress, &orders)
            .run(ours)
            .await;

        process.leader.kill().unwrap();
        process.note_exit(&process.leader.group().wait_for_leader());
        process.finish(Ended {
            output: OutputEnd::Grace,
            discarded: 0,
        });
        let Progress { open, bytes } = *progress.borrow();
        assert_eq!(open, 0);
        bytes
    }

    #[tokio::test]
    async fn a_pump_that_is_to_finish_passes_on_what_the_pipe_holds_and_no_other_does() {
        assert_eq!(passed_on(Order::FinishNow).await, 100_000);
        assert_eq!(passed_on(Order::Stop).await, 0);
    }
}
