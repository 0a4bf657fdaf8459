//! Reading choices from the front of an input.

/// An input that is read from its front: choices first, then whatever is left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cuts<'a>(&'a [u8]);

impl<'a> Cuts<'a> {
    /// All of `data`.
    pub(crate) const fn of(data: &'a [u8]) -> Self {
        Self(data)
    }

    /// The next byte; 0 where there is none.
    pub(crate) fn byte(&mut self) -> u8 {
        self.next().unwrap_or(0)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u8) -> u8 {
        self.byte() % end
    }

    /// The next `count` bytes, or as many as there are.
    pub(crate) fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Whether nothing is left.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lengths of pieces: how many there are, then a byte each.
    pub(crate) fn lengths(&mut self, most: u8) -> &'a [u8] {
        let count = self.byte().min(most);
        self.bytes(count.into())
    }

    /// All that is left.
    pub(crate) const fn rest(self) -> &'a [u8] {
        self.0
    }
}

impl Iterator for Cuts<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        self.bytes(1).first().copied()
    }
}

/// `bytes` in pieces of these lengths, in turn; in one piece where there are none.
pub(crate) fn pieces<'a>(bytes: &'a [u8], lengths: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut rest = Cuts::of(bytes);
    let mut lengths = lengths.iter().cycle();
    while !rest.is_empty() {
        let length = lengths.next().map_or(bytes.len(), |it| usize::from(*it));
        pieces.push(rest.bytes(length.max(1)));
    }
    pieces
}
