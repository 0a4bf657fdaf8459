//! A number for the name of a member, to tell names apart fast. Equal names have
//! equal numbers however they are escaped; different names may have them too.

use cassette_format::json::{Span, decode_string};

/// The number of the name at `span`, its quotes included.
pub(super) fn key_hash(bytes: &[u8], span: Span) -> u32 {
    let raw = span.text(bytes);
    let name = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    let mut hash = SEED;
    for byte in name {
        if *byte == b'\\' {
            return of_text(&decode_string(bytes, span));
        }
        hash = step(hash, *byte);
    }
    hash
}

/// Whether two names are equal, by their decoded text.
pub(super) fn same_text((a, b): (&[u8], &[u8]), (at_a, at_b): (Span, Span)) -> bool {
    let (raw_a, raw_b) = (at_a.text(a), at_b.text(b));
    if raw_a == raw_b {
        return true;
    }
    let is_escaped = |raw: &[u8]| memchr::memchr(b'\\', raw).is_some();
    (is_escaped(raw_a) || is_escaped(raw_b)) && decode_string(a, at_a) == decode_string(b, at_b)
}

const SEED: u32 = 0x811c_9dc5;

fn of_text(text: &str) -> u32 {
    text.bytes().fold(SEED, step)
}

/// FNV-1a.
const fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_number_however_it_is_escaped() {
        let hash = |text: &str| key_hash(text.as_bytes(), Span::whole(text.as_bytes()));
        assert_eq!(hash(r#""method""#), hash(r#""\u006dethod""#));
        assert_eq!(hash(r#""é/""#), hash(r#""\u00e9\/""#));
        assert_ne!(hash(r#""method""#), hash(r#""Method""#));
    }

    #[test]
    fn texts_are_equal_by_what_they_say() {
        let same = |a: &str, b: &str| {
            let (a, b) = (a.as_bytes(), b.as_bytes());
            same_text((a, b), (Span::whole(a), Span::whole(b)))
        };
        assert!(same(r#""a/b""#, r#""\u0061\/b""#));
        assert!(same(r#""\ud83d\ude00""#, r#""😀""#));
        assert!(!same(r#""a""#, r#""b""#));
        assert!(!same(r#""\\u0061""#, r#""a""#));
    }
}
