//! Between the text of a JSON string and the bytes that spell it.

use crate::json::{Span, write_string};
use memchr::memchr;

/// Goes along a JSON string and its text at once, so that what is found in the
/// text is found in the string. Forwards only; linear in the string.
#[derive(Debug, Clone)]
pub(super) struct RawText<'b> {
    bytes: &'b [u8],
    /// End of the string's inside.
    end: usize,
    /// Where the string has been read to, and how much text that was.
    at: usize,
    read: usize,
    escaped: Escaped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escaped {
    Nothing,
    Something,
}

impl<'b> RawText<'b> {
    /// The JSON string at `span`, quotes included.
    pub(super) fn new(bytes: &'b [u8], span: Span) -> Self {
        let inside = Span::new(span.start + 1, span.end - 1);
        let escaped = match memchr(b'\\', inside.text(bytes)) {
            Some(_) => Escaped::Something,
            None => Escaped::Nothing,
        };
        Self {
            bytes,
            end: inside.end,
            at: inside.start,
            read: 0,
            escaped,
        }
    }

    /// The span that spells the bytes `start..end` of the text, which must not
    /// start before the last ones ended.
    pub(super) fn span(&mut self, start: usize, end: usize) -> Span {
        Span::new(self.advance(start), self.advance(end))
    }

    fn advance(&mut self, to: usize) -> usize {
        if self.escaped == Escaped::Nothing {
            self.at += to.saturating_sub(self.read);
            self.read = self.read.max(to);
        }
        while self.read < to && self.at < self.end {
            let (raw, text) = step(&self.bytes[self.at..self.end]);
            self.at += raw;
            self.read += text;
        }
        self.at
    }
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
            let raw = RawText::new(string, span).span(0, len).text(string);
            let again = [b"\"", raw, b"\""].concat();
            assert_eq!(decode_string(&again, Span::whole(&again)), text[..len]);
        }
        let mut raw = RawText::new(string, span);
        assert_eq!(raw.span(1, 2).text(string), br"\/");
        assert_eq!(raw.span(3, 5).text(string), br"\u00e9");
        assert_eq!(raw.span(8, 12).text(string), br"\ud83d\ude00");
    }
}
