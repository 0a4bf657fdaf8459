//! Why some bytes are not JSON: place, what was expected, what was found.

use std::fmt;

use thiserror::Error;

/// Bytes that are not JSON.
///
/// Says what kind of byte was met, never which text, since that may be secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {expected} at byte {offset}, found {found}")]
#[non_exhaustive]
pub struct ScanError {
    /// Offset of the first byte that does not fit; the length of the input
    /// where that ended too early.
    pub offset: usize,
    /// What the grammar asks for there.
    pub expected: Expected,
    /// What stands there instead.
    pub found: Found,
}

/// What the grammar asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expected {
    /// Any value.
    Value,
    /// A value or `]`, just after `[`.
    ValueOrArrayEnd,
    /// A key or `}`, just after `{`.
    KeyOrObjectEnd,
    /// A key, after a comma.
    Key,
    /// The colon between key and value.
    Colon,
    /// A comma or `]`, after an element.
    CommaOrArrayEnd,
    /// A comma or `}`, after a member.
    CommaOrObjectEnd,
    /// White space or the start of another kind of value, after a number or a
    /// word at the top.
    Separator,
    /// A decimal digit.
    Digit,
    /// A fraction, an exponent or the end of a number, after a leading zero.
    NumberEnd,
    /// The next letter of `true`, `false` or `null`.
    Word,
    /// The rest of a string; control characters must be escaped in it.
    StringBody,
    /// One of `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t`, `u`, after a backslash.
    Escape,
    /// A hexadecimal digit, after `\u`.
    HexDigit,
    /// A well-formed UTF-8 sequence.
    Utf8,
}

/// The kind of byte that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Found {
    /// The input ended.
    End,
    /// One of `{`, `}`, `[`, `]`, `:`, `,`, `"`.
    Structural(char),
    /// A decimal digit.
    Digit,
    /// An ASCII letter.
    Letter,
    /// White space of JSON that is not a control character: a blank.
    Blank,
    /// The control character of this code.
    Control(u8),
    /// Another ASCII character.
    Symbol,
    /// A byte order mark.
    ByteOrderMark,
    /// A byte of 0x80 or more.
    NonAscii,
}

impl ScanError {
    /// The error for what stands at `offset` of `bytes`.
    #[cold]
    pub(super) fn at(bytes: &[u8], offset: usize, expected: Expected) -> Self {
        Self {
            offset,
            expected,
            found: Found::at(bytes, offset),
        }
    }

    /// Whether more input might mend it: the bytes are the start of a JSON
    /// text that was cut.
    #[must_use]
    pub fn is_unexpected_end(&self) -> bool {
        self.found == Found::End
    }
}

impl Found {
    fn at(bytes: &[u8], offset: usize) -> Self {
        match bytes.get(offset..).unwrap_or_default() {
            [] => Self::End,
            [0xef, 0xbb, 0xbf, ..] => Self::ByteOrderMark,
            [byte, ..] => match byte {
                b'{' | b'}' | b'[' | b']' | b':' | b',' | b'"' => {
                    Self::Structural(char::from(*byte))
                }
                b'0'..=b'9' => Self::Digit,
                b'a'..=b'z' | b'A'..=b'Z' => Self::Letter,
                b' ' => Self::Blank,
                0..0x20 | 0x7f => Self::Control(*byte),
                0x80.. => Self::NonAscii,
                _ => Self::Symbol,
            },
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "a value",
            Self::ValueOrArrayEnd => "a value or `]`",
            Self::KeyOrObjectEnd => "a key or `}`",
            Self::Key => "a key",
            Self::Colon => "`:`",
            Self::CommaOrArrayEnd => "`,` or `]`",
            Self::CommaOrObjectEnd => "`,` or `}`",
            Self::Separator => "white space or another value",
            Self::Digit => "a digit",
            Self::NumberEnd => "no digit after a leading zero",
            Self::Word => "the rest of `true`, `false` or `null`",
            Self::StringBody => "the rest of a string",
            Self::Escape => "an escape letter",
            Self::HexDigit => "a hexadecimal digit",
            Self::Utf8 => "utf-8",
        })
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("the end"),
            Self::Structural(character) => write!(f, "`{character}`"),
            Self::Digit => f.write_str("a digit"),
            Self::Letter => f.write_str("a letter"),
            Self::Blank => f.write_str("a blank"),
            Self::Control(code) => write!(f, "control character 0x{code:02x}"),
            Self::Symbol => f.write_str("a symbol"),
            Self::ByteOrderMark => f.write_str("a byte order mark"),
            Self::NonAscii => f.write_str("a non-ascii byte"),
        }
    }
}
