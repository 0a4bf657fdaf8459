//! What the parts of one [`Stdio`](super::Stdio) share: the calls under way and
//! what was received and not yet read.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::ReadBuf;

use super::streams::ExitStatus;
use super::wakers::{Part, Wakers};
use crate::process::{
    ControlError, Failure, Frame, FrameEvent, ProcessConnection, RecvError, SendError,
};

/// Received and unread bytes beyond which no further frame is received.
const STDOUT_LIMIT: usize = 1024 * 1024;
/// Unread bytes of standard error that are kept; older ones are counted only.
const STDERR_LIMIT: usize = 1024 * 1024;
/// Frames received in one poll; then others get their turn.
const FRAMES_AT_ONCE: usize = 128;
/// Pieces that together are no longer than this are kept as one.
const SMALL: usize = 4096;
/// Largest single send made of one write.
const WRITE_LIMIT: usize = 1024 * 1024;

type Call<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub(super) struct Pump {
    connection: Arc<dyn ProcessConnection>,
    state: Mutex<State>,
    wakers: Arc<Wakers>,
}

pub(super) struct State {
    receiving: Option<Call<Result<Option<Frame>, RecvError>>>,
    sending: Option<Call<Result<(), SendError>>>,
    ending_input: Option<Call<Result<(), ControlError>>>,
    input_ended: bool,
    pub(super) stdout: Unread,
    pub(super) stderr: Unread,
    pub(super) exit: Option<ExitStatus>,
    read_failure: Option<Failure>,
    write_failure: Option<WriteFailure>,
}

/// One of the two streams that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

/// Received bytes that nobody has read yet.
#[derive(Default)]
pub(super) struct Unread {
    pieces: VecDeque<Vec<u8>>,
    /// Bytes already taken from the first piece.
    taken: usize,
    len: usize,
    /// Bytes that were dropped unread.
    pub(super) dropped: u64,
    /// Nobody will read.
    abandoned: bool,
}

#[derive(Clone)]
enum WriteFailure {
    Closed,
    Failed(Failure),
}

impl Pump {
    pub(super) fn new(connection: Arc<dyn ProcessConnection>) -> Self {
        let state = State {
            receiving: None,
            sending: None,
            ending_input: None,
            input_ended: false,
            stdout: Unread::default(),
            stderr: Unread::default(),
            exit: None,
            read_failure: None,
            write_failure: None,
        };
        Self {
            connection,
            state: Mutex::new(state),
            wakers: Arc::default(),
        }
    }

    pub(super) fn connection(&self) -> &Arc<dyn ProcessConnection> {
        &self.connection
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from one of the streams. What nobody has read of it yet comes first; without it
    /// everything is moved along.
    pub(super) fn poll_read(
        &self,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
        stream: Stream,
    ) -> Poll<io::Result<()>> {
        if into.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let mut state = self.lock();
        let part = match stream {
            Stream::Stdout => Part::Output,
            Stream::Stderr => Part::Errors,
        };
        if state.unread(stream).len == 0 {
            self.advance(&mut state, part, cx);
        }
        let was_full = state.stdout.len >= STDOUT_LIMIT;
        if state.unread(stream).fill(into) {
            // While it was full nobody received, so nothing but this wakes the others.
            if was_full && state.stdout.len < STDOUT_LIMIT {
                drop(state);
                self.wake_all();
            }
            return Poll::Ready(Ok(()));
        }
        match (&state.read_failure, &state.exit) {
            (Some(failure), _) => Poll::Ready(Err(io::Error::other(failure.clone()))),
            (None, Some(_)) => Poll::Ready(Ok(())),
            (None, None) => Poll::Pending,
        }
    }

    pub(super) fn poll_exit(&self, cx: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        let mut state = self.lock();
        self.advance(&mut state, Part::Exit, cx);
        match (&state.read_failure, &state.exit) {
            (_, Some(status)) => Poll::Ready(Ok(status.clone())),
            (Some(failure), None) => Poll::Ready(Err(io::Error::other(failure.clone()))),
            (None, None) => Poll::Pending,
        }
    }

    /// Takes `bytes` as soon as the write before is through.
    pub(super) fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut state = self.lock();
        let through = self.poll_input(&mut state, cx);
        state.write_outcome()?;
        if state.input_ended {
            return Poll::Ready(Err(WriteFailure::Closed.into()));
        }
        ready!(through);
        let taken = bytes.len().min(WRITE_LIMIT);
        if taken == 0 {
            return Poll::Ready(Ok(0));
        }
        let (connection, owned) = (Arc::clone(&self.connection), bytes[..taken].to_vec());
        state.sending = Some(Box::pin(async move { connection.send_owned(owned).await }));
        // Bytes that wait to be sent are taken already.
        let _through = self.poll_input(&mut state, cx);
        state.write_outcome()?;
        Poll::Ready(Ok(taken))
    }

    pub(super) fn poll_flush(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.lock();
        let through = self.poll_input(&mut state, cx);
        state.write_outcome()?;
        through.map(Ok)
    }

    /// Ends the input once everything written is through.
    pub(super) fn poll_end_input(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.lock();
        state.input_ended = true;
        let through = self.poll_input(&mut state, cx);
        state.write_outcome()?;
        through.map(Ok)
    }

    /// The reader of a stream is gone: whoever waited for it to make room goes on.
    pub(super) fn abandon_output(&self, stream: Stream) {
        self.lock().unread(stream).abandon();
        self.wake_all();
    }

    fn wake_all(&self) {
        Waker::from(Arc::clone(&self.wakers)).wake();
    }

    /// The writer is gone: the input ends, moved along by the parts that are left.
    pub(super) fn abandon_input(&self) {
        let mut state = self.lock();
        state.input_ended = true;
        self.advance_for_everyone(&mut state);
    }

    fn advance(&self, state: &mut State, part: Part, cx: &mut Context<'_>) {
        self.wakers.register(part, cx.waker());
        self.advance_for_everyone(state);
    }

    fn advance_for_everyone(&self, state: &mut State) {
        let waker = Waker::from(Arc::clone(&self.wakers));
        let mut everyone = Context::from_waker(&waker);
        self.advance_input(state, &mut everyone);
        self.advance_output(state, &mut everyone);
    }

    /// Moves the input along until nothing of it is under way. While the process does not take
    /// it, its output is received: it may have to be before the process reads on.
    fn poll_input(&self, state: &mut State, cx: &mut Context<'_>) -> Poll<()> {
        if state.sending.is_none() && !state.input_ended {
            return Poll::Ready(());
        }
        self.wakers.register(Part::Input, cx.waker());
        let waker = Waker::from(Arc::clone(&self.wakers));
        let mut everyone = Context::from_waker(&waker);
        self.advance_input(state, &mut everyone);
        if state.sending.is_none() && state.ending_input.is_none() {
            return Poll::Ready(());
        }
        self.advance_output(state, &mut everyone);
        Poll::Pending
    }

    fn advance_input(&self, state: &mut State, cx: &mut Context<'_>) {
        if let Some(sending) = &mut state.sending
            && let Poll::Ready(sent) = sending.as_mut().poll(cx)
        {
            state.sending = None;
            if let Err(error) = sent {
                state.write_failure.get_or_insert(error.into());
            }
        }
        if !state.input_ended || state.sending.is_some() {
            return;
        }
        if state.ending_input.is_none() && !state.input_end_sent() {
            let connection = Arc::clone(&self.connection);
            state.ending_input = Some(Box::pin(async move { connection.close_input().await }));
        }
        if let Some(ending) = &mut state.ending_input
            && let Poll::Ready(ended) = ending.as_mut().poll(cx)
        {
            state.ending_input = None;
            let failure = match ended {
                Ok(()) => WriteFailure::Closed,
                Err(error) => WriteFailure::Failed(Failure::new(error)),
            };
            state.write_failure.get_or_insert(failure);
        }
    }

    fn advance_output(&self, state: &mut State, cx: &mut Context<'_>) {
        let mut received_now = 0;
        while state.exit.is_none()
            && state.read_failure.is_none()
            && state.stdout.len < STDOUT_LIMIT
        {
            if received_now == FRAMES_AT_ONCE {
                cx.waker().wake_by_ref();
                break;
            }
            received_now += 1;
            let receiving = state.receiving.get_or_insert_with(|| {
                let connection = Arc::clone(&self.connection);
                Box::pin(async move { connection.recv().await })
            });
            let Poll::Ready(received) = receiving.as_mut().poll(cx) else {
                break;
            };
            state.receiving = None;
            state.take(received);
        }
    }
}

impl State {
    const fn unread(&mut self, stream: Stream) -> &mut Unread {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    fn take(&mut self, received: Result<Option<Frame>, RecvError>) {
        match received {
            Ok(None) => {
                self.exit = Some(ExitStatus {
                    code: None,
                    message: None,
                })
            }
            Ok(Some(Frame { event, message, .. })) => match event {
                FrameEvent::Stdout(bytes) => self.stdout.add(bytes),
                FrameEvent::Stderr(bytes) => {
                    self.stderr.add(bytes);
                    self.stderr.drop_oldest_over(STDERR_LIMIT);
                }
                FrameEvent::Exit(code) => {
                    self.exit = Some(ExitStatus {
                        code: Some(code),
                        message,
                    })
                }
                FrameEvent::MessageOnly => {}
            },
            Err(RecvError::Failed(failure)) => self.read_failure = Some(failure),
            Err(error) => self.read_failure = Some(Failure::new(error)),
        }
    }

    /// Whether the end of the input was handed on, or cannot be any more.
    const fn input_end_sent(&self) -> bool {
        self.write_failure.is_some()
    }

    /// What earlier writes came to. Once the input has ended by request, that
    /// is no failure of flushing or ending it.
    fn write_outcome(&self) -> io::Result<()> {
        match &self.write_failure {
            None => Ok(()),
            Some(WriteFailure::Closed) if self.input_ended => Ok(()),
            Some(failure) => Err(failure.clone().into()),
        }
    }
}

impl Unread {
    fn add(&mut self, bytes: Vec<u8>) {
        if self.abandoned {
            self.dropped += bytes.len() as u64;
            return;
        }
        self.len += bytes.len();
        match self.pieces.back_mut() {
            // Many frames of few bytes would take many times their bytes.
            Some(last) if last.len() + bytes.len() <= SMALL => last.extend_from_slice(&bytes),
            _ if bytes.is_empty() => {}
            _ => self.pieces.push_back(bytes),
        }
    }

    /// Fills `into`; says whether there was anything.
    fn fill(&mut self, into: &mut ReadBuf<'_>) -> bool {
        let before = self.len;
        while into.remaining() > 0 {
            let Some(first) = self.pieces.front() else {
                break;
            };
            let rest = &first[self.taken..];
            let count = rest.len().min(into.remaining());
            into.put_slice(&rest[..count]);
            self.consume(count);
        }
        before > 0
    }

    fn drop_oldest_over(&mut self, limit: usize) {
        while self.len > limit {
            let Some(oldest) = self.pieces.front() else {
                break;
            };
            let lost = (oldest.len() - self.taken).min(self.len - limit);
            self.dropped += lost as u64;
            self.consume(lost);
        }
    }

    /// Takes bytes away from the first piece, which has as many.
    fn consume(&mut self, count: usize) {
        self.len -= count;
        self.taken += count;
        if self
            .pieces
            .front()
            .is_some_and(|first| first.len() == self.taken)
        {
            self.pieces.pop_front();
            self.taken = 0;
        }
    }

    fn abandon(&mut self) {
        self.abandoned = true;
        self.dropped += self.len as u64;
        self.pieces.clear();
        (self.taken, self.len) = (0, 0);
    }
}

impl From<SendError> for WriteFailure {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Closed => Self::Closed,
            SendError::Failed(failure) => Self::Failed(failure),
            error @ SendError::Write(_) => Self::Failed(Failure::new(error)),
        }
    }
}

impl From<WriteFailure> for io::Error {
    fn from(failure: WriteFailure) -> Self {
        match failure {
            WriteFailure::Closed => Self::new(io::ErrorKind::BrokenPipe, SendError::Closed),
            WriteFailure::Failed(failure) => Self::other(failure),
        }
    }
}

impl fmt::Debug for Pump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Pump")
            .field("unread_stdout", &state.stdout.len)
            .field("unread_stderr", &state.stderr.len)
            .field("exit", &state.exit)
            .finish_non_exhaustive()
    }
}
