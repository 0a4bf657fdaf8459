//! A number for the name of a member, to tell names apart fast. Equal names have
//! equal numbers however they are escaped; different names may have them too.

use cassette_format::json::{Span, decode_string};

/// The number of the name at `span`, its quotes included.
pub(super) fn key_hash(bytes: &[u8], span: Span) -> u32 {
    let raw = span.text(bytes);
    let name = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    match of_plain(name) {
        Some(hash) => hash,
        None => of_text(decode_string(bytes, span).as_bytes()),
    }
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

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0xbf58_476d_1ce4_e5b9;
const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);
const BACKSLASHES: u64 = u64::from_ne_bytes([b'\\'; 8]);

/// The number of a name in which nothing is escaped; `None` for others.
fn of_plain(name: &[u8]) -> Option<u32> {
    let mut found = 0;
    let hash = mixed(name, |word| found |= zero_bytes(word ^ BACKSLASHES));
    (found == 0).then_some(hash)
}

fn of_text(name: &[u8]) -> u32 {
    mixed(name, |_| {})
}

/// Mixes the name eight bytes a step, the last step over bytes that may be mixed
/// already.
#[inline]
fn mixed(name: &[u8], mut see: impl FnMut(u64)) -> u32 {
    let mut hash = SEED ^ name.len() as u64;
    let mut mix = |word: u64| {
        see(word);
        hash = (hash ^ word).wrapping_mul(FACTOR);
        hash ^= hash >> 32;
    };
    if let Some(last) = name.last_chunk::<8>() {
        for word in name.as_chunks::<8>().0 {
            mix(u64::from_le_bytes(*word));
        }
        mix(u64::from_le_bytes(*last));
    } else if let (Some(first), Some(last)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        let halves = [*first, *last].map(u32::from_le_bytes).map(u64::from);
        mix(halves[0] | halves[1] << 32);
    } else {
        let bytes = name.iter();
        mix(bytes.fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }
    (hash >> 16) as u32
}

/// Not zero if one of the bytes is.
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGH_BITS
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
        for len in 0..20 {
            let name = "abcdefghijklmnopqrst"[..len].to_owned();
            let escaped: String = name.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
            assert_eq!(
                hash(&format!("\"{name}\"")),
                hash(&format!("\"{escaped}\""))
            );
            let one = name.replacen('a', "\\u0061", 1);
            assert_eq!(hash(&format!("\"{name}\"")), hash(&format!("\"{one}\"")));
        }
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
