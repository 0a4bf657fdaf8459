//! This process's own standard streams, as the other side of a connection.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use cassette_format::process::{Frame, FrameEvent, ProcessConnection, RecvError, SendError};
use tokio::io::{AsyncWrite, AsyncWriteExt as _, Stderr, Stdout};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::first_message;
use crate::sys::Unhurried;

/// Bytes that are read at once, at most.
const BUFFER: usize = 64 * 1024;

/// How passing input on has ended.
pub(crate) type Passed = oneshot::Receiver<Result<(), SendError>>;

/// Passes everything that is read on to `connection`, then ends its input, and tells how that
/// went. What it refuses mostly shows on the other side too: as its exit, or as a failed
/// `recv`. Once nobody wants to be told, nothing is passed on any more.
///
/// A thread of its own does it, and sends what it read without handing it to another: it
/// ends with the process, whatever it waits for. It does not keep the connection.
pub(crate) fn pass_input(connection: &Arc<dyn ProcessConnection>) -> Passed {
    let (passing, passed) = Passing::to(connection);
    std::thread::spawn(move || passing.run(&[], Input::Open));
    passed
}

/// Input that is read before there is a connection to pass it on to.
pub(crate) struct EarlyInput {
    judged: oneshot::Receiver<&'static str>,
    beginning: Arc<Mutex<Beginning>>,
    hand_over: oneshot::Sender<Passing>,
}

/// What was read before there was a connection.
#[derive(Default)]
struct Beginning {
    bytes: Vec<u8>,
    /// What is read now comes behind these bytes, which are being passed on.
    is_taken: bool,
}

/// Whether there is more to read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    Open,
    Ended,
}

impl EarlyInput {
    /// Reads from now on, on a thread of its own, until the first message has ended or there
    /// is a connection.
    pub(crate) fn read() -> Self {
        let (tell, judged) = oneshot::channel();
        let (hand_over, passing) = oneshot::channel();
        let beginning = Arc::new(Mutex::new(Beginning::default()));
        let shared = Arc::clone(&beginning);
        std::thread::spawn(move || {
            let (rest, input) = read_first(&shared, tell);
            let passing: Result<Passing, _> = passing.blocking_recv();
            if let Ok(passing) = passing {
                passing.run(&rest, input);
            }
        });
        Self {
            judged,
            beginning,
            hand_over,
        }
    }

    /// The provider that the first message looks like; `raw` if there is none for so long.
    pub(crate) async fn provider(&mut self, longest: Duration) -> &'static str {
        let judged = timeout(longest, &mut self.judged).await;
        judged.map_or("raw", |judged| judged.unwrap_or("raw"))
    }

    /// Passes everything on, as [`pass_input`] does, from the first byte that was read.
    pub(crate) fn pass(self, connection: &Arc<dyn ProcessConnection>) -> Passed {
        let (mut passing, passed) = Passing::to(connection);
        // The thread that reads may be waiting for input that comes only after an answer.
        std::thread::spawn(move || {
            let mut beginning = lock(&self.beginning);
            beginning.is_taken = true;
            let bytes = std::mem::take(&mut beginning.bytes);
            drop(beginning);
            match passing.pass_some(&bytes) {
                Some(Ok(())) => drop(self.hand_over.send(passing)),
                Some(refused) => drop(passing.tell.send(refused)),
                None => {}
            }
        });
        passed
    }
}

/// Reads until the first message has ended, tells the provider that it looks like, and gives
/// what was read behind bytes that were taken.
fn read_first(
    beginning: &Mutex<Beginning>,
    tell: oneshot::Sender<&'static str>,
) -> (Vec<u8>, Input) {
    let mut stdin = std::io::stdin().lock();
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = read(&mut stdin, &mut buffer);
        let input = if count == 0 {
            Input::Ended
        } else {
            Input::Open
        };
        let mut beginning = lock(beginning);
        if beginning.is_taken {
            return (buffer[..count].to_vec(), input);
        }
        beginning.bytes.extend_from_slice(&buffer[..count]);
        let judged = match input {
            Input::Open => first_message::provider_in(&beginning.bytes),
            Input::Ended => Some(first_message::provider_of(&beginning.bytes)),
        };
        if let Some(judged) = judged {
            // Nobody may wait for it any more.
            tell.send(judged).ok();
            return (Vec::new(), input);
        }
    }
}

fn lock(beginning: &Mutex<Beginning>) -> MutexGuard<'_, Beginning> {
    beginning.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes input on to a connection.
struct Passing {
    connection: Weak<dyn ProcessConnection>,
    runtime: Handle,
    tell: oneshot::Sender<Result<(), SendError>>,
}

impl Passing {
    /// To be made on a runtime.
    fn to(connection: &Arc<dyn ProcessConnection>) -> (Self, Passed) {
        let (tell, passed) = oneshot::channel();
        let passing = Self {
            connection: Arc::downgrade(connection),
            runtime: Handle::current(),
            tell,
        };
        (passing, passed)
    }

    /// Passes on what was read, and all that is read still.
    fn run(mut self, read: &[u8], input: Input) {
        if let Some(passed) = self.pass(read, input) {
            // Nobody may want to know.
            self.tell.send(passed).ok();
        }
    }

    /// How passing input on has ended; `None` if it was not wanted to the end.
    fn pass(&mut self, before: &[u8], input: Input) -> Option<Result<(), SendError>> {
        let sent = self.pass_some(before)?;
        if sent.is_err() {
            return Some(sent);
        }
        if input == Input::Ended {
            return self.end();
        }
        let mut stdin = std::io::stdin().lock();
        let mut buffer = vec![0; BUFFER];
        loop {
            let count = read(&mut stdin, &mut buffer);
            if count == 0 {
                return self.end();
            }
            let sent = self.pass_some(&buffer[..count])?;
            if sent.is_err() {
                return Some(sent);
            }
        }
    }

    fn pass_some(&mut self, bytes: &[u8]) -> Option<Result<(), SendError>> {
        if bytes.is_empty() {
            return Some(Ok(()));
        }
        let connection = self.connection.upgrade()?;
        self.wanted(async { connection.send(bytes).await })
    }

    fn end(&mut self) -> Option<Result<(), SendError>> {
        let connection = self.connection.upgrade()?;
        self.wanted(async {
            let _already_ended = connection.close_input().await;
            Ok(())
        })
    }

    /// What comes of passing on, unless nobody wants that any more.
    fn wanted(
        &mut self,
        pass: impl Future<Output = Result<(), SendError>>,
    ) -> Option<Result<(), SendError>> {
        let tell = &mut self.tell;
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = tell.closed() => None,
                sent = pass => Some(sent),
            }
        })
    }
}

/// Reads what has come; nothing at the end, as which counts what cannot be read.
fn read(input: &mut impl std::io::Read, buffer: &mut [u8]) -> usize {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return 0,
            Ok(count) => return count,
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
