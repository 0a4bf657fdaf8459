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

/// Largest chunk: what a pipe holds.
const CHUNK: usize = 64 * 1024;
/// From here on a chunk takes the memory along into which it was read. Shorter ones
/// are copied, so that what is queued takes at most twice its bytes.
const LARGE: usize = CHUNK / 2;
/// Most that a pipe may hold where nobody has privileges.
const LARGEST_PIPE: usize = 1024 * 1024;

/// What the pumps of a process tell its attendant, and it them.
#[derive(Debug, Default)]
pub(crate) struct Pumps {
    open: AtomicUsize,
    /// How many came to the end of their pipe.
    at_end: AtomicUsize,
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

    /// How many have read their pipe to its end.
    pub(crate) fn ended_by_themselves(&self) -> usize {
        self.at_end.load(Ordering::SeqCst)
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

    /// Has the one who waits look again.
    pub(crate) fn wake(&self) {
        self.moved.notify_one();
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
}

impl Pump {
    /// Counted as open from now on, until it is dropped.
    pub(crate) fn new(stream: Stream, process: &Arc<Process>) -> Self {
        process.pumps.open.fetch_add(1, Ordering::SeqCst);
        Self {
            stream,
            process: Arc::clone(process),
        }
    }

    /// Reads the pipe to its end, or until ordered otherwise.
    pub(crate) async fn run(self, mut pipe: impl AsyncRead + Unpin) {
        let mut buffer = Vec::new();
        // Made before looking at the orders, so that one made in between is not missed.
        let mut ordered = pin!(self.process.pumps.ordered.notified());
        while !self.process.pumps.finish.load(Ordering::SeqCst) {
            if self.process.pumps.stop.load(Ordering::SeqCst) {
                return;
            }
            buffer.reserve_exact(CHUNK);
            let read = tokio::select! {
                biased;
                read = pipe.read_buf(&mut buffer) => read,
                () = &mut ordered => continue,
            };
            let Some(count) = self.pass_on(read, &mut buffer).await else {
                return;
            };
            if count >= LARGE {
                // The host may give the memory back before more is needed.
                tokio::task::yield_now().await;
            }
        }
        let mut left = LARGEST_PIPE;
        loop {
            buffer.reserve_exact(CHUNK);
            let Some(read) = at_once(pipe.read_buf(&mut buffer)).await else {
                return;
            };
            match self.pass_on(read, &mut buffer).await {
                Some(count) if count < left => left -= count,
                _ => return,
            }
        }
    }

    /// Passes on what was read into the buffer, and empties it; how many bytes these
    /// were. `None` if there will be no more.
    async fn pass_on(&self, read: io::Result<usize>, buffer: &mut Vec<u8>) -> Option<usize> {
        let chunk = match read {
            Ok(0) => {
                self.process.pumps.at_end.fetch_add(1, Ordering::SeqCst);
                return None;
            }
            Ok(count) if count < LARGE => buffer.to_vec(),
            Ok(_) => std::mem::take(buffer),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Some(0),
            Err(error) => {
                self.process.queue.push_failure(error);
                return None;
            }
        };
        buffer.clear();
        let count = chunk.len();
        self.process
            .pumps
            .bytes
            .fetch_add(count as u64, Ordering::SeqCst);
        self.process.pumps.moved.notify_one();
        let pushed = self.process.queue.push(self.stream, chunk).await;
        (pushed == Pushed::Kept).then_some(count)
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.process.pumps.open.fetch_sub(1, Ordering::SeqCst);
        self.process.pumps.moved.notify_one();
    }
}

/// What comes of a future without waiting.
async fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|cx| {
        Poll::Ready(match future.as_mut().poll(cx) {
            Poll::Ready(output) => Some(output),
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
        order(&process.pumps);

        Pump::new(Stream::Stdout, &process).run(ours).await;

        process.leader.kill().unwrap();
        process.note_exit(&sys::wait_for_exit(&process.leader));
        process.finish(OutputEnd::Grace);
        assert_eq!(process.pumps.open(), 0);
        process.pumps.bytes()
    }

    #[tokio::test]
    async fn a_pump_that_is_to_finish_passes_on_what_the_pipe_holds_and_no_other_does() {
        assert_eq!(passed_on(Pumps::finish).await, 100_000);
        assert_eq!(passed_on(Pumps::stop).await, 0);
    }
}
