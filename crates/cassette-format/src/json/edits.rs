//! A list of replacements that is made first and applied later.

use std::borrow::Cow;
use std::fmt;

use super::{Landing, Span, SpliceError, Splicer};

/// Replacements to make in some bytes.
///
/// Spans must not overlap; they may come in any order. An empty span inserts;
/// what is inserted at the same place lands in the order of the calls, and
/// before what replaces bytes from there on. Costs 32 bytes of memory an edit,
/// as many for its landing, and the replacements themselves; edits that come
/// in order, and whose number a stranger decides, can go through a
/// [`Splicer`] at no such cost.
#[derive(Clone, Default)]
pub struct Edits {
    edits: Vec<Edit>,
    replacements: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Edit {
    span: Span,
    replacement: Span,
}

/// What came of applying [`Edits`].
#[derive(Clone)]
pub struct Spliced<'a> {
    /// The bytes after the edits; borrowed where there were none.
    pub bytes: Cow<'a, [u8]>,
    /// The edits by position, each with where it was and where it landed.
    pub landings: Vec<Landing>,
}

impl Edits {
    /// No edits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts `replacement` in the place of the bytes at `span`.
    ///
    /// Whether that is possible [`apply`](Self::apply) finds out.
    pub fn replace(&mut self, span: Span, replacement: &[u8]) {
        let start = self.replacements.len();
        self.replacements.extend_from_slice(replacement);
        let replacement = Span::new(start, self.replacements.len());
        self.edits.push(Edit { span, replacement });
    }

    /// Number of edits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Where the edit ends that was added last.
    pub(crate) fn end(&self) -> usize {
        self.edits.last().map_or(0, |edit| edit.span.end)
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Length in bytes that a message of `len` bytes will have, for limits
    /// that must hold before memory is used. Means nothing where `apply` fails.
    #[must_use]
    pub fn len_after(&self, len: usize) -> usize {
        let removed: usize = self.edits.iter().map(|edit| edit.span.len()).sum();
        (len + self.replacements.len()).saturating_sub(removed)
    }

    /// Makes the edits in `bytes`. Bytes outside of their spans stay the same.
    ///
    /// # Errors
    /// If edits overlap, or one lies outside of `bytes`.
    pub fn apply<'a>(&self, bytes: &'a [u8]) -> Result<Spliced<'a>, SpliceError> {
        if self.edits.is_empty() {
            return Ok(Spliced {
                bytes: Cow::Borrowed(bytes),
                landings: Vec::new(),
            });
        }
        let edits = self.in_order();
        let mut splicer = Splicer::with_capacity(bytes, self.len_after(bytes.len()));
        let mut landings = Vec::with_capacity(edits.len());
        for edit in edits.iter() {
            let replacement = edit.replacement.text(&self.replacements);
            landings.push(splicer.replace(edit.span, replacement)?);
        }
        let bytes = splicer.finish();
        Ok(Spliced { bytes, landings })
    }

    /// The edits by position; copied only where they came in another order.
    fn in_order(&self) -> Cow<'_, [Edit]> {
        let key = |edit: &Edit| (edit.span.start, edit.span.end);
        if self.edits.is_sorted_by_key(key) {
            return Cow::Borrowed(&self.edits);
        }
        let mut edits = self.edits.clone();
        edits.sort_by_key(key);
        Cow::Owned(edits)
    }
}

impl Spliced<'_> {
    /// Where a boundary before the original byte at `offset` is now.
    ///
    /// A boundary inside of an edited span moves behind the replacement, so
    /// that cutting the new bytes at the moved boundaries gives each
    /// replacement as a whole to the piece that held the span's first byte.
    #[must_use]
    pub fn boundary(&self, offset: usize) -> usize {
        let before = self
            .landings
            .partition_point(|landing| landing.from.start < offset);
        let last = before
            .checked_sub(1)
            .and_then(|last| self.landings.get(last));
        last.map_or(offset, |last| {
            last.to.end + offset.saturating_sub(last.from.end)
        })
    }
}

impl fmt::Debug for Edits {
    /// Shows the spans, not the replacements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spans = self.edits.iter().map(|edit| edit.span);
        f.debug_list().entries(spans).finish()
    }
}

impl fmt::Debug for Spliced<'_> {
    /// Shows the places, not the bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spliced")
            .field("len", &self.bytes.len())
            .field("landings", &self.landings)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(list: &[(usize, usize, &str)]) -> Edits {
        let mut edits = Edits::new();
        for (start, end, replacement) in list {
            edits.replace(Span::new(*start, *end), replacement.as_bytes());
        }
        edits
    }

    #[test]
    fn no_edits_borrow_the_original() {
        let spliced = Edits::new().apply(b"abc").unwrap();
        assert!(matches!(spliced.bytes, Cow::Borrowed(b"abc")));
        assert_eq!(spliced.boundary(2), 2);
    }

    #[test]
    fn edits_replace_their_spans_in_any_order() {
        let edits = edits(&[
            (4, 6, "EEEE"),
            (1, 2, ""),
            (0, 0, "<"),
            (8, 8, ">"),
            (0, 0, "!"),
        ]);
        let spliced = edits.apply(b"abcdefgh").unwrap();
        assert_eq!(&spliced.bytes[..], b"<!acdEEEEgh>");
        assert_eq!(edits.len_after(8), 12);
        let landed: Vec<_> = spliced.landings.iter().map(|landing| landing.to).collect();
        let expected = [(0, 1), (1, 2), (3, 3), (5, 9), (11, 12)];
        assert_eq!(landed, expected.map(|(start, end)| Span::new(start, end)));
    }

    #[test]
    fn overlapping_edits_are_refused() {
        let first = Span::new(1, 4);
        let second = Span::new(3, 5);
        assert_eq!(
            edits(&[(3, 5, "x"), (1, 4, "y")])
                .apply(b"abcdef")
                .unwrap_err(),
            SpliceError::Overlap { first, second }
        );
        assert!(edits(&[(1, 3, "x"), (3, 5, "y")]).apply(b"abcdef").is_ok());
    }

    #[test]
    fn edits_outside_of_the_bytes_are_refused() {
        for (start, end) in [(2, 4), (2, 1), (4, 4)] {
            let span = Span::new(start, end);
            assert_eq!(
                edits(&[(start, end, "")]).apply(b"abc").unwrap_err(),
                SpliceError::OutOfRange { span, len: 3 }
            );
        }
    }

    #[test]
    fn replacement_belongs_to_the_piece_with_the_first_byte() {
        let edits = edits(&[(2, 6, "123456789"), (8, 8, "+")]);
        let spliced = edits.apply(b"abcdefghij").unwrap();
        assert_eq!(&spliced.bytes[..], b"ab123456789gh+ij");
        let moved: Vec<_> = (0..=10).map(|offset| spliced.boundary(offset)).collect();
        assert_eq!(moved, [0, 1, 2, 11, 11, 11, 11, 12, 13, 15, 16]);
    }
}
