//! Which bytes of messages belong to secrets that the decoded texts hold.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use cassette_format::json::{Span, spellings_of};

use super::last_pieces::{LastPieces, Spelling, TextPiece};
use crate::secrets::matcher::Needle;
use crate::secrets::{Replaced, SecretFilter};

/// The parts of messages that belong to secrets.
#[derive(Debug, Default)]
pub(crate) struct SecretParts {
    /// By message, and by where in it a string or line begins and ends.
    messages: HashMap<u64, BTreeMap<(usize, usize), StringParts>>,
}

/// The parts of one string or line.
#[derive(Debug)]
struct StringParts {
    spelling: Spelling,
    parts: Vec<Part>,
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    start: usize,
    end: usize,
    name: usize,
    /// A secret ends with it.
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
        let part = |range: Range<usize>, ends| Part {
            start: range.start,
            end: range.end,
            name: needle.name,
            ends,
        };
        let start = end.saturating_sub(needle.length);
        self.add_part(piece, part(start..end, true));
        for (piece, length) in before.ending(needle.length.saturating_sub(end)) {
            let start = piece.length - length;
            self.add_part(piece, part(start..piece.length, false));
        }
    }

    fn add_part(&mut self, piece: &TextPiece, part: Part) {
        let strings = self.messages.entry(piece.message).or_default();
        let string = strings.entry((piece.span.start, piece.span.end));
        let string = string.or_insert(StringParts {
            spelling: piece.spelling,
            parts: Vec::new(),
        });
        join(&mut string.parts, part);
    }

    /// A message without its parts of secrets, and with a token where a secret ends;
    /// `None` if it has none. Counted are the tokens.
    ///
    /// Linear in the message; of its parts those are sorted that came out of order.
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
            let kept = &bytes[written..cut.start];
            replaced.bytes.extend_from_slice(kept);
            if cut.ends {
                let token = filter.token(name);
                replaced.bytes.extend_from_slice(token.as_bytes());
                replaced.count += 1;
            }
            if !replaced.names.contains(name) {
                replaced.names.push(name.clone());
            }
            written = cut.end;
        }
        replaced.bytes.extend_from_slice(&bytes[written..]);
        Some(replaced)
    }

    /// What of a message's bytes is cut out: in order, none overlapping another.
    fn cuts(&self, message: u64, bytes: &[u8]) -> Option<Vec<Part>> {
        let mut cuts = Vec::new();
        for ((start, end), string) in self.messages.get(&message)? {
            cuts.extend(string.cuts(bytes, Span::new(*start, *end)));
        }
        // A line that is no JSON may have strings in it.
        Some(joined(cuts))
    }
}

impl StringParts {
    /// The bytes that spell its parts.
    fn cuts(&self, message: &[u8], string: Span) -> Vec<Part> {
        let parts = joined(self.parts.clone());
        let spans: Vec<Span> = match self.spelling {
            Spelling::JsonString => {
                let ranges = parts.iter().map(|part| part.start..part.end);
                spellings_of(message, string, ranges)
            }
            Spelling::Plain => {
                let at = |offset| string.start + offset;
                let spans = parts.iter().map(|part| (at(part.start), at(part.end)));
                spans.map(|(start, end)| Span::new(start, end)).collect()
            }
        };
        let cuts = parts.into_iter().zip(spans).map(|(part, span)| Part {
            start: span.start,
            end: span.end,
            ..part
        });
        cuts.collect()
    }
}

/// The union of parts, in order.
fn joined(mut parts: Vec<Part>) -> Vec<Part> {
    parts.sort_by_key(|part| (part.start, part.end));
    let mut all = Vec::with_capacity(parts.len());
    for part in parts {
        join(&mut all, part);
    }
    all
}

/// Adds a part, as one with the last if both overlap. The one that begins first gives
/// the name.
fn join(parts: &mut Vec<Part>, part: Part) {
    match parts.last_mut() {
        Some(last) if part.start < last.end && last.start < part.end => {
            if part.start < last.start {
                (last.start, last.name) = (part.start, part.name);
            }
            last.end = last.end.max(part.end);
            last.ends |= part.ends;
        }
        _ => parts.push(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(start: usize, end: usize, name: usize, ends: bool) -> Part {
        Part {
            start,
            end,
            name,
            ends,
        }
    }

    #[test]
    fn parts_that_overlap_are_joined_in_whichever_order_they_come() {
        let mut parts = Vec::new();
        for added in [
            part(4, 9, 0, false),
            part(8, 12, 1, true),
            part(2, 5, 2, false),
            part(20, 22, 3, true),
            part(12, 13, 4, false),
        ] {
            join(&mut parts, added);
        }
        assert_eq!(parts.len(), 3);
        let expected = [
            part(2, 12, 2, true),
            part(12, 13, 4, false),
            part(20, 22, 3, true),
        ];
        assert_eq!(joined(parts), expected);
    }

    #[test]
    fn finds_that_lie_on_each_other_take_no_memory() {
        let mut parts = SecretParts::default();
        let needle = Needle { length: 8, name: 0 };
        let piece = TextPiece {
            message: 0,
            span: Span::new(5, 1007),
            spelling: Spelling::JsonString,
            length: 1000,
        };
        for end in 8..=1000 {
            parts.add(&LastPieces::default(), (&piece, end), needle);
        }
        let string = &parts.messages[&0][&(5, 1007)];
        assert_eq!(string.parts, [part(0, 1000, 0, true)]);
    }
}
