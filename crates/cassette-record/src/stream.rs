//! One stream of a connection, cut into messages whose bytes lie in chunks.
//!
//! A message that stays as it is leaves its bytes in the chunks in which they came.
//! One that changes is stored whole in the chunk in which it ends, and earlier
//! chunks keep none of it.

use cassette_format::json::{Framer, Framing, FramingLimits};
use cassette_format::portable::Direction;
use cassette_format::schema::GlobalSeq;

use crate::backlog::Backlog;
use crate::inspector::{Inspector, Refusal};

#[derive(Debug)]
pub(crate) struct Stream {
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
}

impl Stream {
    pub(crate) fn new(direction: Direction, framing: Framing) -> Self {
        Self {
            direction,
            framer: framer(framing),
            framing,
            parts: Vec::new(),
        }
    }

    /// Takes the data of the next chunk, which has to be pushed under this number.
    pub(crate) fn take(
        &mut self,
        backlog: &mut Backlog,
        inspector: &mut Inspector,
        (number, data): (GlobalSeq, Vec<u8>),
    ) -> Result<Taken, Refusal> {
        self.framer.push(&data);
        // Absent as long as nothing has changed.
        let mut stored: Option<Vec<u8>> = None;
        let mut done = 0;
        loop {
            let pending = self.framer.pending();
            let message = match self.framer.next_message() {
                Ok(Some(message)) => message,
                Ok(None) => break,
                // Not framed as it should be: what there is counts as one message.
                Err(_) => {
                    self.framer.fall_back_to_raw();
                    continue;
                }
            };
            let end = data.len() - (pending - message.bytes.len());
            let changed = inspector.message(self.direction, &message)?;
            for part in self.parts.drain(..) {
                backlog.settle(part, changed.as_ref().map(|_| &b""[..]));
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
            return Ok(Taken {
                data,
                settled: done,
            });
        };
        let settled = stored.len();
        stored.extend_from_slice(&data[done..]);
        Ok(Taken {
            data: stored,
            settled,
        })
    }

    /// Says that the message which has not ended ends here.
    pub(crate) fn end_message(
        &mut self,
        backlog: &mut Backlog,
        inspector: &mut Inspector,
    ) -> Result<(), Refusal> {
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
                    ended.fall_back_to_raw();
                    continue;
                }
            };
            let changed = inspector.message(self.direction, &message)?;
            for part in self.parts.drain(..) {
                backlog.settle(part, changed.as_ref().map(|_| &b""[..]));
            }
            backlog.settle(last, changed.as_deref());
        }
    }
}

/// Of any length: what is held is bounded as a whole.
fn framer(framing: Framing) -> Framer {
    Framer::new(framing, FramingLimits::new(usize::MAX))
}
