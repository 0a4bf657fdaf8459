//! One stream of a connection, cut into messages whose bytes lie in chunks.
//!
//! A message that stays as it is leaves its bytes in the chunks in which they came.
//! One that changes is stored whole in the chunk in which it ends, and earlier
//! chunks keep none of it.

use cassette_format::json::{Framer, Framing, FramingLimits};
use cassette_format::portable::Direction;
use cassette_format::schema::GlobalSeq;

use crate::desk::Desk;
use crate::inspector::Refusal;
use crate::raw_stream::RawStream;

/// One stream of a connection.
#[derive(Debug)]
pub(crate) enum Stream {
    Messages(MessageStream),
    Raw(RawStream),
}

/// A stream of messages.
#[derive(Debug)]
pub(crate) struct MessageStream {
    direction: Direction,
    framer: Framer,
    framing: Framing,
    /// Chunks of the backlog with bytes of the message that has not ended.
    parts: Vec<GlobalSeq>,
}

/// What of a chunk's data is stored as things are.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) data: Vec<u8>,
    /// How many of these bytes are settled. The others belong to a message that has
    /// not ended.
    pub(crate) settled: usize,
    /// Why the rest of the chunk's data is not there.
    pub(crate) refusal: Option<Refusal>,
}

impl Taken {
    /// Data of which nothing is waited for.
    pub(crate) const fn settled(data: Vec<u8>) -> Self {
        Self {
            settled: data.len(),
            data,
            refusal: None,
        }
    }

    /// What was settled before something was refused.
    pub(crate) const fn until(data: Vec<u8>, refusal: Refusal) -> Self {
        Self {
            settled: data.len(),
            data,
            refusal: Some(refusal),
        }
    }
}

impl Stream {
    pub(crate) fn new(direction: Direction, framing: Framing) -> Self {
        match framing {
            Framing::Raw => Self::Raw(RawStream::default()),
            _ => Self::Messages(MessageStream::new(direction, framing)),
        }
    }

    /// Takes the data of the next chunk, which has to be pushed under this number.
    pub(crate) fn take(&mut self, desk: &mut Desk<'_>, chunk: (GlobalSeq, Vec<u8>)) -> Taken {
        match self {
            Self::Messages(stream) => stream.take(desk, chunk),
            Self::Raw(stream) => stream.take(desk, chunk),
        }
    }

    /// Says that what has not ended ends here.
    pub(crate) fn end_message(&mut self, desk: &mut Desk<'_>) -> Result<(), Refusal> {
        match self {
            Self::Messages(stream) => stream.end_message(desk),
            Self::Raw(stream) => stream.end(desk),
        }
    }
}

impl MessageStream {
    fn new(direction: Direction, framing: Framing) -> Self {
        Self {
            direction,
            framer: framer(framing),
            framing,
            parts: Vec::new(),
        }
    }

    fn take(&mut self, desk: &mut Desk<'_>, (number, mut data): (GlobalSeq, Vec<u8>)) -> Taken {
        self.framer.push(&data);
        // Absent as long as nothing has changed.
        let mut stored: Option<Vec<u8>> = None;
        let mut done = 0;
        loop {
            let pending = self.framer.pending();
            let message = match self.framer.next_message() {
                Ok(Some(message)) => message,
                Ok(None) => break,
                // Not framed as it should be: each line counts as a message from here on.
                Err(_) => {
                    self.framer.fall_back_to_lines();
                    continue;
                }
            };
            let end = data.len() - (pending - message.bytes.len());
            let changed = match desk.inspect(self.direction, &message) {
                Ok(changed) => changed,
                Err(refusal) => {
                    withdraw(desk, &mut self.parts);
                    data.truncate(done);
                    return Taken::until(stored.unwrap_or(data), refusal);
                }
            };
            for part in self.parts.drain(..) {
                desk.backlog
                    .settle(part, changed.as_ref().map(|_| &b""[..]));
            }
            match (&changed, &mut stored) {
                (None, None) => {}
                (None, Some(stored)) => stored.extend_from_slice(&data[done..end]),
                (Some(changed), stored) => stored
                    .get_or_insert_with(|| data[..done].to_vec())
                    .extend_from_slice(changed),
            }
            done = end;
        }
        if done < data.len() {
            self.parts.push(number);
        }
        let Some(mut stored) = stored else {
            return Taken {
                data,
                settled: done,
                refusal: None,
            };
        };
        let settled = stored.len();
        stored.extend_from_slice(&data[done..]);
        Taken {
            data: stored,
            settled,
            refusal: None,
        }
    }

    fn end_message(&mut self, desk: &mut Desk<'_>) -> Result<(), Refusal> {
        let Some(last) = self.parts.pop() else {
            return Ok(());
        };
        let mut ended = std::mem::replace(&mut self.framer, framer(self.framing));
        ended.finish();
        loop {
            let message = match ended.next_message() {
                Ok(Some(message)) => message,
                Ok(None) => return Ok(()),
                Err(_) => {
                    ended.fall_back_to_lines();
                    continue;
                }
            };
            let changed = match desk.inspect(self.direction, &message) {
                Ok(changed) => changed,
                Err(refusal) => {
                    self.parts.push(last);
                    withdraw(desk, &mut self.parts);
                    return Err(refusal);
                }
            };
            for part in self.parts.drain(..) {
                desk.backlog
                    .settle(part, changed.as_ref().map(|_| &b""[..]));
            }
            desk.backlog.settle(last, changed.as_deref());
        }
    }
}

/// Takes a refused message out of the chunks that it began in, which wait no longer.
fn withdraw(desk: &mut Desk<'_>, parts: &mut Vec<GlobalSeq>) {
    for part in parts.drain(..) {
        desk.backlog.settle(part, Some(b""));
    }
}

/// Of any length: what is held is bounded as a whole.
fn framer(framing: Framing) -> Framer {
    Framer::new(framing, FramingLimits::new(usize::MAX))
}
