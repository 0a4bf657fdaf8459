//! What may come next between two tokens, and what does.

use super::byte_class::{ByteClass, skip_white};
use super::nesting::Container;
use super::scan_error::{Expected, ScanError};
use super::skip::missing_comma;

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Between values at the top.
    Top,
    /// Just after `{`.
    ObjectFirst,
    /// The value of the member whose key was read.
    MemberValue,
    /// After a member.
    ObjectRest,
    /// Just after `[`.
    ArrayFirst,
    /// After an element.
    ArrayRest,
}

/// What comes next, once white space and commas are out of the way.
pub(super) enum Place {
    /// A value, or else an error that says so.
    Value { offset: usize, expected: Expected },
    /// A key, or else an error that says so.
    Key { offset: usize, expected: Expected },
    /// The bracket that closes the innermost container.
    Close { offset: usize },
    /// The end of the bytes.
    End,
}

impl State {
    /// What comes at or after `offset` of `bytes`.
    #[inline]
    pub(super) fn place(self, bytes: &[u8], offset: usize) -> Result<Place, ScanError> {
        let offset = skip_white(bytes, offset);
        let next = ByteClass::at(bytes, offset);
        let value = |offset, expected| Ok(Place::Value { offset, expected });
        let key = |offset, expected| Ok(Place::Key { offset, expected });
        match (self, next) {
            (Self::Top, ByteClass::Other) if offset == bytes.len() => Ok(Place::End),
            (Self::Top | Self::MemberValue, _) => value(offset, Expected::Value),
            (Self::ObjectFirst | Self::ObjectRest, ByteClass::CloseObject)
            | (Self::ArrayFirst | Self::ArrayRest, ByteClass::CloseArray) => {
                Ok(Place::Close { offset })
            }
            (Self::ObjectFirst, _) => key(offset, Expected::KeyOrObjectEnd),
            (Self::ArrayFirst, _) => value(offset, Expected::ValueOrArrayEnd),
            (Self::ObjectRest, ByteClass::Comma) => {
                key(skip_white(bytes, offset + 1), Expected::Key)
            }
            (Self::ArrayRest, ByteClass::Comma) => {
                value(skip_white(bytes, offset + 1), Expected::Value)
            }
            (Self::ObjectRest, _) => Err(missing_comma(bytes, offset, Container::Object)),
            (Self::ArrayRest, _) => Err(missing_comma(bytes, offset, Container::Array)),
        }
    }
}
