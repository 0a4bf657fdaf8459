//! One stream of a connection, cut into messages whose bytes lie in chunks.
//!
//! A message that stays as it is leaves its bytes in the chunks in which they came.
//! One that changes is stored whole in the chunk in which it ends, and earlier
//! chunks keep none of it. One that goes on after it was said to have ended is looked at
//! as a whole again, and its rest is stored if it continues what is stored of it.

use std::collections::VecDeque;
use std::fmt;

use cassette_format::json::{Ending, Framer, Framing, FramingLimits, Message};
use cassette_format::portable::Direction;
use cassette_format::schema::GlobalSeq;

use crate::desk::Desk;
use crate::inspector::Refusal;
use crate::raw_stream::RawStream;

/// Size of a message in bytes up to which it stays in memory twice while it is looked at, as
/// that spares a copy.
const KEPT_TWICE: usize = 64 * 1024;

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
    parts: VecDeque<Part>,
    begun: Option<Begun>,
}

/// The last bytes of a chunk, which belong to no message yet.
#[derive(Debug, Clone, Copy)]
struct Part {
    number: GlobalSeq,
    bytes: usize,
}

/// A message that was said to have ended, and may go on all the same.
struct Begun {
    /// How many bytes of it the framer still has.
    bytes: usize,
    stored: Vec<u8>,
}

impl fmt::Debug for Begun {
    /// Shows no traffic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, .. } = self;
        f.debug_struct("Begun")
            .field("bytes", bytes)
            .finish_non_exhaustive()
    }
}

/// What of a message has not been stored before.
struct Rest {
    /// Absent if its bytes stay as they are.
    changed: Option<Vec<u8>>,
    /// How many they are.
    bytes: usize,
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
            parts: VecDeque::new(),
            begun: None,
        }
    }

    fn take(&mut self, desk: &mut Desk<'_>, (number, mut data): (GlobalSeq, Vec<u8>)) -> Taken {
        let begins_here = self.framer.pending() == 0 && self.begun.is_none();
        self.framer.push(&data);
        // Absent as long as nothing has changed.
        let mut stored: Option<Vec<u8>> = None;
        let mut done = 0;
        loop {
            let message = match self.framer.next_message() {
                Ok(Some(message)) => message,
                Ok(None) => break,
                // Not framed as it should be: each line counts as a message from here on.
                Err(_) => {
                    self.framer.fall_back_to_lines();
                    continue;
                }
            };
            if begins_here && message.bytes.len() == data.len() {
                // Not two of a large one while it is looked at.
                let kept = (data.len() <= KEPT_TWICE).then_some(data);
                let taken = match desk.inspect(self.direction, &message) {
                    Ok(changed) => {
                        Taken::settled(changed.or(kept).unwrap_or_else(|| message.bytes.to_vec()))
                    }
                    Err(refusal) => Taken::until(Vec::new(), refusal),
                };
                self.framer.release();
                return taken;
            }
            let changed = desk.inspect(self.direction, &message);
            let rest = changed.and_then(|it| Rest::of(&message, it, self.begun.take()));
            let Rest { changed, bytes } = match rest {
                Ok(rest) => rest,
                Err(refusal) => {
                    withdraw(desk, &mut self.parts);
                    data.truncate(done);
                    return Taken::until(stored.unwrap_or(data), refusal);
                }
            };
            let here = settle(desk, &mut self.parts, (bytes, changed.as_deref()));
            if here == 0 {
                continue;
            }
            let end = done + here;
            match (&changed, &mut stored) {
                (None, None) => {}
                (None, Some(stored)) => stored.extend_from_slice(&data[done..end]),
                (Some(changed), stored) => stored
                    .get_or_insert_with(|| data[..done].to_vec())
                    .extend_from_slice(changed),
            }
            done = end;
        }
        let open = data.len() - done;
        if open > 0 {
            self.parts.push_back(Part {
                number,
                bytes: open,
            });
        }
        let data = match stored {
            None => data,
            Some(mut stored) => {
                stored.extend_from_slice(&data[done..]);
                stored
            }
        };
        Taken {
            settled: data.len() - open,
            data,
            refusal: None,
        }
    }

    fn end_message(&mut self, desk: &mut Desk<'_>) -> Result<(), Refusal> {
        if self.parts.is_empty() {
            return Ok(());
        }
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
            let changed = desk.inspect(self.direction, &message);
            let begun = self.begun.take();
            if let (Ok(changed), Ending::EndOfStream) = (&changed, message.ending) {
                self.framer.push(message.bytes);
                self.begun = Some(Begun {
                    bytes: message.bytes.len(),
                    stored: changed.as_deref().unwrap_or(message.bytes).to_vec(),
                });
            }
            let rest = changed.and_then(|it| Rest::of(&message, it, begun));
            let rest = rest.inspect_err(|_| withdraw(desk, &mut self.parts))?;
            settle(desk, &mut self.parts, (rest.bytes, rest.changed.as_deref()));
        }
    }
}

impl Rest {
    /// What is stored of a message, `changed` or as it is, unless it has begun before.
    fn of(
        message: &Message<'_>,
        changed: Option<Vec<u8>>,
        begun: Option<Begun>,
    ) -> Result<Self, Refusal> {
        let bytes = message.bytes;
        let Some(begun) = begun else {
            let bytes = bytes.len();
            return Ok(Self { changed, bytes });
        };
        let rest = changed.as_deref().unwrap_or(bytes);
        let rest = rest.strip_prefix(&*begun.stored);
        let bytes = bytes.len().checked_sub(begun.bytes);
        match (rest, bytes) {
            (Some(rest), Some(bytes)) => Ok(Self {
                changed: changed.as_ref().map(|_| rest.to_vec()),
                bytes,
            }),
            _ => Err(Refusal::WentOn),
        }
    }
}

/// Settles the next `bytes` of the parts, which one message has: they stay as they are,
/// or the last chunk of them has `changed` instead. Gives how many bytes of the message
/// are in no part.
fn settle(
    desk: &mut Desk<'_>,
    parts: &mut VecDeque<Part>,
    (mut bytes, changed): (usize, Option<&[u8]>),
) -> usize {
    while bytes > 0
        && let Some(part) = parts.front_mut()
    {
        let here = part.bytes.min(bytes);
        bytes -= here;
        part.bytes -= here;
        let ends_here = bytes == 0;
        let instead = changed.map(|changed| if ends_here { changed } else { b"" });
        desk.backlog.settle_next(part.number, here, instead);
        if part.bytes == 0 {
            parts.pop_front();
        }
    }
    bytes
}

/// Takes a refused message out of the chunks that it began in, which wait no longer, with
/// what came behind it.
fn withdraw(desk: &mut Desk<'_>, parts: &mut VecDeque<Part>) {
    for part in parts.drain(..) {
        desk.backlog.settle(part.number, Some(b""));
    }
}

/// Of any length: what is held is bounded as a whole.
fn framer(framing: Framing) -> Framer {
    Framer::new(framing, FramingLimits::new(usize::MAX))
}
