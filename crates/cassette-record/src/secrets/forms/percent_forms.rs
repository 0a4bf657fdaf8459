//! Percent-encoding, as the usual encoders do it.

use super::hex_forms::{LOWER, UPPER, pair};

/// The marks that an encoder keeps besides letters and digits; a blank in the
/// list stands for `+` in the place of a blank.
const KEPT: [&[u8]; 8] = [
    // RFC 3986, unreserved.
    b"-._~",
    // Python's `quote`.
    b"-._~/",
    // JavaScript's `encodeURIComponent`.
    b"-._~!'()*",
    // JavaScript's `encodeURI`.
    b"-._~!'()*;/?:@&=+$,#",
    // Form encoding: by the URL standard, by Python's `urlencode`, by Java before.
    b"*-._ ",
    b"-._~ ",
    b"-._~!'()* ",
    // Everything else is encoded: `NON_ALPHANUMERIC` of Rust.
    b"",
];

/// `value` percent-encoded, lower and upper case.
pub(super) fn percent_forms(value: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    KEPT.into_iter().flat_map(move |kept| {
        [LOWER, UPPER].map(|digits| {
            let mut form = Vec::with_capacity(value.len());
            for byte in value {
                match byte {
                    b' ' if kept.contains(&b' ') => form.push(b'+'),
                    byte if byte.is_ascii_alphanumeric() || kept.contains(byte) => {
                        form.push(*byte);
                    }
                    byte => {
                        form.push(b'%');
                        form.extend(pair(digits, *byte));
                    }
                }
            }
            form
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_those_of_the_usual_encoders() {
        let forms: Vec<_> = percent_forms(b"a b/c+~*:")
            .map(|form| String::from_utf8(form).unwrap())
            .collect();
        for form in [
            "a%20b%2Fc%2B~%2A%3A",
            "a%20b%2fc%2b~%2a%3a",
            "a%20b/c%2B~%2A%3A",
            "a%20b%2Fc%2B~*%3A",
            "a%20b/c+~*:",
            "a+b%2Fc%2B%7E*%3A",
            "a%20b%2Fc%2B%7E%2A%3A",
        ] {
            assert!(forms.iter().any(|known| known == form), "{form} {forms:?}");
        }
    }
}
