//! Where in a message the scanner is, as fingerprints.

use std::borrow::Cow;

use cassette_format::json::{Token, TokenKind, decode_string};

use super::fingerprint::Fingerprint;

/// Levels that are told apart; all strings below are one place.
pub(super) const MAX_LEVELS: usize = 128;
/// Members of an object among which the duplicates of a key are counted.
const MAX_MEMBERS: usize = 64;

/// The place of a value, in two grains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    /// All elements of an array are one place, and so are all members with the
    /// same key. A list of messages is no level: its elements are where a single
    /// message is.
    pub(super) loose: Fingerprint,
    /// Elements and members are told apart by their number; the same as `loose`
    /// where no array and no duplicate is around.
    pub(super) exact: Fingerprint,
}

/// Follows the tokens of one message.
#[derive(Default)]
pub(super) struct PlaceTrail {
    levels: Vec<Level>,
    depth: usize,
    /// The keys so far of all open objects.
    members: Vec<Fingerprint>,
}

/// One open container.
struct Level {
    container: Place,
    /// The member or the element.
    child: Place,
    contents: Contents,
}

enum Contents {
    /// Its members begin there among all.
    Members(usize),
    /// How many there were so far.
    Elements(u64),
}

impl PlaceTrail {
    /// Before a new message.
    pub(super) fn clear(&mut self) {
        self.levels.clear();
        self.members.clear();
        self.depth = 0;
    }

    /// Goes on with a token; its key is given where it is one.
    #[inline]
    pub(super) fn follow(&mut self, token: Token, key: &str) {
        match token.kind {
            TokenKind::EndObject | TokenKind::EndArray => self.close(),
            TokenKind::Key => self.enter_member(key),
            kind => {
                self.enter_value();
                if matches!(kind, TokenKind::BeginObject | TokenKind::BeginArray) {
                    self.open(kind);
                }
            }
        }
    }

    /// The place of the value that comes next or was just read.
    pub(super) fn place(&self) -> Place {
        self.levels
            .last()
            .map_or(Place::default(), |level| level.child)
    }

    fn enter_member(&mut self, key: &str) {
        if self.depth > MAX_LEVELS {
            return;
        }
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        let Contents::Members(first) = level.contents else {
            return;
        };
        let key = Fingerprint::default().word(key.as_bytes());
        let Place { loose, exact } = level.container;
        level.child = Place {
            loose: loose.and(key),
            exact: exact.and(key),
        };
        let before = &self.members[first..];
        let same = before.iter().filter(|known| **known == key).count();
        if same > 0 {
            level.child.exact = level.child.exact.nth(same as u64);
        }
        if before.len() < MAX_MEMBERS {
            self.members.push(key);
        }
    }

    fn enter_value(&mut self) {
        if self.depth <= MAX_LEVELS
            && let Some(level) = self.levels.last_mut()
            && let Contents::Elements(count) = &mut level.contents
        {
            level.child.exact = level.container.exact.nth(*count);
            *count += 1;
        }
    }

    fn open(&mut self, kind: TokenKind) {
        self.depth += 1;
        if self.depth > MAX_LEVELS {
            return;
        }
        let Place { loose, exact } = self.place();
        let level = match kind {
            TokenKind::BeginObject => {
                let container = Place { loose, exact };
                Level {
                    container,
                    child: container,
                    contents: Contents::Members(self.members.len()),
                }
            }
            _ => {
                let container = Place {
                    loose: if self.depth == 1 {
                        loose
                    } else {
                        loose.word(b"[]")
                    },
                    exact: exact.word(b"[]"),
                };
                Level {
                    container,
                    child: container,
                    contents: Contents::Elements(0),
                }
            }
        };
        self.levels.push(level);
    }

    fn close(&mut self) {
        if self.depth <= MAX_LEVELS
            && let Some(Level {
                contents: Contents::Members(first),
                ..
            }) = self.levels.pop()
        {
            self.members.truncate(first);
        }
        self.depth = self.depth.saturating_sub(1);
    }
}

/// The text of a key; nothing of any other token.
#[inline]
pub(super) fn key_text(bytes: &[u8], token: Token) -> Cow<'_, str> {
    match token.kind {
        TokenKind::Key => decode_string(bytes, token.span),
        _ => Cow::Borrowed(""),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use cassette_format::json::Scanner;

    use super::*;

    /// The strings of a message with their places, as numbers in order of appearance.
    fn places(message: &str) -> Vec<(String, usize, usize)> {
        let bytes = message.as_bytes();
        let (mut trail, mut scanner) = (PlaceTrail::default(), Scanner::new(bytes));
        let mut numbers = BTreeMap::new();
        let mut strings = Vec::new();
        while let Some(token) = scanner.next_token().unwrap() {
            trail.follow(token, &key_text(bytes, token));
            if token.kind == TokenKind::String {
                let place = trail.place();
                let [loose, exact] = [place.loose, place.exact].map(|place| {
                    let next = numbers.len();
                    *numbers.entry(place.number()).or_insert(next)
                });
                let text = decode_string(bytes, token.span).into_owned();
                strings.push((text, loose, exact));
            }
        }
        strings
    }

    fn expect(message: &str, expected: &[(&str, usize, usize)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(text, loose, exact)| ((*text).to_owned(), *loose, *exact))
            .collect();
        assert_eq!(places(message), expected, "{message}");
    }

    #[test]
    fn elements_and_duplicates_have_an_exact_place_of_their_own() {
        expect(
            r#"{"a":["x","y"],"b":"z","b":"w","c":{"b":"v"}}"#,
            &[
                ("x", 0, 1),
                ("y", 0, 2),
                ("z", 3, 3),
                ("w", 3, 4),
                ("v", 5, 5),
            ],
        );
        expect(
            r#"{"a":[[],{"t":"x","u":"y"},{"t":"z"}]}{"a":[0,{"t":"w"}]}"#,
            &[("x", 0, 1), ("y", 2, 3), ("z", 0, 4), ("w", 0, 1)],
        );
    }

    #[test]
    fn a_message_of_a_list_is_where_a_single_one_is() {
        expect(
            r#"[{"a":"x"},{"a":"y"}]{"a":"z"}"#,
            &[("x", 0, 1), ("y", 0, 2), ("z", 0, 0)],
        );
    }

    #[test]
    fn levels_that_are_too_deep_are_one_place() {
        let deep = |text: &str| format!("{}{text}{}", "[".repeat(200), "]".repeat(200));
        let message = deep(r#""x",{"a":"y"},"z""#);
        let places = places(&message);
        assert_eq!(places.len(), 3);
        assert!(
            places
                .iter()
                .all(|(_, loose, exact)| (*loose, *exact) == (0, 1))
        );
    }
}
