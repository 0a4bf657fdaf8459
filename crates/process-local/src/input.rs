//! The input of a process: sends in line, and the task that writes them.
//!
//! The writer alone owns the pipe. It writes a send whole, or writes nothing ever
//! again; what becomes of the caller in the meantime makes no difference to it.

use std::io;
use std::sync::Arc;

use cassette_format::process::SendError;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::process::Process;

/// The hosts' end of the input.
#[derive(Debug)]
pub(crate) struct Input {
    /// One permit: whoever holds it may hand a job over. First come, first served.
    /// Closed as soon as there is no input any more.
    turn: Arc<Semaphore>,
    jobs: mpsc::UnboundedSender<Job>,
}

/// The task that owns the pipe.
#[derive(Debug)]
pub(crate) struct Writer {
    turn: Arc<Semaphore>,
    jobs: mpsc::UnboundedReceiver<Job>,
    process: Arc<Process>,
}

#[derive(Debug)]
enum Job {
    Send {
        bytes: Vec<u8>,
        done: oneshot::Sender<Result<(), SendError>>,
        /// Held until the send is through, even when its caller has gone.
        turn: OwnedSemaphorePermit,
    },
    End {
        done: oneshot::Sender<()>,
    },
}

/// An input, and the writer that is to be run for it.
pub(crate) fn input(process: &Arc<Process>) -> (Input, Writer) {
    let turn = Arc::new(Semaphore::new(1));
    let (give, jobs) = mpsc::unbounded_channel();
    let writer = Writer {
        turn: Arc::clone(&turn),
        jobs,
        process: Arc::clone(process),
    };
    (Input { turn, jobs: give }, writer)
}

impl Input {
    /// Writes `bytes`, after those sent before.
    ///
    /// # Cancel safety
    /// A cancelled send was either not begun or is completed by the writer.
    pub(crate) async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        let turn = Arc::clone(&self.turn)
            .acquire_owned()
            .await
            .map_err(|_| SendError::Closed)?;
        let (done, written) = oneshot::channel();
        let job = Job::Send {
            bytes: bytes.to_vec(),
            done,
            turn,
        };
        self.jobs.send(job).map_err(|_| SendError::Closed)?;
        written.await.unwrap_or(Err(SendError::Closed))
    }

    /// Ends the input after what was sent before, and waits for that.
    pub(crate) async fn end(&self) {
        let Ok(turn) = self.turn.acquire().await else {
            return;
        };
        let ended = self.end_now();
        drop(turn);
        // An error means that the writer is gone, and the input with it.
        ended.await.ok();
    }

    /// Ends the input after the send that is being written; those in line are
    /// refused.
    pub(crate) fn end_now(&self) -> oneshot::Receiver<()> {
        self.turn.close();
        let (done, ended) = oneshot::channel();
        // Without a writer there is no input, which is what was asked for.
        self.jobs.send(Job::End { done }).ok();
        ended
    }
}

impl Writer {
    /// Writes what is sent until the input or the process ends, or writing fails.
    pub(crate) async fn run(mut self, mut pipe: impl AsyncWrite + Unpin) {
        let process = Arc::clone(&self.process);
        loop {
            let job = tokio::select! {
                biased;
                () = process.exited() => None,
                job = self.jobs.recv() => job,
            };
            match job {
                None => return,
                Some(Job::End { done }) => {
                    drop(pipe);
                    // Whoever asked may have gone.
                    done.send(()).ok();
                    return;
                }
                Some(Job::Send { bytes, done, turn }) => {
                    // Cut off in the middle by the exit alone, and then for good.
                    let sent = tokio::select! {
                        biased;
                        () = process.exited() => Err(SendError::Closed),
                        sent = write_whole(&mut pipe, &bytes) => sent.map_err(refusal),
                    };
                    let broken = sent.is_err();
                    if broken {
                        self.turn.close();
                    }
                    done.send(sent).ok();
                    drop(turn);
                    if broken {
                        return;
                    }
                }
            }
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.turn.close();
    }
}

async fn write_whole(pipe: &mut (impl AsyncWrite + Unpin), mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match pipe.write(bytes).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => bytes = &bytes[count..],
        }
    }
    Ok(())
}

/// A process that closed its input or has ended is no failure of writing.
fn refusal(error: io::Error) -> SendError {
    match error.kind() {
        io::ErrorKind::BrokenPipe => SendError::Closed,
        _ => SendError::Write(error),
    }
}
