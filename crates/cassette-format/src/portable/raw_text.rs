//! Between the text of a JSON string and the bytes that spell it.

use crate::json::{Span, write_string};

/// How many bytes of `raw`, the inside of a JSON string, spell the first `len`
/// bytes of its text.
pub(super) fn raw_len(raw: &[u8], len: usize) -> usize {
    let (mut at, mut decoded) = (0, 0);
    while decoded < len && at < raw.len() {
        let (raw_step, text_step) = step(&raw[at..]);
        at += raw_step;
        decoded += text_step;
    }
    at
}

/// The span of the first `len` bytes of the text of the JSON string at `span`.
pub(super) fn prefix_span(bytes: &[u8], span: Span, len: usize) -> Span {
    let inside = Span::new(span.start + 1, span.end - 1);
    Span::new(
        inside.start,
        inside.start + raw_len(inside.text(bytes), len),
    )
}

/// `text` as it stands inside a JSON string, without quotes.
pub(super) fn inside_string(text: &str) -> Vec<u8> {
    let mut quoted = quoted(text);
    quoted.pop();
    quoted.remove(0);
    quoted
}

/// `text` as a JSON string.
pub(super) fn quoted(text: &str) -> Vec<u8> {
    let mut output = Vec::with_capacity(text.len() + 2);
    write_string(&mut output, text);
    output
}

/// One character or escape: its bytes, and the bytes of the text it spells.
fn step(raw: &[u8]) -> (usize, usize) {
    match raw {
        [b'\\', b'u', rest @ ..] => {
            let unit = |digits: &[u8]| {
                let digits = std::str::from_utf8(digits.get(..4)?).ok()?;
                u32::from_str_radix(digits, 16).ok()
            };
            let first = unit(rest).unwrap_or(0);
            let second = match rest.get(4..) {
                Some([b'\\', b'u', low @ ..]) => unit(low),
                _ => None,
            };
            match (first, second) {
                (0xd800..=0xdbff, Some(0xdc00..=0xdfff)) => (12, 4),
                (0..=0x7f, _) => (6, 1),
                (0x80..=0x7ff, _) => (6, 2),
                _ => (6, 3),
            }
        }
        [b'\\', _, ..] => (2, 1),
        _ => (1, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::decode_string;

    #[test]
    fn every_beginning_of_a_text_is_spelled_by_a_beginning_of_the_string() {
        let string = br#""a\/\u0062\u00e9\u20ac\ud83d\ude00\ud800-\u00e9z""#;
        let span = Span::whole(string);
        let text = decode_string(string, span);
        for (len, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let raw = prefix_span(string, span, len).text(string);
            let again = [b"\"", raw, b"\""].concat();
            assert_eq!(decode_string(&again, Span::whole(&again)), text[..len]);
        }
    }
}
