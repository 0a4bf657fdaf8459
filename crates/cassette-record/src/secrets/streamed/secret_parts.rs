//! Which bytes of messages belong to secrets that the decoded texts hold.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use cassette_format::json::{Span, spelling_of};

use super::last_pieces::{LastPieces, Spelling, TextPiece};
use crate::secrets::matcher::Needle;
use crate::secrets::{Replaced, SecretFilter};

/// The parts of messages that belong to secrets.
#[derive(Debug, Default)]
pub(crate) struct SecretParts {
    messages: HashMap<u64, BTreeMap<Place, Part>>,
}

/// Where a string begins in its message, and which part of its text.
type Place = (usize, usize, usize);

#[derive(Debug, Clone, Copy)]
struct Part {
    string: Span,
    spelling: Spelling,
    name: usize,
    /// A secret ends with it.
    ends: bool,
}

/// Bytes of a message that are cut out.
struct Cut {
    span: Span,
    name: usize,
    ends: bool,
}

impl SecretParts {
    /// A secret ends after `end` bytes of a piece. What of it does not lie there ends
    /// the pieces before.
    pub(super) fn add(
        &mut self,
        before: &LastPieces,
        (piece, end): (&TextPiece, usize),
        needle: Needle,
    ) {
        let start = end.saturating_sub(needle.length);
        self.add_part(piece, start..end, (needle.name, true));
        for (piece, part) in before.ending(needle.length.saturating_sub(end)) {
            let start = piece.length - part;
            self.add_part(piece, start..piece.length, (needle.name, false));
        }
    }

    fn add_part(&mut self, piece: &TextPiece, part: Range<usize>, (name, ends): (usize, bool)) {
        let place = (piece.span.start, part.start, part.end);
        let parts = self.messages.entry(piece.message).or_default();
        let part = parts.entry(place).or_insert(Part {
            string: piece.span,
            spelling: piece.spelling,
            name,
            ends,
        });
        part.ends |= ends;
    }

    /// A message without its parts of secrets, and with a token where a secret ends;
    /// `None` if it has none. Counted are the tokens.
    pub(crate) fn cut(
        &self,
        filter: &SecretFilter,
        (message, bytes): (u64, &[u8]),
    ) -> Option<Replaced> {
        let cuts = self.cuts(message, bytes)?;
        let mut replaced = Replaced {
            bytes: Vec::with_capacity(bytes.len()),
            count: 0,
            names: Vec::new(),
        };
        let mut written = 0;
        for cut in cuts {
            let name = filter.name_at(cut.name)?;
            let kept = &bytes[written..cut.span.start];
            replaced.bytes.extend_from_slice(kept);
            if cut.ends {
                let token = filter.token(name);
                replaced.bytes.extend_from_slice(token.as_bytes());
                replaced.count += 1;
            }
            if !replaced.names.contains(name) {
                replaced.names.push(name.clone());
            }
            written = cut.span.end;
        }
        replaced.bytes.extend_from_slice(&bytes[written..]);
        Some(replaced)
    }

    /// In order, none overlapping another.
    fn cuts(&self, message: u64, bytes: &[u8]) -> Option<Vec<Cut>> {
        let mut cuts: Vec<Cut> = Vec::new();
        // In the order of strings and, inside of one, of beginnings.
        for ((_, start, end), part) in self.messages.get(&message)? {
            let span = part.bytes_of(bytes, *start..*end);
            match cuts.last_mut() {
                Some(last) if span.start < last.span.end => {
                    last.span.end = last.span.end.max(span.end);
                    last.ends |= part.ends;
                }
                _ => cuts.push(Cut {
                    span,
                    name: part.name,
                    ends: part.ends,
                }),
            }
        }
        Some(cuts)
    }
}

impl Part {
    /// The bytes that spell this part of the text.
    fn bytes_of(&self, message: &[u8], part: Range<usize>) -> Span {
        let start = self.string.start;
        match self.spelling {
            Spelling::JsonString => spelling_of(message, self.string, part),
            Spelling::Plain => Span::new(start + part.start, start + part.end),
        }
    }
}
