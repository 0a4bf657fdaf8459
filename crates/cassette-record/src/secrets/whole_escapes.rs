//! Widening a span so that it cuts no JSON escape and no character.
//!
//! A secret may begin with what is the letter of an escape here: that of
//! `nabcdefgh` stands in `"\nabcdefgh"`. Replacing it alone would leave a
//! backslash that escapes what comes next.

use cassette_format::json::Span;

/// Bytes of the longest escape, `\u0000`.
const LONGEST: usize = 6;

/// `span` with the rest of what it cuts in `bytes`.
pub(super) fn whole_escapes(bytes: &[u8], span: Span) -> Span {
    let start = cut_escape(bytes, span.start).map_or(span.start, |escape| escape.start);
    let end = cut_escape(bytes, span.end).map_or(span.end, |escape| escape.end);
    whole_characters(bytes, Span::new(start, end))
}

/// The escape that begins before `offset` and ends behind it.
fn cut_escape(bytes: &[u8], offset: usize) -> Option<Span> {
    (offset.saturating_sub(LONGEST - 1)..offset)
        .map(|start| escape_at(bytes, start))
        .find(|escape| escape.end > offset)
}

/// The escape whose backslash is at `start`; empty if there is none.
fn escape_at(bytes: &[u8], start: usize) -> Span {
    let before = &bytes[..start];
    let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\');
    let end = match &bytes[start..] {
        // A backslash that is escaped itself begins nothing.
        [b'\\', ..] if backslashes.count() % 2 == 1 => start,
        [b'\\', b'u', digits @ ..]
            if digits.len() >= 4 && digits[..4].iter().all(u8::is_ascii_hexdigit) =>
        {
            start + LONGEST
        }
        [b'\\', _, ..] => start + 2,
        _ => start,
    };
    Span::new(start, end)
}

/// `span` with the rest of the UTF-8 characters that it cuts.
fn whole_characters(bytes: &[u8], span: Span) -> Span {
    let continues = |byte: &u8| matches!(byte, 0x80..0xc0);
    let mut whole = span;
    while span.start - whole.start < 3
        && whole.start > 0
        && bytes.get(whole.start).is_some_and(continues)
    {
        whole.start -= 1;
    }
    while whole.end - span.end < 3 && bytes.get(whole.end).is_some_and(continues) {
        whole.end += 1;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widened<'a>(text: &'a str, part: &str) -> &'a str {
        let start = text.find(part).unwrap();
        let span = whole_escapes(text.as_bytes(), Span::new(start, start + part.len()));
        &text[span.start..span.end]
    }

    #[test]
    fn escapes_that_are_cut_are_taken_whole() {
        assert_eq!(widened(r"x\nabc", "nabc"), r"\nabc");
        assert_eq!(widened(r"x\\\nabc", "nabc"), r"\nabc");
        assert_eq!(widened(r"x\u00e9abc", "9abc"), r"\u00e9abc");
        assert_eq!(widened(r"x\u00e9abc", "u00e9abc"), r"\u00e9abc");
        assert_eq!(widened(r#"xabc\"y"#, r"abc\"), r#"abc\""#);
        assert_eq!(widened(r"xabc\u00e9y", r"abc\u00"), r"abc\u00e9");
    }

    #[test]
    fn escapes_that_are_not_cut_stay_outside() {
        assert_eq!(widened(r"x\\nabc", "nabc"), "nabc");
        assert_eq!(widened(r"x\nabc", "abc"), "abc");
        assert_eq!(widened(r"xabc\ny", "abc"), "abc");
        assert_eq!(widened(r"xabc\\ny", r"abc\\"), r"abc\\");
        assert_eq!(widened(r"x\uabc", "abc"), "abc");
    }

    #[test]
    fn characters_that_are_cut_are_taken_whole() {
        let text = "x\u{e9}abc\u{20ac}y".as_bytes();
        let span = whole_escapes(text, Span::new(2, 7));
        assert_eq!(span.text(text), "\u{e9}abc\u{20ac}".as_bytes());
    }
}
