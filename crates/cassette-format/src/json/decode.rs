//! Reading the text of a string: escapes resolved, nothing refused.

use std::borrow::Cow;
use std::cmp::Ordering;

use memchr::memchr;

use super::Span;

/// The text of the string or key at `span` of `bytes`.
///
/// Borrowed where nothing is escaped. Half of a surrogate pair becomes U+FFFD,
/// and so does what is no escape or not UTF-8, but that no scanned string holds.
/// A string without a closing quote has the text so far. Of anything that is not
/// a string the text is taken as it stands.
#[must_use]
pub fn decode_string(bytes: &[u8], span: Span) -> Cow<'_, str> {
    let body = string_body(bytes, span).text(bytes);
    if memchr(b'\\', body).is_none() {
        return String::from_utf8_lossy(body);
    }
    let mut text = String::with_capacity(body.len());
    for piece in Pieces::of(body) {
        match piece {
            Piece::Plain(run) => text.push_str(run),
            Piece::Character(character) => text.push(character),
        }
    }
    Cow::Owned(text)
}

/// Whether the string or key at `span` of `bytes` says `text`, however it is
/// escaped. Allocates nothing.
#[inline]
#[must_use]
pub fn string_eq(bytes: &[u8], span: Span, text: &str) -> bool {
    let body = string_body(bytes, span).text(bytes);
    let text = text.as_bytes();
    // An escape is longer than what it stands for, at most six times, so the
    // lengths settle nearly every comparison.
    match body.len().cmp(&text.len()) {
        Ordering::Less => false,
        Ordering::Equal => body == text && !body.contains(&b'\\'),
        Ordering::Greater => body.len() <= 6 * text.len() && unescaped_eq(body, text),
    }
}

/// Compares what `body` says, escapes resolved, with `text`.
fn unescaped_eq(body: &[u8], text: &[u8]) -> bool {
    let mut rest = text;
    for piece in Pieces::of(body) {
        let mut buffer = [0; 4];
        let run = match piece {
            Piece::Plain(run) => run.as_bytes(),
            Piece::Character(character) => character.encode_utf8(&mut buffer).as_bytes(),
        };
        match rest.strip_prefix(run) {
            Some(left) => rest = left,
            None => return false,
        }
    }
    rest.is_empty()
}

/// A part of a string's text.
pub(crate) enum Piece<'a> {
    /// Bytes that stand for themselves.
    Plain(&'a str),
    /// What an escape stands for, or U+FFFD for bytes that are not UTF-8.
    Character(char),
}

/// Cuts the body of a string into its parts.
#[derive(Clone, Debug)]
pub(crate) struct Pieces<'a> {
    /// Up to the next backslash.
    run: &'a [u8],
    /// From that backslash on.
    rest: &'a [u8],
}

impl<'a> Pieces<'a> {
    /// The parts of `body`, which is what [`string_body`] says.
    pub(crate) fn of(body: &'a [u8]) -> Self {
        let end = memchr(b'\\', body).unwrap_or(body.len());
        let (run, rest) = body.split_at(end);
        Self { run, rest }
    }

    /// How many bytes of the body are left.
    pub(crate) const fn left(&self) -> usize {
        self.run.len() + self.rest.len()
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    #[inline]
    fn next(&mut self) -> Option<Piece<'a>> {
        if self.run.is_empty() {
            let (_, escape) = self.rest.split_first()?;
            let (character, rest) = unescape(escape);
            *self = Self::of(rest);
            return Some(Piece::Character(character));
        }
        if let Ok(run) = std::str::from_utf8(self.run) {
            self.run = &[];
            return Some(Piece::Plain(run));
        }
        let chunk = self.run.utf8_chunks().next()?;
        let (piece, len) = match (chunk.valid(), chunk.invalid()) {
            ("", bad) => (Piece::Character(char::REPLACEMENT_CHARACTER), bad.len()),
            (run, _) => (Piece::Plain(run), run.len()),
        };
        self.run = &self.run[len..];
        Some(piece)
    }
}

/// What lies between the quotes; behind the one where no other closes.
#[inline]
pub(crate) fn string_body(bytes: &[u8], span: Span) -> Span {
    match span.text(bytes) {
        [b'"', .., b'"'] => Span::new(span.start + 1, span.end - 1),
        [b'"', ..] => Span::new(span.start + 1, span.end),
        _ => span,
    }
}

/// The character of an escape whose backslash was read, and what follows it.
fn unescape(escape: &[u8]) -> (char, &[u8]) {
    let (letter, rest) = match escape {
        [letter, rest @ ..] => (*letter, rest),
        [] => return (char::REPLACEMENT_CHARACTER, escape),
    };
    let character = match letter {
        b'"' | b'\\' | b'/' => char::from(letter),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unescape_unicode(rest),
        _ => return (char::REPLACEMENT_CHARACTER, escape),
    };
    (character, rest)
}

/// The character of a `\u` escape, or of two that are a surrogate pair.
fn unescape_unicode(digits: &[u8]) -> (char, &[u8]) {
    let Some((unit, rest)) = code_unit(digits) else {
        return (char::REPLACEMENT_CHARACTER, digits);
    };
    let second = rest.strip_prefix(b"\\u").and_then(code_unit);
    if let (0xd800..=0xdbff, Some((low @ 0xdc00..=0xdfff, rest))) = (unit, second) {
        let code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        return (character, rest);
    }
    let character = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
    (character, rest)
}

/// The value of four hexadecimal digits, and what follows them.
fn code_unit(digits: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = digits.split_first_chunk::<4>()?;
    let mut unit = 0;
    for digit in digits {
        unit = unit << 4 | char::from(*digit).to_digit(16)?;
    }
    Some((unit, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(literal: &str) -> Cow<'_, str> {
        decode_string(literal.as_bytes(), Span::whole(literal.as_bytes()))
    }

    #[test]
    fn plain_strings_are_borrowed() {
        assert!(matches!(decoded("\"héllo\""), Cow::Borrowed("héllo")));
        assert!(matches!(decoded(r#""""#), Cow::Borrowed("")));
    }

    #[test]
    fn every_escape_is_resolved() {
        assert_eq!(decoded(r#""\"\\\/\b\f\n\r\t""#), "\"\\/\u{8}\u{c}\n\r\t");
        assert_eq!(decoded(r#""c\u0077d \u00E9\u20ac""#), "cwd é€");
        assert_eq!(decoded(r#""\ud83d\uDE00""#), "😀");
        assert_eq!(
            decoded(r#""\ud800\udc00\udbff\udfff""#),
            "\u{10000}\u{10ffff}"
        );
    }

    #[test]
    fn lone_surrogates_become_the_replacement_character() {
        assert_eq!(decoded(r#""\ud800""#), "\u{fffd}");
        assert_eq!(decoded(r#""\udc00x""#), "\u{fffd}x");
        assert_eq!(decoded(r#""\ud800\u0041""#), "\u{fffd}A");
        assert_eq!(decoded(r#""\ud800\ud83d\ude00""#), "\u{fffd}😀");
        assert_eq!(decoded(r#""\ud800\n""#), "\u{fffd}\n");
    }

    #[test]
    fn decoding_never_fails_on_what_is_no_string() {
        assert_eq!(decoded("12"), "12");
        assert_eq!(decoded("\""), "");
        assert_eq!(decoded(r#""cut\u00e9 off\"#), "cuté off\u{fffd}");
        assert_eq!(decoded(r#""\u12""#), "\u{fffd}12");
        assert_eq!(decoded(r#""\x""#), "\u{fffd}x");
        for bytes in [
            b"\"\xff\"".as_slice(),
            b"\"a\xe2\x82\xffb\xf0\x9f\\n\xe2\x82\"",
        ] {
            let text = String::from_utf8_lossy(&bytes[1..bytes.len() - 1]).replace("\\n", "\n");
            assert_eq!(decode_string(bytes, Span::whole(bytes)), text);
            assert!(string_eq(b"\"\\u0061\xff\"", Span::new(0, 9), "a\u{fffd}"));
        }
    }

    #[test]
    fn strings_are_compared_by_their_text() {
        let eq = |literal: &str, text: &str| {
            string_eq(literal.as_bytes(), Span::whole(literal.as_bytes()), text)
        };
        assert!(eq(r#""c\u0077d""#, "cwd"));
        assert!(eq(r#""\ud83d\ude00""#, "😀"));
        assert!(eq(r#""""#, ""));
        assert!(!eq(r#""cwd""#, "cw"));
        assert!(!eq(r#""cw""#, "cwd"));
        assert!(!eq(r#""cWd""#, "cwd"));
        assert!(!eq(r#""a\\b""#, r"a\\b"));
        assert!(eq(r#""a\\b""#, r"a\b"));
        assert!(eq(r#""\ud800""#, "\u{fffd}"));
    }
}
