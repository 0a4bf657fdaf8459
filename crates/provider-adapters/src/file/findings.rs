//! Mistakes as they are found, and their places in the text.

use std::collections::BTreeMap;

use super::{DescriptorMistake, DescriptorMistakes, MistakeKind};

/// How many mistakes of a file are told; of further ones it is told how many
/// they are.
pub const MAX_MISTAKES: usize = 100;

/// The first mistakes of a text, whatever the order in which they are found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// By their places, those of one place as they were found.
    first: BTreeMap<(usize, usize), Finding>,
    /// How many were found, all together.
    count: usize,
}

#[derive(Debug)]
struct Finding {
    field: String,
    kind: MistakeKind,
}

impl Findings {
    /// Notes a mistake at a byte offset of the text.
    pub(super) fn add(&mut self, offset: usize, field: &str, kind: MistakeKind) {
        if self.tells(offset) {
            let field = field.to_owned();
            self.first
                .insert((offset, self.count), Finding { field, kind });
            if self.first.len() > MAX_MISTAKES {
                self.first.pop_last();
            }
        }
        self.count += 1;
    }

    /// Whether a mistake at this offset would be among the first.
    pub(super) fn tells(&self, offset: usize) -> bool {
        let last = self.first.last_key_value();
        let before_last = last.is_some_and(|((last, _), _)| offset < *last);
        self.first.len() < MAX_MISTAKES || before_last
    }

    /// The mistakes with their places in `text`, ordered by them; `None` when
    /// there are none.
    pub(super) fn into_mistakes(self, text: &str) -> Option<DescriptorMistakes> {
        if self.count == 0 {
            return None;
        }
        let more = self.count - self.first.len();
        let mut position = Position {
            text,
            offset: 0,
            line: 1,
            column: 1,
        };
        let placed = self.first.into_iter().map(|((offset, _), finding)| {
            position.go_to(offset);
            DescriptorMistake {
                line: position.line,
                column: position.column,
                field: finding.field,
                kind: finding.kind,
            }
        });
        Some(DescriptorMistakes::new(placed.collect(), more))
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

    #[test]
    fn the_first_mistakes_are_told_whatever_is_found_first() {
        let text = "x".repeat(3 * MAX_MISTAKES);
        let mut findings = Findings::default();
        for offset in (0..text.len()).rev() {
            assert!(findings.tells(offset));
            findings.add(offset, "", MistakeKind::Repeated);
        }
        assert!(!findings.tells(MAX_MISTAKES - 1));
        findings.add(MAX_MISTAKES, "", MistakeKind::Repeated);
        let mistakes = findings.into_mistakes(&text).unwrap();
        let columns: Vec<usize> = mistakes.iter().map(|it| it.column).collect();
        assert_eq!(columns, (1..=MAX_MISTAKES).collect::<Vec<_>>());
        assert_eq!(mistakes.more(), 2 * MAX_MISTAKES + 1);
    }
}
