//! Mistakes as they are found, and their places in the text.

use super::{DescriptorMistake, DescriptorMistakes, MistakeKind};

/// Mistakes in the order in which they are found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Finding>,
}

#[derive(Debug)]
struct Finding {
    offset: usize,
    field: String,
    kind: MistakeKind,
}

impl Findings {
    /// Notes a mistake at a byte offset of the text.
    pub(super) fn add(&mut self, offset: usize, field: &str, kind: MistakeKind) {
        self.found.push(Finding {
            offset,
            field: field.to_owned(),
            kind,
        });
    }

    /// The mistakes with their places in `text`, ordered by them; `None` when
    /// there are none.
    pub(super) fn into_mistakes(mut self, text: &str) -> Option<DescriptorMistakes> {
        if self.found.is_empty() {
            return None;
        }
        self.found.sort_by_key(|finding| finding.offset);
        let mut position = Position {
            text,
            offset: 0,
            line: 1,
            column: 1,
        };
        let placed = self.found.into_iter().map(
            |Finding {
                 offset,
                 field,
                 kind,
             }| {
                position.go_to(offset);
                DescriptorMistake {
                    line: position.line,
                    column: position.column,
                    field,
                    kind,
                }
            },
        );
        Some(DescriptorMistakes::new(placed.collect()))
    }
}

/// A place that only goes forward, so that a text is gone over once.
struct Position<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
    column: usize,
}

impl Position<'_> {
    fn go_to(&mut self, offset: usize) {
        for (at, character) in self.text[self.offset..].char_indices() {
            if self.offset + at >= offset {
                self.offset += at;
                return;
            }
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.offset = self.text.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters_and_sorted() {
        let text = "é = 1\nab\n";
        let mut findings = Findings::default();
        for offset in [99, 7, 0, 2, 8] {
            findings.add(offset, "", MistakeKind::Repeated);
        }
        let mistakes = findings.into_mistakes(text).unwrap();
        let places: Vec<_> = mistakes.iter().map(|it| (it.line, it.column)).collect();
        assert_eq!(places, [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]);
    }
}
