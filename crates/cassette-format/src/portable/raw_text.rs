//! Between the text of a JSON string and the bytes that spell it.

use std::borrow::Cow;

use memchr::memchr;

use crate::json::{Piece, Pieces, Span, decode_string, string_body, write_string};

/// How long a text may be however short the string is that spells it, in bytes.
const LONG: usize = 64 << 10;

/// The text of the string at `span`, for comparing it: what is no text stands in
/// it as U+FFFD. It takes no more memory than the string; of a long one that is
/// mostly no text the end is left out.
pub(super) fn text_of(bytes: &[u8], span: Span) -> Cow<'_, str> {
    let body = string_body(bytes, span).text(bytes);
    if memchr(b'\\', body).is_none()
        && let Ok(text) = std::str::from_utf8(body)
    {
        return Cow::Borrowed(text);
    }
    if body.len() * 3 <= LONG {
        return decode_string(bytes, span);
    }
    let mut text = String::with_capacity(body.len());
    for piece in Pieces::of(body) {
        let mut buffer = [0; 4];
        let run = match piece {
            Piece::Plain(run) => run,
            Piece::Character(character) => character.encode_utf8(&mut buffer),
        };
        if text.len() + run.len() > body.len() {
            break;
        }
        text.push_str(run);
    }
    Cow::Owned(text)
}

/// Goes along a JSON string and its text at once, so that what is found in the
/// text is found in the string. Forwards only; linear in the string.
#[derive(Debug, Clone)]
pub(super) struct RawText<'b> {
    pieces: Pieces<'b>,
    /// How much of the present piece, which stands for itself, is left.
    plain: usize,
    /// Where the string has been read to, and how much text that was.
    at: usize,
    read: usize,
}

impl<'b> RawText<'b> {
    /// The JSON string at `span`, quotes included.
    pub(super) fn new(bytes: &'b [u8], span: Span) -> Self {
        let body = string_body(bytes, span);
        Self {
            pieces: Pieces::of(body.text(bytes)),
            plain: 0,
            at: body.start,
            read: 0,
        }
    }

    /// The span that spells the bytes `start..end` of the text, which must not
    /// start before the last ones ended.
    pub(super) fn span(&mut self, start: usize, end: usize) -> Span {
        Span::new(self.advance(start), self.advance(end))
    }

    fn advance(&mut self, to: usize) -> usize {
        while self.read < to {
            if self.plain > 0 {
                let step = self.plain.min(to - self.read);
                self.plain -= step;
                self.read += step;
                self.at += step;
                continue;
            }
            let left = self.pieces.left();
            match self.pieces.next() {
                Some(Piece::Plain(text)) => self.plain = text.len(),
                Some(Piece::Character(character)) => {
                    self.read += character.len_utf8();
                    self.at += left - self.pieces.left();
                }
                None => break,
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_takes_no_more_memory_than_what_spells_it() {
        let short = b"\"\xffa\xff\"";
        assert_eq!(text_of(short, Span::whole(short)), "\u{fffd}a\u{fffd}");
        let long = [b"\"/work/".as_slice(), &[0xff; LONG], b"\""].concat();
        let text = text_of(&long, Span::whole(&long));
        assert!(text.starts_with("/work/\u{fffd}"));
        assert!((LONG..=LONG + 6).contains(&text.len()), "{}", text.len());
        let plain = [b"\"/work\\/".as_slice(), &[b'a'; LONG], b"\""].concat();
        assert_eq!(text_of(&plain, Span::whole(&plain)).len(), LONG + 6);
    }

    #[test]
    fn every_beginning_of_a_text_is_spelled_by_a_beginning_of_the_string() {
        for string in [
            br#""a\/\u0062\u00e9\u20ac\ud83d\ude00\ud800-\u00e9z""#.as_slice(),
            b"\"\xffa\\xb\\u12\xe2\x82-\xf0\x9f\x98\xc3\xa9\n\xc3\"",
            br#""no \u00e9nd\"#,
        ] {
            let span = Span::whole(string);
            let text = decode_string(string, span);
            for (len, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let raw = RawText::new(string, span).span(0, len).text(string);
                let again = [b"\"", raw, b"\""].concat();
                assert_eq!(decode_string(&again, Span::whole(&again)), text[..len]);
            }
        }
    }

    #[test]
    fn what_is_escaped_is_spelled_by_its_escape() {
        let string = br#""a\/\u0062\u00e9\u20ac\ud83d\ude00\ud800-\u00e9z""#;
        let mut raw = RawText::new(string, Span::whole(string));
        assert_eq!(raw.span(1, 2).text(string), br"\/");
        assert_eq!(raw.span(3, 5).text(string), br"\u00e9");
        assert_eq!(raw.span(8, 12).text(string), br"\ud83d\ude00");
    }
}
