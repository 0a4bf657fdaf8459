//! A part of a content, and where it lies in it.

/// A part of a content, and where it lies in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buffer<'a> {
    pub(super) bytes: &'a [u8],
    /// How many bytes come before it.
    pub(super) before: u64,
    /// The last two of them.
    pub(super) tail: [u8; 2],
}

impl Buffer<'_> {
    /// Where in the content the byte at `at` is.
    #[inline]
    pub(super) const fn offset(&self, at: usize) -> u64 {
        self.before + at as u64
    }

    /// The two bytes before the one at `at`.
    pub(super) fn two_before(&self, at: usize) -> [u8; 2] {
        match self.bytes[..at] {
            [.., first, second] => [first, second],
            [second] => [self.tail[1], second],
            [] => self.tail,
        }
    }
}
