//! Hexadecimal digits.

/// Digits in one case.
pub(super) const LOWER: &[u8; 16] = b"0123456789abcdef";
/// Digits in the other.
pub(super) const UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// `value` in hexadecimal digits, lower and upper case.
pub(super) fn hex_forms(value: &[u8]) -> [Vec<u8>; 2] {
    [LOWER, UPPER].map(|digits| value.iter().flat_map(|byte| pair(digits, *byte)).collect())
}

/// The two digits of a byte.
pub(super) fn pair(digits: &[u8; 16], byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 0xf].map(|digit| digits[usize::from(digit)])
}
