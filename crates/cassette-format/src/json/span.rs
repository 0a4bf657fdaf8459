//! Where something lies in a run of bytes.

use std::ops::Range;

/// A half-open range of byte offsets: `start..end`, `start ≤ end`.
///
/// The spans of strings and keys include their quotes; the spans of objects
/// and arrays include their brackets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just after the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The span of all of `bytes`.
    #[must_use]
    pub const fn whole(bytes: &[u8]) -> Self {
        Self::new(0, bytes.len())
    }

    /// Length in bytes; 0 where `end` lies before `start`.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span holds no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The bytes that the span covers, as they stand in `bytes`.
    ///
    /// Empty where the span does not fit `bytes`, that is, was taken from
    /// something else.
    #[must_use]
    pub fn text(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.start..self.end).unwrap_or_default()
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Self {
        span.start..span.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn span_that_does_not_fit_covers_nothing() {
        assert_eq!(Span::new(1, 9).text(b"abc"), b"");
        assert_eq!(Span::new(2, 1).text(b"abc"), b"");
        assert_eq!(Span::new(2, 1).len(), 0);
        assert_eq!(Span::new(1, 3).text(b"abc"), b"bc");
    }
}
