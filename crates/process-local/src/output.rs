//! The pumps: one task for each output of a process, sole owner of its pipe.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::Poll;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::Notify;

use crate::process::Process;
use crate::queue::{Pushed, Stream};

/// Largest chunk that is read at once: what a pipe holds.
const CHUNK: usize = 64 * 1024;
/// Most that a pipe may hold where nobody has privileges.
const LARGEST_PIPE: usize = 1024 * 1024;

/// What the pumps of a process tell its supervisor, and it them.
#[derive(Debug, Default)]
pub(crate) struct Pumps {
    open: AtomicUsize,
    bytes: AtomicU64,
    /// Either of the two has changed.
    moved: Notify,
    finish: AtomicBool,
    stop: AtomicBool,
    /// Either of the two has been set.
    ordered: Notify,
}

impl Pumps {
    /// How many are at work.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }

    /// How much they have read.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::SeqCst)
    }

    /// Waits until one has read or ended since the last wait. For one waiter.
    ///
    /// # Cancel safety
    /// May be called again.
    pub(crate) async fn moved(&self) {
        self.moved.notified().await;
    }

    /// Has them end after what their pipes hold at this moment.
    pub(crate) fn finish(&self) {
        self.finish.store(true, Ordering::SeqCst);
        self.ordered.notify_waiters();
    }

    /// Has them end at once.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.ordered.notify_waiters();
    }
}

/// What a pump is made of, but for its pipe.
#[derive(Debug)]
pub(crate) struct Pump {
    stream: Stream,
    process: Arc<Process>,
    pumps: Arc<Pumps>,
}

impl Pump {
    /// Counted as open from now on, until it is dropped.
    pub(crate) fn new(stream: Stream, process: &Arc<Process>, pumps: &Arc<Pumps>) -> Self {
        pumps.open.fetch_add(1, Ordering::SeqCst);
        Self {
            stream,
            process: Arc::clone(process),
            pumps: Arc::clone(pumps),
        }
    }

    /// Reads the pipe to its end, or until ordered otherwise.
    pub(crate) async fn run(self, mut pipe: impl AsyncRead + Unpin) {
        let mut buffer = Vec::with_capacity(CHUNK);
        // Made before looking at the orders, so that one made in between is not missed.
        let mut ordered = pin!(self.pumps.ordered.notified());
        while !self.pumps.finish.load(Ordering::SeqCst) {
            if self.pumps.stop.load(Ordering::SeqCst) {
                return;
            }
            let read = tokio::select! {
                biased;
                read = pipe.read_buf(&mut buffer) => read,
                () = &mut ordered => continue,
            };
            if !self.pass_on(read, &mut buffer).await {
                return;
            }
        }
        let mut left = LARGEST_PIPE;
        while let Some(read) = read_without_waiting(&mut pipe, &mut buffer).await {
            left = left.saturating_sub(buffer.len());
            if !self.pass_on(read, &mut buffer).await || left == 0 {
                return;
            }
        }
    }

    /// Says whether there may be more.
    async fn pass_on(&self, read: io::Result<usize>, buffer: &mut Vec<u8>) -> bool {
        match read {
            Ok(0) => false,
            Ok(count) => {
                let count = count as u64;
                self.pumps.bytes.fetch_add(count, Ordering::SeqCst);
                self.pumps.moved.notify_one();
                self.process.queue.push(self.stream, buffer).await == Pushed::Kept
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
        self.pumps.open.fetch_sub(1, Ordering::SeqCst);
        self.pumps.moved.notify_one();
    }
}

/// What the pipe holds at this moment; `None` if that is nothing.
async fn read_without_waiting(
    pipe: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
) -> Option<io::Result<usize>> {
    let mut reading = pin!(pipe.read_buf(buffer));
    poll_fn(|cx| {
        Poll::Ready(match reading.as_mut().poll(cx) {
            Poll::Ready(read) => Some(read),
            Poll::Pending => None,
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;
    use crate::exit::OutputEnd;
    use crate::leader::Leader;
    use crate::options::LocalOptions;
    use crate::sys;

    /// What a pump passes on that finds its order and 100 000 bytes in an open pipe.
    async fn passed_on(order: fn(&Pumps)) -> u64 {
        let leader = Leader::of(&["/bin/cat"]);
        let process = Arc::new(Process::new(leader, LocalOptions::default()));
        let (mut theirs, ours) = tokio::io::duplex(100_000);
        theirs.write_all(&[b'x'; 100_000]).await.unwrap();
        let pumps = Arc::new(Pumps::default());
        order(&pumps);

        Pump::new(Stream::Stdout, &process, &pumps).run(ours).await;

        process.leader.kill().unwrap();
        process.note_exit(&sys::wait_for_exit(&process.leader));
        process.finish(OutputEnd::Grace);
        assert_eq!(pumps.open(), 0);
        pumps.bytes()
    }

    #[tokio::test]
    async fn a_pump_that_is_to_finish_passes_on_what_the_pipe_holds_and_no_other_does() {
        assert_eq!(passed_on(Pumps::finish).await, 100_000);
        assert_eq!(passed_on(Pumps::stop).await, 0);
    }
}
