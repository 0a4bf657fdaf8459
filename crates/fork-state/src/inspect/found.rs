//! What a byte is that does not fit.

use cassette_format::json::Found;

/// UTF-8 of the character that some editors put first.
pub(super) const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// The kind of this byte.
pub(super) fn found(byte: u8) -> Found {
    match byte {
        b'{' | b'}' | b'[' | b']' | b':' | b',' | b'"' => Found::Structural(char::from(byte)),
        b'0'..=b'9' => Found::Digit,
        b'a'..=b'z' | b'A'..=b'Z' => Found::Letter,
        b' ' => Found::Blank,
        0..0x20 | 0x7f => Found::Control(byte),
        0x80.. => Found::NonAscii,
        _ => Found::Symbol,
    }
}
