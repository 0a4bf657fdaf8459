//! What the scanner yields: tokens, whole values and members.

use super::Span;

/// The smallest piece of JSON that has a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What the piece is.
    pub kind: TokenKind,
    /// Where the piece is; one byte long for brackets.
    pub span: Span,
}

/// The kinds of [`Token`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// `{`
    BeginObject,
    /// `}`
    EndObject,
    /// `[`
    BeginArray,
    /// `]`
    EndArray,
    /// The name of a member; its colon has been read.
    Key,
    /// A string as a value.
    String,
    /// A number of any size and precision.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

/// A whole value, whatever it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// What the value is.
    pub kind: ValueKind,
    /// From the first byte of the value to its last.
    pub span: Span,
}

/// The kinds of [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number of any size and precision.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

/// A member of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name, with its quotes and as escaped as it was sent.
    pub key: Span,
    /// The value, skipped as a whole.
    pub value: Value,
}

impl ValueKind {
    /// The kind of the value that begins with `byte`.
    #[inline]
    pub(super) const fn of(byte: u8) -> Self {
        match byte {
            b'{' => Self::Object,
            b'[' => Self::Array,
            b'"' => Self::String,
            b't' => Self::True,
            b'f' => Self::False,
            b'n' => Self::Null,
            _ => Self::Number,
        }
    }
}

impl TokenKind {
    /// The kind of the value that starts with such a token, if one does.
    #[must_use]
    pub const fn value_kind(self) -> Option<ValueKind> {
        Some(match self {
            Self::BeginObject => ValueKind::Object,
            Self::BeginArray => ValueKind::Array,
            Self::String => ValueKind::String,
            Self::Number => ValueKind::Number,
            Self::True => ValueKind::True,
            Self::False => ValueKind::False,
            Self::Null => ValueKind::Null,
            Self::EndObject | Self::EndArray | Self::Key => return None,
        })
    }
}
