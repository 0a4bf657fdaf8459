//! Payloads in base64, as the format has them: RFC 4648 section 4 with padding;
//! spare bits of the last digit are not looked at.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use base64::engine::Simd as Quickest;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use base64::engine::GeneralPurpose as Quickest;

static ENGINE: LazyLock<Quickest> = LazyLock::new(|| {
    quickest(
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
    )
});

/// The number of bytes that `text` stands for; `None` when it is no base64.
pub(super) fn decoded_len(text: &[u8]) -> Option<u64> {
    let (len, bytes) = leading(text)?;
    (len == text.len()).then_some(bytes)
}

/// How much of the start of `text` is base64, up to what no longer belongs to it,
/// and the number of bytes that it stands for; `None` when it is cut off.
pub(super) fn leading(text: &[u8]) -> Option<(usize, u64)> {
    let digits = leading_digits(text);
    let padding = match &text[digits..] {
        [b'=', b'=', ..] => 2,
        [b'=', ..] => 1,
        _ => 0,
    };
    let len = digits + padding;
    len.is_multiple_of(4)
        .then(|| (len, (len / 4 * 3 - padding) as u64))
}

/// The bytes that `text` stands for.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    ENGINE.decode(text).ok()
}

/// Appends the bytes that `text` stands for, or nothing.
pub(super) fn decode_into(output: &mut Vec<u8>, text: &[u8]) -> Option<()> {
    let before = output.len();
    let decoded = ENGINE.decode_vec(text, output);
    if decoded.is_err() {
        output.truncate(before);
    }
    decoded.ok()
}

/// Appends the base64 of `bytes`.
pub(super) fn encode_into(output: &mut Vec<u8>, bytes: &[u8]) {
    let start = output.len();
    output.resize(start + bytes.len().div_ceil(3) * 4, 0);
    // The slice has exactly the length that the engine asks for.
    let written = ENGINE
        .encode_slice(bytes, &mut output[start..])
        .unwrap_or(0);
    output.truncate(start + written);
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn quickest(config: GeneralPurposeConfig) -> Quickest {
    Quickest::standard(config)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const fn quickest(config: GeneralPurposeConfig) -> Quickest {
    Quickest::new(&base64::alphabet::STANDARD, config)
}

/// The number of base64 digits before anything else. Written so that the compiler
/// looks at many bytes at once: it runs over every byte of a tape.
fn leading_digits(text: &[u8]) -> usize {
    let wide = 64 * leading_blocks::<64>(text);
    let narrow = wide + 16 * leading_blocks::<16>(&text[wide..]);
    let rest = &text[narrow..];
    let other = rest.iter().position(|byte| from_digit(*byte) != 0);
    narrow + other.unwrap_or(rest.len())
}

/// The number of blocks of digits before anything else.
fn leading_blocks<const BLOCK: usize>(text: &[u8]) -> usize {
    let (blocks, _) = text.as_chunks::<BLOCK>();
    let is_other = |block: &[u8; BLOCK]| block.iter().fold(0, |all, byte| all | from_digit(*byte));
    let other = blocks.iter().position(|block| is_other(block) != 0);
    other.unwrap_or(blocks.len())
}

/// 0 for a digit, something else for any other byte.
fn from_digit(byte: u8) -> u8 {
    let letter = (byte | 0x20).wrapping_sub(b'a').saturating_sub(25);
    let number_or_slash = byte.wrapping_sub(b'/').saturating_sub(10);
    letter.min(number_or_slash).min(byte ^ b'+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_judged_as_the_decoder_judges_it() {
        for byte in 0..=u8::MAX {
            for position in 0..4 {
                let mut text = [b"QUJD".as_slice(); 40].concat();
                text[100 + position] = byte;
                let expected = decode(&text).map(|bytes| bytes.len() as u64);
                assert_eq!(decoded_len(&text), expected, "byte {byte} at {position}");
                let last = &text[..104];
                let expected = decode(last).map(|bytes| bytes.len() as u64);
                assert_eq!(
                    decoded_len(last),
                    expected,
                    "byte {byte} at {position}, last"
                );
            }
        }
    }

    #[test]
    fn padding_is_judged_as_the_decoder_judges_it() {
        for text in [
            "", "=", "==", "====", "A===", "AA==", "AAA=", "AAAA", "AA=", "AA=A", "AB==", "A",
        ] {
            let expected = decode(text.as_bytes()).map(|bytes| bytes.len() as u64);
            assert_eq!(decoded_len(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn encoding_then_decoding_gives_the_bytes_back() {
        for len in 0..70_u8 {
            let bytes: Vec<u8> = (0..len).map(|at| at.wrapping_mul(97)).collect();
            let mut text = b"x".to_vec();
            encode_into(&mut text, &bytes);
            assert_eq!(decode(&text[1..]), Some(bytes));
        }
    }
}
