//! Finding the end of one message in the bytes that have come so far, never
//! looking at a byte twice.

use memchr::memchr;

use super::header::{Header, HeaderError, Progress};
use super::{FramingError, FramingLimits, Span};

/// What is known about a message that has not ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MessageSearch {
    /// Bytes of a line in which there is no line feed.
    searched: usize,
    header: Header,
    /// Known once the header was read.
    extent: Option<Extent>,
}

/// How long a message is, and where its content lies in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) len: usize,
    pub(super) content: Span,
}

/// Pending bytes and the offset in the stream where they start. In each call
/// on a search they begin the same.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) start: u64,
}

impl Extent {
    /// A message of `len` bytes that is content only.
    pub(super) fn of_content(len: usize) -> Self {
        let content = Span::new(0, len);
        Self { len, content }
    }
}

impl MessageSearch {
    /// The line at the start of the stretch, if it has ended.
    pub(super) fn find_line(
        &mut self,
        stretch: Stretch<'_>,
        limits: FramingLimits,
    ) -> Result<Option<Extent>, FramingError> {
        let found = memchr(b'\n', &stretch.bytes[self.searched..]);
        let len = found.map_or(stretch.bytes.len(), |found| self.searched + found + 1);
        stretch.check_len(len as u64, limits)?;
        if found.is_none() {
            self.searched = len;
            return Ok(None);
        }
        let line = &stretch.bytes[..len - 1];
        let content = line.strip_suffix(b"\r").unwrap_or(line).len();
        Ok(Some(Extent {
            len,
            content: Span::new(0, content),
        }))
    }

    /// The header and body at the start of the stretch, if all has come.
    pub(super) fn find_body(
        &mut self,
        stretch: Stretch<'_>,
        limits: FramingLimits,
    ) -> Result<Option<Extent>, FramingError> {
        if self.extent.is_none() {
            self.extent = self.read_header(stretch, limits)?;
        }
        Ok(self
            .extent
            .filter(|extent| extent.len <= stretch.bytes.len()))
    }

    /// The message of `len` bytes that ended before its body did.
    pub(super) fn unfinished_body(&self, len: usize) -> Extent {
        let start = self.extent.map_or(len, |extent| extent.content.start);
        let content = Span::new(start, len);
        Extent { len, content }
    }

    fn read_header(
        &mut self,
        stretch: Stretch<'_>,
        limits: FramingLimits,
    ) -> Result<Option<Extent>, FramingError> {
        let Stretch { bytes, start } = stretch;
        let limit = limits.max_header.min(limits.max_message);
        let readable = &bytes[..bytes.len().min(limit)];
        match self.header.read(readable) {
            Ok(Progress::Finished { header, body }) => {
                let len = body.saturating_add(header as u64);
                stretch.check_len(len, limits)?;
                // The limit is a `usize`, so the length is one.
                let len = usize::try_from(len).unwrap_or(usize::MAX);
                let content = Span::new(header, len);
                Ok(Some(Extent { len, content }))
            }
            Ok(Progress::Unfinished) if bytes.len() > limit => Err(FramingError::HeaderTooLong {
                start,
                size: bytes.len() as u64,
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
}

impl Stretch<'_> {
    fn check_len(self, size: u64, limits: FramingLimits) -> Result<(), FramingError> {
        let limit = limits.max_message;
        if size > limit as u64 {
            let start = self.start;
            return Err(FramingError::TooLong { start, size, limit });
        }
        Ok(())
    }
}
