//! From parts of a string's text back to the bytes that spell them.

use std::ops::Range;

use super::Span;
use super::decode::{Piece, Pieces, string_body};

/// The bytes that spell a part of the text of the string or key at `span` of `bytes`.
/// The part is given as byte offsets in [`decode_string`](super::decode_string)'s text;
/// escapes and characters that it cuts are taken whole.
#[must_use]
pub fn spelling_of(bytes: &[u8], span: Span, part: Range<usize>) -> Span {
    Spelling::of(bytes, span).part(part)
}

/// The same for several parts of one text, in one pass over it: linear in the string
/// and the number of parts.
///
/// No part may begin before the one before it ends; one that does is taken to begin in
/// the character in which that one ended.
#[must_use]
pub fn spellings_of(
    bytes: &[u8],
    span: Span,
    parts: impl IntoIterator<Item = Range<usize>>,
) -> Vec<Span> {
    let mut spelling = Spelling::of(bytes, span);
    let parts = parts.into_iter();
    parts.map(|part| spelling.part(part)).collect()
}

/// A walk over a string and its text side by side.
struct Spelling<'a> {
    /// Where the string's body ends.
    end: usize,
    rest: Pieces<'a>,
    /// The piece at hand; `None` behind the last one.
    piece: Option<Spelled<'a>>,
}

/// A piece of a text and the bytes that spell it.
struct Spelled<'a> {
    bytes: Span,
    text: Range<usize>,
    /// Where the bytes stand for themselves.
    run: Option<&'a str>,
}

impl<'a> Spelling<'a> {
    fn of(bytes: &'a [u8], span: Span) -> Self {
        let body = string_body(bytes, span);
        let mut spelling = Self {
            end: body.end,
            rest: Pieces::of(body.text(bytes)),
            piece: None,
        };
        spelling.advance(0);
        spelling
    }

    fn part(&mut self, part: Range<usize>) -> Span {
        self.advance_while(|text| text.end <= part.start);
        let start = match &self.piece {
            Some(piece) => piece.start_of(part.start),
            None => self.end,
        };
        if part.is_empty() {
            return Span::new(start, start);
        }
        self.advance_while(|text| text.end < part.end);
        let end = match &self.piece {
            Some(piece) => piece.end_of(part.end),
            None => self.end,
        };
        Span::new(start, end)
    }

    fn advance_while(&mut self, is_before: impl Fn(&Range<usize>) -> bool) {
        while let Some(piece) = &self.piece
            && is_before(&piece.text)
        {
            self.advance(piece.text.end);
        }
    }

    /// Goes on to the piece whose text begins at `start`.
    fn advance(&mut self, start: usize) {
        let from = self.end - self.rest.left();
        let piece = self.rest.next();
        let bytes = Span::new(from, self.end - self.rest.left());
        self.piece = piece.map(|piece| {
            let (length, run) = match piece {
                Piece::Plain(run) => (run.len(), Some(run)),
                Piece::Character(character) => (character.len_utf8(), None),
            };
            Spelled {
                bytes,
                text: start..start + length,
                run,
            }
        });
    }
}

impl Spelled<'_> {
    fn start_of(&self, offset: usize) -> usize {
        let inside = offset.saturating_sub(self.text.start);
        let before = self.run.map_or(0, |run| run.floor_char_boundary(inside));
        self.bytes.start + before
    }

    fn end_of(&self, offset: usize) -> usize {
        let inside = offset.saturating_sub(self.text.start);
        match self.run {
            Some(run) => self.bytes.start + run.ceil_char_boundary(inside),
            None => self.bytes.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::decode_string;

    /// A string in `x…`, and its text.
    const LITERAL: &str = r#"x"a\u00e9b\n\ud83d\ude00c€d""#;
    const TEXT: &str = "aéb\n😀c€d";

    fn span() -> Span {
        Span::new(1, LITERAL.len())
    }

    fn spelled(part: Range<usize>) -> &'static str {
        let found = spelling_of(LITERAL.as_bytes(), span(), part);
        &LITERAL[found.start..found.end]
    }

    #[test]
    fn part_of_a_text_is_found_in_its_spelling() {
        assert_eq!(decode_string(LITERAL.as_bytes(), span()), TEXT);
        assert_eq!(spelled(0..TEXT.len()), &LITERAL[2..LITERAL.len() - 1]);
        assert_eq!(spelled(0..1), "a");
        assert_eq!(spelled(1..3), r"\u00e9");
        assert_eq!(spelled(2..4), r"\u00e9b");
        assert_eq!(spelled(4..6), r"\n\ud83d\ude00");
        assert_eq!(spelled(9..11), "c€");
        assert_eq!(spelled(11..13), "€");
        assert_eq!(spelled(13..14), "d");
        assert_eq!(spelled(3..3), "");
        assert_eq!(spelled(14..14), "");
        assert_eq!(spelled(90..99), "");
    }

    #[test]
    fn parts_in_order_are_found_as_each_by_itself_is() {
        let bytes = LITERAL.as_bytes();
        for length in 1..=TEXT.len() {
            let parts = (0..TEXT.len()).step_by(length).map(|at| at..at + length);
            let each: Vec<Span> = parts
                .clone()
                .map(|part| spelling_of(bytes, span(), part))
                .collect();
            assert_eq!(spellings_of(bytes, span(), parts), each);
        }
    }

    #[test]
    fn parts_of_bytes_that_are_not_utf8_are_found() {
        let bytes = b"\"\xffab\\u0063\xe2\x82\"";
        let text = decode_string(bytes, Span::whole(bytes));
        assert_eq!(text, "\u{fffd}abc\u{fffd}");
        let found = spellings_of(bytes, Span::whole(bytes), [0..4, 4..6, 6..9]);
        let found: Vec<&[u8]> = found.iter().map(|span| span.text(bytes)).collect();
        assert_eq!(found, [&b"\xffa"[..], b"b\\u0063", b"\xe2\x82"]);
    }
}
