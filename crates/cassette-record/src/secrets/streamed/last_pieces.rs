//! The end of a text, as the pieces that it stands in.

use std::collections::VecDeque;

use cassette_format::json::Span;

/// A string of a message, or a line: a piece of one or several texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextPiece {
    /// Number of the message, from 0.
    pub(super) message: u64,
    pub(super) span: Span,
    pub(super) spelling: Spelling,
    /// Bytes of its text.
    pub(super) length: usize,
}

/// How the text of a piece stands in its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    JsonString,
    Plain,
}

/// The last pieces of a text: those in which a secret may have begun.
#[derive(Debug, Default)]
pub(super) struct LastPieces {
    pieces: VecDeque<TextPiece>,
    length: usize,
}

impl LastPieces {
    /// Goes on with a piece. Only the last `depth` bytes still count.
    pub(super) fn push(&mut self, piece: TextPiece, depth: usize) {
        self.pieces.push_back(piece);
        self.length += piece.length;
        while let Some(first) = self.pieces.front()
            && self.length - first.length >= depth
        {
            self.length -= first.length;
            self.pieces.pop_front();
        }
    }

    /// The pieces that the last `length` bytes stand in, the last one first, each with
    /// how many of them end it.
    pub(super) fn ending(&self, length: usize) -> impl Iterator<Item = (&TextPiece, usize)> {
        let mut left = length;
        self.pieces.iter().rev().map_while(move |piece| {
            let part = left.min(piece.length);
            left -= part;
            (part > 0).then_some((piece, part))
        })
    }
}
