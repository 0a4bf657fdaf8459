//! Base64 of a value that is a part of something longer.

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

const ALPHABETS: [&GeneralPurpose; 2] = [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD];
/// Where the value may begin in a group of three bytes.
const ALIGNMENTS: [usize; 3] = [0, 1, 2];

/// The characters that base64 has for `value` whatever stands around it: those
/// at its ends that hold bits of neighbours too are left out.
pub(super) fn base64_forms(value: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = Vec::with_capacity(ALPHABETS.len() * ALIGNMENTS.len());
    for before in ALIGNMENTS {
        let padded = [&[0; 2][..before], value].concat();
        // A character holds six bits.
        let first = (8 * before).div_ceil(6);
        let end = 8 * padded.len() / 6;
        for alphabet in ALPHABETS {
            let encoded = alphabet.encode(&padded);
            forms.push(encoded.as_bytes()[first..end].to_vec());
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form_occurs_whatever_stands_around_the_value() {
        let value = b"\xfb\xff secret?>";
        let forms = base64_forms(value);
        for before in 0..7 {
            for after in 0..4 {
                let text = [vec![b'~'; before], value.to_vec(), vec![0xff; after]].concat();
                for alphabet in ALPHABETS {
                    let encoded = alphabet.encode(&text);
                    let found = forms
                        .iter()
                        .any(|form| encoded.contains(std::str::from_utf8(form).unwrap()));
                    assert!(found, "{before} {after} {encoded}");
                }
            }
        }
    }
}
