//! Stepping over whole values: the loop that speed depends on.

use super::byte_class::{ByteClass, skip_white};
use super::nesting::{Container, Nesting};
use super::number::number_end;
use super::scan_error::{Expected, ScanError};
use super::string::string_end;

/// The offset just after the value that begins at `offset`, checked in full.
///
/// `offset` is past white space; `expected` is what to say where no value
/// begins.
pub(super) fn value_end(
    bytes: &[u8],
    offset: usize,
    expected: Expected,
) -> Result<usize, ScanError> {
    let mut nesting = Nesting::default();
    let mut offset = offset;
    let mut expected = expected;
    loop {
        // A value begins here.
        match ByteClass::at(bytes, offset) {
            ByteClass::Quote => offset = string_end(bytes, offset)?,
            ByteClass::Number => offset = number_end(bytes, offset)?,
            ByteClass::Word => offset = word_end(bytes, offset)?,
            ByteClass::OpenObject => {
                offset = skip_white(bytes, offset + 1);
                if ByteClass::at(bytes, offset) == ByteClass::CloseObject {
                    offset += 1;
                } else {
                    nesting.open(Container::Object);
                    offset = key_end(bytes, offset, Expected::KeyOrObjectEnd)?.value;
                    expected = Expected::Value;
                    continue;
                }
            }
            ByteClass::OpenArray => {
                offset = skip_white(bytes, offset + 1);
                if ByteClass::at(bytes, offset) == ByteClass::CloseArray {
                    offset += 1;
                } else {
                    nesting.open(Container::Array);
                    expected = Expected::ValueOrArrayEnd;
                    continue;
                }
            }
            _ => return Err(ScanError::at(bytes, offset, expected)),
        }
        expected = Expected::Value;
        // A value ended here, and perhaps containers end with it.
        loop {
            if nesting.depth() == 0 {
                return Ok(offset);
            }
            offset = skip_white(bytes, offset);
            let container = nesting.innermost();
            match (ByteClass::at(bytes, offset), container) {
                (ByteClass::Comma, Container::Object) => {
                    offset = skip_white(bytes, offset + 1);
                    offset = key_end(bytes, offset, Expected::Key)?.value;
                    break;
                }
                (ByteClass::Comma, Container::Array) => {
                    offset = skip_white(bytes, offset + 1);
                    break;
                }
                (ByteClass::CloseObject, Container::Object)
                | (ByteClass::CloseArray, Container::Array) => {
                    offset += 1;
                    nesting.close();
                }
                _ => return Err(missing_comma(bytes, offset, container)),
            }
        }
    }
}

/// Where a key and what follows it are.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyEnd {
    /// Just after the closing quote.
    pub(super) key: usize,
    /// The first byte of the value, past colon and white space.
    pub(super) value: usize,
}

/// Reads a key at `offset`, its colon, and the white space around that.
#[inline]
pub(super) fn key_end(
    bytes: &[u8],
    offset: usize,
    expected: Expected,
) -> Result<KeyEnd, ScanError> {
    if ByteClass::at(bytes, offset) != ByteClass::Quote {
        return Err(ScanError::at(bytes, offset, expected));
    }
    let key = string_end(bytes, offset)?;
    let colon = skip_white(bytes, key);
    if ByteClass::at(bytes, colon) != ByteClass::Colon {
        return Err(ScanError::at(bytes, colon, Expected::Colon));
    }
    let value = skip_white(bytes, colon + 1);
    Ok(KeyEnd { key, value })
}

/// The offset just after `true`, `false` or `null` at `offset`.
#[inline]
pub(super) fn word_end(bytes: &[u8], offset: usize) -> Result<usize, ScanError> {
    let rest = bytes.get(offset..).unwrap_or_default();
    let word: &[u8] = match rest.first() {
        Some(b't') => b"true",
        Some(b'f') => b"false",
        _ => b"null",
    };
    if rest.starts_with(word) {
        return Ok(offset + word.len());
    }
    let same = rest.iter().zip(word).take_while(|(a, b)| a == b).count();
    Err(ScanError::at(bytes, offset + same, Expected::Word))
}

/// The error where neither a comma nor the right bracket follows a value.
#[cold]
pub(super) fn missing_comma(bytes: &[u8], offset: usize, container: Container) -> ScanError {
    let expected = match container {
        Container::Object => Expected::CommaOrObjectEnd,
        Container::Array => Expected::CommaOrArrayEnd,
    };
    ScanError::at(bytes, offset, expected)
}
