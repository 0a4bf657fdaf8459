//! Copying a message while replacing spans of it, in order.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use super::Span;

/// Replaces spans of some bytes, first to last, and leaves the others alone.
///
/// Uses no memory but for the new bytes, and none before the first edit.
#[derive(Clone)]
pub struct Splicer<'a> {
    source: &'a [u8],
    /// Empty until the first edit.
    output: Vec<u8>,
    capacity: usize,
    previous: Option<Span>,
}

/// Where one edit was made, and where its replacement is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The span that was replaced, in the original bytes.
    pub from: Span,
    /// The span of the replacement, in the new bytes.
    pub to: Span,
}

/// Edits that cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SpliceError {
    /// Two edits claim the same byte.
    #[error(
        "edit of bytes {}..{} overlaps the edit of bytes {}..{}",
        second.start, second.end, first.start, first.end
    )]
    Overlap {
        /// The span that starts first.
        first: Span,
        /// The span that starts before the first one ends.
        second: Span,
    },
    /// An edit ends before it starts or after the last byte.
    #[error("edit of bytes {}..{} does not fit a message of {len} bytes", span.start, span.end)]
    OutOfRange {
        /// The span of the edit.
        span: Span,
        /// Length of what was to be edited, in bytes.
        len: usize,
    },
}

impl<'a> Splicer<'a> {
    /// A copy of `source`, so far without edits.
    #[must_use]
    pub fn new(source: &'a [u8]) -> Self {
        // A quarter of slack: replacements are often longer, and growing
        // later would keep two copies for a moment.
        Self::with_capacity(source, source.len() + source.len() / 4)
    }

    /// The same where the length of the new bytes is known.
    pub(super) fn with_capacity(source: &'a [u8], capacity: usize) -> Self {
        Self {
            source,
            output: Vec::new(),
            capacity,
            previous: None,
        }
    }

    /// Puts `replacement` in the place of the bytes at `span`, which must not
    /// start before the previous one ends. An empty span inserts.
    ///
    /// # Errors
    /// If the span overlaps or precedes the previous one, or lies outside of
    /// the bytes. Nothing is edited then.
    pub fn replace(&mut self, span: Span, replacement: &[u8]) -> Result<Landing, SpliceError> {
        let len = self.source.len();
        if span.start > span.end || span.end > len {
            return Err(SpliceError::OutOfRange { span, len });
        }
        let copied = match self.previous {
            Some(first) if first.end > span.start => {
                let second = span;
                return Err(SpliceError::Overlap { first, second });
            }
            Some(first) => first.end,
            None => {
                self.output.reserve_exact(self.capacity);
                0
            }
        };
        self.output
            .extend_from_slice(&self.source[copied..span.start]);
        let start = self.output.len();
        self.output.extend_from_slice(replacement);
        self.previous = Some(span);
        Ok(Landing {
            from: span,
            to: Span::new(start, self.output.len()),
        })
    }

    /// The bytes after the edits; borrowed where there were none.
    #[must_use]
    pub fn finish(self) -> Cow<'a, [u8]> {
        let Some(previous) = self.previous else {
            return Cow::Borrowed(self.source);
        };
        let mut output = self.output;
        output.extend_from_slice(&self.source[previous.end..]);
        Cow::Owned(output)
    }
}

impl fmt::Debug for Splicer<'_> {
    /// Shows the place, not the bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Splicer")
            .field("len", &self.source.len())
            .field("previous", &self.previous)
            .field("written", &self.output.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splicer_without_edits_borrows() {
        assert!(matches!(
            Splicer::new(b"abc").finish(),
            Cow::Borrowed(b"abc")
        ));
    }

    #[test]
    fn splicer_refuses_going_back_and_stays_usable() {
        let mut splicer = Splicer::new(b"abcdef");
        splicer.replace(Span::new(2, 3), b"CC").unwrap();
        let first = Span::new(2, 3);
        let second = Span::new(0, 1);
        let refused = splicer.replace(second, b"x").unwrap_err();
        assert_eq!(refused, SpliceError::Overlap { first, second });
        assert!(splicer.replace(Span::new(5, 7), b"x").is_err());
        let landing = splicer.replace(Span::new(3, 3), b"+").unwrap();
        assert_eq!(landing.to, Span::new(4, 5));
        assert_eq!(&splicer.finish()[..], b"abCC+def");
    }
}
