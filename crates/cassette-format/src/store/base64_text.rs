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
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = match text {
        [.., b'=', b'='] => 2,
        [.., b'='] => 1,
        _ => 0,
    };
    let digits = &text[..text.len() - padding];
    all_digits(digits).then(|| (text.len() / 4 * 3 - padding) as u64)
}

/// The bytes that `text` stands for.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    ENGINE.decode(text).ok()
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

/// Whether every byte is a base64 digit. Written so that the compiler checks
/// many bytes at once: it runs over every byte of a tape.
fn all_digits(text: &[u8]) -> bool {
    let mut blocks = text.chunks_exact(64);
    blocks
        .by_ref()
        .all(|block| block.iter().fold(0, |bad, byte| bad | not_a_digit(*byte)) == 0)
        && blocks
            .remainder()
            .iter()
            .all(|byte| not_a_digit(*byte) == 0)
}

const fn not_a_digit(byte: u8) -> u8 {
    let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    let number = byte.wrapping_sub(b'0') < 10;
    let sign = (byte == b'+') | (byte == b'/');
    !(letter | number | sign) as u8
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
