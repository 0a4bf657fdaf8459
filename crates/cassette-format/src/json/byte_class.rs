//! What a byte can begin or do, outside of strings.

/// The role of a byte between values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum ByteClass {
    /// Nothing in JSON begins with it.
    Other,
    /// Blank, tabulator, line feed, carriage return.
    White,
    /// `"`
    Quote,
    /// `-` or a digit.
    Number,
    /// `t`, `f` or `n`.
    Word,
    /// `{`
    OpenObject,
    /// `[`
    OpenArray,
    /// `}`
    CloseObject,
    /// `]`
    CloseArray,
    /// `,`
    Comma,
    /// `:`
    Colon,
}

static CLASSES: [ByteClass; 256] = classes();

const fn classes() -> [ByteClass; 256] {
    let mut table = [ByteClass::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' => ByteClass::White,
            b'"' => ByteClass::Quote,
            b'-' | b'0'..=b'9' => ByteClass::Number,
            b't' | b'f' | b'n' => ByteClass::Word,
            b'{' => ByteClass::OpenObject,
            b'[' => ByteClass::OpenArray,
            b'}' => ByteClass::CloseObject,
            b']' => ByteClass::CloseArray,
            b',' => ByteClass::Comma,
            b':' => ByteClass::Colon,
            _ => ByteClass::Other,
        };
        byte += 1;
    }
    table
}

impl ByteClass {
    /// The role of `byte`.
    #[inline]
    pub(super) fn of(byte: u8) -> Self {
        CLASSES[usize::from(byte)]
    }

    /// The role of the byte at `offset`; `Other` at the end of `bytes`.
    #[inline]
    pub(super) fn at(bytes: &[u8], offset: usize) -> Self {
        bytes
            .get(offset)
            .map_or(Self::Other, |byte| Self::of(*byte))
    }
}

/// The offset of the first byte at or after `offset` that is not white space.
#[inline]
pub(super) fn skip_white(bytes: &[u8], mut offset: usize) -> usize {
    while ByteClass::at(bytes, offset) == ByteClass::White {
        offset += 1;
    }
    offset
}
