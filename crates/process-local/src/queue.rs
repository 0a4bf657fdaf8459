//! The queue between the pumps and the host: bounded in bytes, with a slot for
//! the exit frame that nothing else can take.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cassette_format::process::Frame;
use tokio::sync::Notify;

/// Queued chunks from which on a chunk is joined to the one before it, if both are
/// of one stream: many small writes then cost no more than their bytes.
const JOIN_FROM: usize = 64;
/// Largest chunk made by joining.
const JOINED_LIMIT: usize = 64 * 1024;
/// Queued chunks at which the queue is full whatever they hold.
const CHUNK_LIMIT: usize = 8 * 1024;

/// One of the two outputs of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// Whether there is any use in pushing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pushed {
    Kept,
    Unwanted,
}

#[derive(Debug)]
pub(crate) struct FrameQueue {
    state: Mutex<State>,
    limit: usize,
    /// Something to receive came.
    came: Notify,
    /// Room was made, or the mode changed.
    room: Notify,
}

#[derive(Debug)]
struct State {
    items: VecDeque<Item>,
    bytes: usize,
    mode: Mode,
    /// A pump waits for room.
    held_back: bool,
    discarded: u64,
    /// Streams of which bytes were discarded. They get no more, so that there is
    /// no hole in what the host receives.
    cut: Vec<Stream>,
    end: End,
}

#[derive(Debug)]
enum Item {
    Chunk(Stream, Vec<u8>),
    Failure(io::Error),
}

/// What happens to a chunk for which there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Its pump waits.
    HoldBack,
    /// It is discarded; `limit` is what may be queued now.
    Keep { limit: usize },
    /// Every chunk is discarded; nobody will receive.
    Abandoned,
}

/// The reserved slot.
#[derive(Debug)]
enum End {
    Awaited,
    Queued(Frame),
    Delivered,
}

impl FrameQueue {
    /// A queue of at most `limit` bytes, though one chunk always fits.
    pub(crate) const fn new(limit: usize) -> Self {
        let state = State {
            items: VecDeque::new(),
            bytes: 0,
            mode: Mode::HoldBack,
            held_back: false,
            discarded: 0,
            cut: Vec::new(),
            end: End::Awaited,
        };
        Self {
            state: Mutex::new(state),
            limit,
            came: Notify::const_new(),
            room: Notify::const_new(),
        }
    }

    /// Adds a chunk, as soon as there is room for it.
    pub(crate) async fn push(&self, stream: Stream, mut chunk: Vec<u8>) -> Pushed {
        loop {
            // Made before looking, so that room made in between is not missed.
            let room = self.room.notified();
            let offered = self.lock().offer(stream, &mut chunk, self.limit);
            if let Some(pushed) = offered {
                self.came.notify_one();
                return pushed;
            }
            room.await;
        }
    }

    /// Adds, beyond any limit, that a stream could not be read.
    pub(crate) fn push_failure(&self, failure: io::Error) {
        let mut state = self.lock();
        if matches!(state.end, End::Awaited) && state.mode != Mode::Abandoned {
            state.items.push_back(Item::Failure(failure));
        }
        drop(state);
        self.came.notify_one();
    }

    /// The next frame, the exit frame last, then `None` for ever.
    ///
    /// # Cancel safety
    /// No frame is lost: it is taken in the last step.
    pub(crate) async fn recv(&self) -> io::Result<Option<Frame>> {
        loop {
            let came = self.came.notified();
            if let Some(taken) = self.take() {
                return taken;
            }
            came.await;
        }
    }

    fn take(&self) -> Option<io::Result<Option<Frame>>> {
        let mut state = self.lock();
        let taken = state.take()?;
        let more = !state.items.is_empty() || !matches!(state.end, End::Awaited);
        let held_back = std::mem::take(&mut state.held_back);
        drop(state);
        if more {
            // For another receiver: each piece of news wakes one alone.
            self.came.notify_one();
        }
        if held_back {
            self.room.notify_waiters();
        }
        Some(taken)
    }

    /// From now on nobody waits for room: `more` bytes are kept on top of those
    /// queued now, and the rest is counted. Only the first call counts.
    pub(crate) fn keep(&self, more: usize) {
        let mut state = self.lock();
        if state.mode == Mode::HoldBack {
            state.mode = Mode::Keep {
                limit: state.bytes.saturating_add(more),
            };
        }
        drop(state);
        self.room.notify_waiters();
    }

    /// Pumps wait for room again, after [`keep`](Self::keep). What was cut stays cut.
    pub(crate) fn hold_back(&self) {
        let mut state = self.lock();
        if matches!(state.mode, Mode::Keep { .. }) {
            state.mode = Mode::HoldBack;
        }
    }

    /// Nobody will receive.
    pub(crate) fn abandon(&self) {
        let mut state = self.lock();
        state.mode = Mode::Abandoned;
        state.items.clear();
        state.bytes = 0;
        drop(state);
        self.room.notify_waiters();
    }

    /// Bytes that were pushed and not kept.
    pub(crate) fn discarded(&self) -> u64 {
        self.lock().discarded
    }

    /// Fills the reserved slot. Only the first call counts, and nothing can be
    /// added afterwards.
    pub(crate) fn finish(&self, exit: Frame) {
        let mut state = self.lock();
        if matches!(state.end, End::Awaited) {
            state.end = End::Queued(exit);
        }
        drop(state);
        self.came.notify_one();
        self.room.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the chunk, or what is kept of it; `None` if it has to wait.
    fn offer(&mut self, stream: Stream, chunk: &mut Vec<u8>, limit: usize) -> Option<Pushed> {
        if self.mode == Mode::Abandoned || !matches!(self.end, End::Awaited) {
            return Some(Pushed::Unwanted);
        }
        match self.mode {
            // No hole, even if there would be room again.
            Mode::HoldBack if self.cut.contains(&stream) => {
                self.discarded += chunk.len() as u64;
                return Some(Pushed::Kept);
            }
            Mode::Keep { limit } => self.cut_to_fit(stream, chunk, limit),
            Mode::HoldBack | Mode::Abandoned => {
                let fits = self.bytes.saturating_add(chunk.len()) <= limit;
                if !(fits && self.items.len() < CHUNK_LIMIT || self.items.is_empty()) {
                    self.held_back = true;
                    return None;
                }
            }
        }
        self.add(stream, std::mem::take(chunk));
        Some(Pushed::Kept)
    }

    /// Leaves of the chunk what is kept of it, and counts the rest.
    fn cut_to_fit(&mut self, stream: Stream, chunk: &mut Vec<u8>, limit: usize) {
        let crowded = self.cut.contains(&stream) || self.items.len() >= 2 * CHUNK_LIMIT;
        let room = if crowded {
            0
        } else {
            limit.saturating_sub(self.bytes)
        };
        if let Some(lost @ 1..) = chunk.len().checked_sub(room) {
            self.discarded += lost as u64;
            if !self.cut.contains(&stream) {
                self.cut.push(stream);
            }
            chunk.truncate(room);
        }
    }

    fn add(&mut self, stream: Stream, chunk: Vec<u8>) {
        self.bytes += chunk.len();
        let join = self.items.len() >= JOIN_FROM;
        match self.items.back_mut() {
            _ if chunk.is_empty() => {}
            Some(Item::Chunk(of, last))
                if join && *of == stream && last.len() + chunk.len() <= JOINED_LIMIT =>
            {
                last.extend_from_slice(&chunk);
            }
            _ => self.items.push_back(Item::Chunk(stream, chunk)),
        }
    }

    fn take(&mut self) -> Option<io::Result<Option<Frame>>> {
        match self.items.pop_front() {
            Some(Item::Chunk(stream, bytes)) => {
                self.bytes -= bytes.len();
                Some(Ok(Some(match stream {
                    Stream::Stdout => Frame::stdout(bytes),
                    Stream::Stderr => Frame::stderr(bytes),
                })))
            }
            Some(Item::Failure(failure)) => Some(Err(failure)),
            None => match std::mem::replace(&mut self.end, End::Delivered) {
                End::Queued(exit) => Some(Ok(Some(exit))),
                End::Delivered => Some(Ok(None)),
                End::Awaited => {
                    self.end = End::Awaited;
                    None
                }
            },
        }
    }
}

#[cfg(test)]
mod tests;
