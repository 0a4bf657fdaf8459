//! The words of framing: how a stream is cut, what comes out, what can fail.

use std::fmt;

use thiserror::Error;

use super::Span;
use super::header::write_header;

/// How messages are told apart in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// One message a line. Only a line feed ends a line: not a carriage
    /// return, not U+2028.
    Lines,
    /// `Content-Length: <bytes>` and other header fields, an empty line, then
    /// the body, as the Language Server Protocol has it. Header lines may end
    /// in a line feed alone.
    ContentLength,
    /// Each push is a message.
    Raw,
}

/// Bounds of what a framer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramingLimits {
    /// Longest message in bytes, with terminator or header.
    pub max_message: usize,
    /// Longest header in bytes, with the empty line; of `ContentLength` only.
    pub max_header: usize,
}

impl FramingLimits {
    /// `max_message` bytes a message, and 64 KiB of them for the header.
    #[must_use]
    pub const fn new(max_message: usize) -> Self {
        Self {
            max_message,
            max_header: 64 * 1024,
        }
    }
}

/// One message of a stream, with everything that belongs to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    /// All bytes, with terminator or header.
    pub bytes: &'a [u8],
    /// Offset of the first byte in the stream.
    pub start: u64,
    /// Where in `bytes` the content is: the line without `\n` or `\r\n`, the
    /// body after the header, or all of a raw message.
    pub content: Span,
    /// Whether the message is whole.
    pub ending: Ending,
}

/// How a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// As its framing says.
    Complete,
    /// With the stream: a line without line feed, half a header (then the
    /// content is empty and at the end), or half a body.
    EndOfStream,
}

/// Bytes that the framing cannot make a message of. They stay pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FramingError {
    /// A message is longer than allowed.
    #[error("message at byte {start} of the stream has {size} bytes or more, limit {limit}")]
    TooLong {
        /// Offset in the stream of the message's first byte.
        start: u64,
        /// Size in bytes as far as it is known: arrived or announced.
        size: u64,
        /// The limit that it exceeds.
        limit: usize,
    },
    /// A header is longer than allowed.
    #[error("header at byte {start} of the stream has {size} bytes or more, limit {limit}")]
    HeaderTooLong {
        /// Offset in the stream of the message's first byte.
        start: u64,
        /// Size in bytes as far as it has arrived.
        size: u64,
        /// The limit that it exceeds.
        limit: usize,
    },
    /// A header line is no `name: value`.
    #[error("header line at byte {line} of the stream has no field name")]
    HeaderLine {
        /// Offset of the line in the stream.
        line: u64,
    },
    /// A `Content-Length` is no decimal number that fits, or the second one
    /// contradicts the first.
    #[error("header line at byte {line} of the stream has no usable content length")]
    ContentLength {
        /// Offset of the line in the stream.
        line: u64,
    },
    /// A header ended and no `Content-Length` was in it.
    #[error("header at byte {start} of the stream has no content length")]
    NoContentLength {
        /// Offset in the stream of the message's first byte.
        start: u64,
    },
}

impl<'a> Message<'a> {
    /// The content alone.
    #[must_use]
    pub fn content(&self) -> &'a [u8] {
        self.content.text(self.bytes)
    }

    /// What of it is to be looked at: the content, or all of a message that ended with
    /// the stream, which may be half a header.
    #[must_use]
    pub fn judged(&self) -> &'a [u8] {
        match self.ending {
            Ending::Complete => self.content(),
            Ending::EndOfStream => self.bytes,
        }
    }

    /// All bytes of the message with other bytes in the place of
    /// [`judged`](Self::judged), as [`with_content`](Self::with_content) does it.
    #[must_use]
    pub fn with_judged(&self, mut judged: Vec<u8>) -> Vec<u8> {
        match self.ending {
            Ending::Complete if self.content.start > 0 => self.with_content(&judged),
            Ending::Complete => {
                let terminator = &self.bytes[self.content.end..];
                judged.reserve_exact(terminator.len());
                judged.extend_from_slice(terminator);
                judged
            }
            Ending::EndOfStream => judged,
        }
    }

    /// Offset in the stream just after the last byte.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// All bytes of the message with another content: its terminator stays, and of
    /// a header all but the number of `Content-Length`, which becomes that of a
    /// message that is whole.
    #[must_use]
    pub fn with_content(&self, content: &[u8]) -> Vec<u8> {
        let (header, terminator) = (
            &self.bytes[..self.content.start],
            &self.bytes[self.content.end..],
        );
        let mut bytes = Vec::with_capacity(header.len() + content.len() + terminator.len() + 8);
        match self.ending {
            Ending::Complete => write_header(&mut bytes, header, content.len()),
            Ending::EndOfStream => bytes.extend_from_slice(header),
        }
        bytes.extend_from_slice(content);
        bytes.extend_from_slice(terminator);
        bytes
    }
}

impl fmt::Debug for Message<'_> {
    /// Shows the place, not the bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("start", &self.start)
            .field("end", &self.end())
            .field("content", &self.content)
            .field("ending", &self.ending)
            .finish_non_exhaustive()
    }
}
