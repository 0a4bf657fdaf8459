//! Finding the end of a string, eight bytes a step.

use super::scan_error::{Expected, ScanError};

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);
const QUOTES: u64 = u64::from_ne_bytes([b'"'; 8]);
const BACKSLASHES: u64 = u64::from_ne_bytes([b'\\'; 8]);
const FIRST_PRINTABLES: u64 = u64::from_ne_bytes([0x20; 8]);

/// The offset just after the string whose opening quote is at `open`.
///
/// The string has been checked then: escapes, control characters, UTF-8.
#[inline]
pub(super) fn string_end(bytes: &[u8], open: usize) -> Result<usize, ScanError> {
    let mut offset = open + 1;
    let mut seen = 0;
    loop {
        while let Some(word) = word_at(bytes, offset) {
            seen |= word;
            let stops = stops(word);
            if stops != 0 {
                offset += (stops.trailing_zeros() / 8) as usize;
                break;
            }
            offset += 8;
        }
        match bytes.get(offset) {
            Some(b'"') => break,
            Some(b'\\') => match escape_end(bytes, offset) {
                Ok(end) => offset = end,
                Err(error) => return Err(earliest(bytes, open, error)),
            },
            Some(0x20..) => {
                seen |= u64::from(bytes[offset]);
                offset += 1;
            }
            Some(..0x20) | None => {
                let error = ScanError::at(bytes, offset, Expected::StringBody);
                return Err(earliest(bytes, open, error));
            }
        }
    }
    if seen & HIGH_BITS != 0 {
        check_utf8(bytes, open, offset)?;
    }
    Ok(offset + 1)
}

/// The eight bytes at `offset`, the first of them lowest.
#[inline]
fn word_at(bytes: &[u8], offset: usize) -> Option<u64> {
    let chunk = bytes.get(offset..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*chunk))
}

/// Marks the bytes at which a plain run ends (`"`, `\`, control characters)
/// with their high bit.
///
/// Subtracting carries into the next byte only from a byte that is marked, so
/// the lowest mark is right, and only that one may be used.
#[inline]
const fn stops(word: u64) -> u64 {
    let quote = (word ^ QUOTES).wrapping_sub(ONES);
    let backslash = (word ^ BACKSLASHES).wrapping_sub(ONES);
    let control = word.wrapping_sub(FIRST_PRINTABLES);
    (quote | backslash | control) & !word & HIGH_BITS
}

/// The offset just after the escape whose backslash is at `offset`.
///
/// A `\u` may name any code unit: half a surrogate pair is legal JSON.
#[inline]
fn escape_end(bytes: &[u8], offset: usize) -> Result<usize, ScanError> {
    match bytes.get(offset + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(offset + 2),
        Some(b'u') => {
            let digits = offset + 2..offset + 6;
            for digit in digits.clone() {
                if !bytes.get(digit).is_some_and(u8::is_ascii_hexdigit) {
                    return Err(ScanError::at(bytes, digit, Expected::HexDigit));
                }
            }
            Ok(digits.end)
        }
        _ => Err(ScanError::at(bytes, offset + 1, Expected::Escape)),
    }
}

/// Refuses a string body that is not UTF-8.
fn check_utf8(bytes: &[u8], open: usize, close: usize) -> Result<(), ScanError> {
    match std::str::from_utf8(&bytes[open + 1..close]) {
        Ok(_) => Ok(()),
        Err(error) => {
            let offset = open + 1 + error.valid_up_to();
            Err(ScanError::at(bytes, offset, Expected::Utf8))
        }
    }
}

/// `error`, or the broken UTF-8 before it in the string opened at `open`.
///
/// A character that the end of the input cuts is not broken: more may come.
#[cold]
fn earliest(bytes: &[u8], open: usize, error: ScanError) -> ScanError {
    match std::str::from_utf8(&bytes[open + 1..error.offset]) {
        Err(utf8) if utf8.error_len().is_some() || !error.is_unexpected_end() => {
            ScanError::at(bytes, open + 1 + utf8.valid_up_to(), Expected::Utf8)
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_marks_the_first_stop_whatever_surrounds_it() {
        for byte in 0..=u8::MAX {
            for other in [b'a', 0x21, 0x5b, 0x80, 0xff, b'"', 0x1f, 0] {
                let word = u64::from_le_bytes([b'!', byte, other, b'b', other, b'#', other, other]);
                let plain = |byte: u8| !matches!(byte, b'"' | b'\\' | ..0x20);
                let first = word.to_le_bytes().iter().position(|byte| !plain(*byte));
                let marked = stops(word);
                let found = (marked != 0).then(|| (marked.trailing_zeros() / 8) as usize);
                assert_eq!(found, first, "{word:016x}");
            }
        }
    }

    #[test]
    fn string_cut_inside_a_character_is_an_unexpected_end() {
        let cut = string_end(b"\"abc\xe2\x82", 0).unwrap_err();
        assert_eq!(cut.expected, Expected::StringBody);
        assert!(cut.is_unexpected_end());
        let broken = string_end(b"\"a\xe2\x82\"", 0).unwrap_err();
        assert_eq!((broken.offset, broken.expected), (2, Expected::Utf8));
    }

    #[test]
    fn string_error_is_the_first_one() {
        let error = string_end(b"\"a\xffbcdefghijkl\n\"", 0).unwrap_err();
        assert_eq!((error.offset, error.expected), (2, Expected::Utf8));
        let error = string_end(b"\"a\nbcdefghi\xff\"", 0).unwrap_err();
        assert_eq!((error.offset, error.expected), (2, Expected::StringBody));
    }
}
