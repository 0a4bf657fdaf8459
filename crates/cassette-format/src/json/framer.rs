//! Cutting a stream into messages, whatever pieces it arrives in.

use std::collections::VecDeque;
use std::fmt;

use super::message_search::{Extent, MessageSearch, Stretch};
use super::{Ending, Framing, FramingError, FramingLimits, Message};

/// Cuts one direction of a stream into messages.
///
/// Push bytes as they come, then take messages until there are none. The
/// messages are the same however the bytes were cut (but for `Raw`), and the
/// work is linear in the bytes: no byte is searched twice. Memory: at most 2.5
/// times the longest message or push, that much only for the moment in which
/// the buffer grows, and up to 1 MiB.
///
/// An error is final and each call repeats it, but no byte is lost:
/// [`fall_back_to_raw`](Self::fall_back_to_raw) hands out what is pending, and
/// [`fall_back_to_lines`](Self::fall_back_to_lines) line by line.
///
/// ```
/// use cassette_format::json::{Framer, Framing, FramingLimits};
///
/// let mut framer = Framer::new(Framing::Lines, FramingLimits::new(1024));
/// framer.push(b"{\"id\":1}\r\n{\"id\"");
/// let message = framer.next_message()?.unwrap();
/// assert_eq!(message.bytes, b"{\"id\":1}\r\n");
/// assert_eq!(message.content(), b"{\"id\":1}");
/// assert_eq!(framer.next_message()?, None);
/// assert_eq!((framer.offset(), framer.pending()), (10, 5));
/// framer.finish();
/// assert_eq!(framer.next_message()?.unwrap().bytes, b"{\"id\"");
/// # Ok::<(), cassette_format::json::FramingError>(())
/// ```
pub struct Framer {
    framing: Framing,
    limits: FramingLimits,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were handed out.
    taken: usize,
    /// Offset in the stream of the first pending byte.
    offset: u64,
    search: MessageSearch,
    /// Lengths of the pushes that are pending, of `Raw` only.
    pushes: VecDeque<usize>,
    end: End,
    error: Option<FramingError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Open,
    Reached,
}

impl Framer {
    /// Capacity in bytes that an empty buffer may keep.
    const KEPT_CAPACITY: usize = 1 << 20;
    /// Least growth of the buffer in bytes.
    const LEAST_GROWTH: usize = 1 << 10;

    /// A framer at the start of a stream.
    #[must_use]
    pub fn new(framing: Framing, limits: FramingLimits) -> Self {
        Self {
            framing,
            limits,
            buffer: Vec::new(),
            taken: 0,
            offset: 0,
            search: MessageSearch::default(),
            pushes: VecDeque::new(),
            end: End::Open,
            error: None,
        }
    }

    /// How the stream is cut; `Raw` or `Lines` after a fall-back.
    #[must_use]
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Number of bytes that were pushed and are not part of a message yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.taken
    }

    /// Offset in the stream of the first pending byte.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Takes the next bytes of the stream; no bytes are no message either.
    ///
    /// Never fails: whether they break a limit [`next_message`] finds out, so
    /// call that after each push, lest an endless message grow without bound.
    ///
    /// [`next_message`]: Self::next_message
    pub fn push(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.make_room(bytes.len());
        self.buffer.extend_from_slice(bytes);
        if self.framing == Framing::Raw {
            self.pushes.push_back(bytes.len());
        }
    }

    /// Says that the stream has ended: what is pending after the last whole
    /// message becomes a message too.
    pub fn finish(&mut self) {
        self.end = End::Reached;
    }

    /// The next message; `None` while it is incomplete.
    ///
    /// # Errors
    /// If a limit is exceeded or a header is bad, again at each further call.
    /// `Raw` never fails: what it yields has arrived already.
    pub fn next_message(&mut self) -> Result<Option<Message<'_>>, FramingError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let found = self.find().inspect_err(|error| self.error = Some(*error))?;
        let (extent, ending) = match found {
            Some(extent) => (extent, Ending::Complete),
            None if self.end == End::Reached && self.pending() > 0 => {
                (self.rest(), Ending::EndOfStream)
            }
            None => {
                self.release();
                return Ok(None);
            }
        };
        let first = self.taken;
        let start = self.offset;
        self.taken += extent.len;
        self.offset += extent.len as u64;
        self.search = MessageSearch::default();
        Ok(Some(Message {
            bytes: &self.buffer[first..self.taken],
            start,
            content: extent.content,
            ending,
        }))
    }

    /// Gives up finding messages: what is pending becomes one message, and
    /// each later push another. Clears an error.
    pub fn fall_back_to_raw(&mut self) {
        if self.framing != Framing::Raw {
            self.framing = Framing::Raw;
            self.pushes
                .extend(Some(self.pending()).filter(|len| *len > 0));
        }
        self.error = None;
    }

    /// Gives up the framing and takes each line for a message from what is pending on:
    /// for a stream that lost its framing and whose messages must be seen whole all the
    /// same. Clears an error.
    pub fn fall_back_to_lines(&mut self) {
        self.framing = Framing::Lines;
        self.pushes.clear();
        self.search = MessageSearch::default();
        self.error = None;
    }

    /// The first pending message, if it is whole.
    fn find(&mut self) -> Result<Option<Extent>, FramingError> {
        let stretch = Stretch {
            bytes: &self.buffer[self.taken..],
            start: self.offset,
        };
        match self.framing {
            Framing::Lines => self.search.find_line(stretch, self.limits),
            Framing::ContentLength => self.search.find_body(stretch, self.limits),
            Framing::Raw => Ok(self.pushes.pop_front().map(Extent::of_content)),
        }
    }

    /// All that is pending, as the stream's unfinished last message.
    fn rest(&self) -> Extent {
        match self.framing {
            Framing::ContentLength => self.search.unfinished_body(self.pending()),
            Framing::Lines | Framing::Raw => Extent::of_content(self.pending()),
        }
    }

    /// Gives the memory of a large buffer back if nothing is pending, as each call of
    /// [`next_message`](Self::next_message) does that finds none.
    pub fn release(&mut self) {
        if self.pending() == 0 && self.buffer.capacity() > Self::KEPT_CAPACITY {
            self.buffer = Vec::new();
            self.taken = 0;
        }
    }

    /// Makes room for `len` more bytes.
    ///
    /// What was handed out is dropped when the buffer is full; unless it was an
    /// eighth of what had to move, the buffer becomes larger by a quarter at least.
    /// So pushing stays linear.
    fn make_room(&mut self, len: usize) {
        let pending = self.pending();
        self.release();
        let is_full = |buffer: &Vec<u8>| buffer.capacity() - buffer.len() < len;
        if pending == 0 || is_full(&self.buffer) {
            let gains = self.taken >= pending / 8;
            self.buffer.drain(..self.taken);
            self.taken = 0;
            if is_full(&self.buffer) || !gains {
                let growth = len.max(pending / 4).max(Self::LEAST_GROWTH);
                // Not a second buffer: large ones are moved by the system, not copied.
                self.buffer.reserve_exact(growth);
            }
        }
    }
}

impl fmt::Debug for Framer {
    /// Shows the place, not the bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Framer")
            .field("framing", &self.framing)
            .field("limits", &self.limits)
            .field("offset", &self.offset)
            .field("pending", &self.pending())
            .field("end", &self.end)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffer_is_at_most_a_quarter_larger_than_its_message() {
        let mut framer = Framer::new(Framing::Lines, FramingLimits::new(usize::MAX));
        for push in 1..2048 {
            framer.push(&[b'x'; 4096]);
            assert_eq!(framer.next_message(), Ok(None));
            let pending = push * 4096;
            assert!(framer.buffer.capacity() <= pending + pending / 4 + 4096);
        }
        framer.push(b"\n");
        assert!(framer.next_message().unwrap().is_some());
        assert_eq!(framer.next_message(), Ok(None));
        assert!(framer.buffer.capacity() <= Framer::KEPT_CAPACITY);
    }

    /// Would not end in a lifetime if each push moved the queue.
    #[test]
    fn taking_little_from_a_full_buffer_is_linear() {
        let mut framer = Framer::new(Framing::Lines, FramingLimits::new(16));
        framer.push(&b"{}\n".repeat(3_000_000));
        framer.push(b"{}\n");
        while framer.buffer.len() + 3 <= framer.buffer.capacity() {
            framer.push(b"{}\n");
        }
        for _ in 0..300_000 {
            assert!(framer.next_message().unwrap().is_some());
            framer.push(b"{}\n");
        }
    }

    #[test]
    fn what_was_taken_does_not_stay_beside_a_growing_message() {
        let mut framer = Framer::new(Framing::Lines, FramingLimits::new(usize::MAX));
        framer.push(&[&[b'x'; 999_999][..], b"\n", &[b'y'; 1_000_001]].concat());
        assert!(framer.next_message().unwrap().is_some());
        while framer.pending() < 2_000_000 {
            framer.push(&[b'y'; 1000]);
            assert_eq!(framer.next_message(), Ok(None));
        }
        assert!(framer.buffer.capacity() <= 2_600_000);
    }
}
