//! Where a secret was found.

use std::ops::Range;

use cassette_format::json::Span;

use super::SecretName;

/// A place of a message that holds a secret, or several that overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The secret; of several that overlap the one that begins first.
    pub name: SecretName,
    /// All bytes of the secret, in whichever form it stands there.
    pub span: Span,
}

/// A place of a byte stream that holds a secret, or several that overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamHit {
    /// The secret; of several that overlap the one that begins first.
    pub name: SecretName,
    /// Offset in the stream of its first byte.
    pub start: u64,
    /// Offset in the stream just after its last byte.
    pub end: u64,
}

impl StreamHit {
    /// The part of it in a chunk of `length` bytes that begins at `chunk`, as
    /// offsets in the chunk; empty if there is none.
    pub(super) fn within(&self, chunk: u64, length: usize) -> Range<usize> {
        let offset =
            |at: u64| usize::try_from(at.saturating_sub(chunk)).map_or(length, |at| at.min(length));
        offset(self.start)..offset(self.end)
    }
}
