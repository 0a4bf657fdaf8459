//! Cutting a stream into messages, whatever pieces it arrives in.

use std::collections::VecDeque;
use std::fmt;

use memchr::memchr;

use super::header::{Header, HeaderError, Progress};
use super::{Ending, Framing, FramingError, FramingLimits, Message, Span};

/// Cuts one direction of a stream into messages.
///
/// Push bytes as they come, then take messages until there are none. The
/// messages are the same however the bytes were cut (but for `Raw`), and the
/// work is linear in the bytes: no byte is searched twice. Memory: at most 2.5
/// times the longest message or push, that much only for the moment in which
/// the buffer grows, and up to 1 MiB.
///
/// An error is final and each call repeats it, but no byte is lost:
/// [`fall_back_to_raw`](Self::fall_back_to_raw) hands out what is pending.
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
    search: Search,
    /// Lengths of the pushes that are pending, of `Raw` only.
    pushes: VecDeque<usize>,
    end: End,
    error: Option<FramingError>,
}

/// What is known about the first pending message.
#[derive(Clone, Copy, Debug, Default)]
struct Search {
    /// Pending bytes that hold no line feed.
    searched: usize,
    header: Header,
    /// Header and whole length in bytes, once the header was read.
    extent: Option<Extent>,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    len: usize,
    content: Span,
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
            search: Search::default(),
            pushes: VecDeque::new(),
            end: End::Open,
            error: None,
        }
    }

    /// How the stream is cut; `Raw` after a fall-back.
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
            None => return Ok(None),
        };
        let first = self.taken;
        let start = self.offset;
        self.taken += extent.len;
        self.offset += extent.len as u64;
        self.search = Search::default();
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
            self.pushes.extend(Some(self.pending()).filter(|len| *len > 0));
        }
        self.error = None;
    }

    /// The first pending message, if it is whole.
    fn find(&mut self) -> Result<Option<Extent>, FramingError> {
        match self.framing {
            Framing::Lines => self.find_line(),
            Framing::ContentLength => self.find_body(),
            Framing::Raw => Ok(self.pushes.pop_front().map(|len| Extent {
                len,
                content: Span::new(0, len),
            })),
        }
    }

    fn find_line(&mut self) -> Result<Option<Extent>, FramingError> {
        let pending = &self.buffer[self.taken..];
        let found = memchr(b'\n', &pending[self.search.searched..]);
        let len = found.map_or(pending.len(), |found| self.search.searched + found + 1);
        self.check_message_len(len as u64)?;
        if found.is_none() {
            self.search.searched = len;
            return Ok(None);
        }
        let line = &pending[..len - 1];
        let content = line.strip_suffix(b"\r").unwrap_or(line).len();
        Ok(Some(Extent {
            len,
            content: Span::new(0, content),
        }))
    }

    fn find_body(&mut self) -> Result<Option<Extent>, FramingError> {
        let extent = match self.search.extent {
            Some(extent) => extent,
            None => match self.read_header()? {
                Some(extent) => extent,
                None => return Ok(None),
            },
        };
        self.search.extent = Some(extent);
        Ok(Some(extent).filter(|extent| extent.len <= self.pending()))
    }

    fn read_header(&mut self) -> Result<Option<Extent>, FramingError> {
        let pending = &self.buffer[self.taken..];
        let limit = self.limits.max_header.min(self.limits.max_message);
        let readable = &pending[..pending.len().min(limit)];
        let start = self.offset;
        match self.search.header.read(readable) {
            Ok(Progress::Finished { header, body }) => {
                let len = body.saturating_add(header as u64);
                self.check_message_len(len)?;
                // The limit is a `usize`, so the length is one.
                let len = usize::try_from(len).unwrap_or(usize::MAX);
                let content = Span::new(header, len);
                Ok(Some(Extent { len, content }))
            }
            Ok(Progress::Unfinished) if pending.len() > limit => Err(FramingError::HeaderTooLong {
                start,
                size: pending.len() as u64,
                limit,
            }),
            Ok(Progress::Unfinished) => Ok(None),
            Err(HeaderError::Line { offset }) => Err(FramingError::HeaderLine {
                line: start + offset as u64,
            }),
            Err(HeaderError::Length { offset }) => Err(FramingError::ContentLength {
                line: start + offset as u64,
            }),
            Err(HeaderError::NoLength) => Err(FramingError::NoContentLength { start }),
        }
    }

    /// All that is pending, as the stream's unfinished last message.
    fn rest(&self) -> Extent {
        let len = self.pending();
        let content = match (self.framing, self.search.extent) {
            (Framing::ContentLength, Some(extent)) => extent.content.start,
            (Framing::ContentLength, None) => len,
            (Framing::Lines | Framing::Raw, _) => 0,
        };
        Extent {
            len,
            content: Span::new(content, len),
        }
    }

    fn check_message_len(&self, size: u64) -> Result<(), FramingError> {
        let limit = self.limits.max_message;
        if size > limit as u64 {
            let start = self.offset;
            return Err(FramingError::TooLong { start, size, limit });
        }
        Ok(())
    }

    /// Makes room for `len` more bytes.
    ///
    /// What was handed out is dropped once it is an eighth of what would have
    /// to move, or when a larger buffer, by a quarter at least, is needed
    /// anyway. So pushing stays linear, and two buffers together never hold
    /// more than 2.5 times what is pending.
    fn make_room(&mut self, len: usize) {
        let pending = self.pending();
        if pending == 0 && self.buffer.capacity() > Self::KEPT_CAPACITY {
            self.buffer = Vec::new();
            self.taken = 0;
        }
        let is_full = |buffer: &Vec<u8>| buffer.capacity() - buffer.len() < len;
        if pending == 0 || is_full(&self.buffer) && self.taken >= pending / 8 {
            self.buffer.drain(..self.taken);
            self.taken = 0;
        }
        if is_full(&self.buffer) {
            let growth = len.max(pending / 4).max(Self::LEAST_GROWTH);
            let mut larger = Vec::with_capacity(pending + growth);
            larger.extend_from_slice(&self.buffer[self.taken..]);
            self.buffer = larger;
            self.taken = 0;
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

    /// Growing holds the old buffer and the new one, at most twice 1.25 times
    /// what is pending.
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
        framer.push(b"short");
        assert!(framer.buffer.capacity() <= Framer::KEPT_CAPACITY);
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
