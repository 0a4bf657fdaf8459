//! Numbers: where they end, and the strict reading of integers.

use super::Span;
use super::scan_error::{Expected, ScanError};

/// The offset just after the number that begins at `offset`.
#[inline]
pub(super) fn number_end(bytes: &[u8], offset: usize) -> Result<usize, ScanError> {
    let mut offset = offset;
    if bytes.get(offset) == Some(&b'-') {
        offset += 1;
    }
    if bytes.get(offset) == Some(&b'0') {
        offset += 1;
        if bytes.get(offset).is_some_and(u8::is_ascii_digit) {
            return Err(ScanError::at(bytes, offset, Expected::NumberEnd));
        }
    } else {
        offset = digits_end(bytes, offset)?;
    }
    if bytes.get(offset) == Some(&b'.') {
        offset = digits_end(bytes, offset + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(offset) {
        offset += 1;
        if let Some(b'+' | b'-') = bytes.get(offset) {
            offset += 1;
        }
        offset = digits_end(bytes, offset)?;
    }
    Ok(offset)
}

/// The offset just after the digits, at least one, at `offset`.
#[inline]
fn digits_end(bytes: &[u8], offset: usize) -> Result<usize, ScanError> {
    let mut end = offset;
    while bytes.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    if end == offset {
        return Err(ScanError::at(bytes, offset, Expected::Digit));
    }
    Ok(end)
}

/// The number at `span` as an unsigned integer.
///
/// Strict: digits only. `None` for a sign, a fraction or an exponent (`1.0`
/// and `1e0` are no integers, nor is `-0`), for what does not fit, and for
/// anything that is not a number.
#[must_use]
pub fn as_u64(bytes: &[u8], span: Span) -> Option<u64> {
    let digits = span.text(bytes);
    // `str::parse` alone would take a plus sign.
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The number at `span` as a signed integer.
///
/// As strict as [`as_u64`], but a minus sign may lead (`-0` is 0).
#[must_use]
pub fn as_i64(bytes: &[u8], span: Span) -> Option<i64> {
    let number = span.text(bytes);
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(number).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_digits_only() {
        let unsigned = |text: &[u8]| as_u64(text, Span::whole(text));
        let signed = |text: &[u8]| as_i64(text, Span::whole(text));
        assert_eq!(unsigned(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(signed(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(signed(b"-0"), Some(0));
        assert_eq!(signed(b"9223372036854775808"), None);
        for text in ["18446744073709551616", "-1", "-0"] {
            assert_eq!(unsigned(text.as_bytes()), None, "{text}");
        }
        for text in ["", "+1", "1.0", "1e0", "-", "--1", "\"1\"", "null", "1 "] {
            assert_eq!(unsigned(text.as_bytes()), None, "{text}");
            assert_eq!(signed(text.as_bytes()), None, "{text}");
        }
    }
}
