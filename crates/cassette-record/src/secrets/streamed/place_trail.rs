//! Where in a message the scanner is, as a fingerprint; all elements of an
//! array are one place.

use std::borrow::Cow;

use cassette_format::json::{Token, TokenKind, decode_string};

use super::fingerprint::Fingerprint;

/// Levels that are told apart; all strings below are one place.
const MAX_LEVELS: usize = 128;

/// Follows the tokens of one message.
#[derive(Default)]
pub(super) struct PlaceTrail {
    levels: Vec<Level>,
    depth: usize,
}

/// One open container.
struct Level {
    container: Fingerprint,
    /// The member or the elements.
    child: Fingerprint,
    is_array: bool,
}

impl PlaceTrail {
    /// Before a new message.
    pub(super) fn clear(&mut self) {
        self.levels.clear();
        self.depth = 0;
    }

    /// Goes on with a token; its key is given where it is one.
    pub(super) fn follow(&mut self, token: Token, key: &str) {
        match token.kind {
            TokenKind::BeginObject | TokenKind::BeginArray => self.open(token.kind),
            TokenKind::EndObject | TokenKind::EndArray => self.close(),
            TokenKind::Key => {
                if self.depth <= MAX_LEVELS
                    && let Some(level) = self.levels.last_mut()
                {
                    level.child = level.container.word(key.as_bytes());
                }
            }
            _ => {}
        }
    }

    /// The place of the value that comes next or was just read.
    pub(super) fn place(&self) -> Fingerprint {
        self.levels
            .last()
            .map_or(Fingerprint::default(), |level| level.child)
    }

    /// Whether no array is around the present place.
    pub(super) fn is_single(&self) -> bool {
        self.depth <= MAX_LEVELS && !self.levels.iter().any(|level| level.is_array)
    }

    fn open(&mut self, kind: TokenKind) {
        self.depth += 1;
        if self.depth <= MAX_LEVELS {
            let container = self.place();
            let is_array = kind == TokenKind::BeginArray;
            let child = if is_array {
                container.word(b"[]")
            } else {
                container
            };
            self.levels.push(Level {
                container,
                child,
                is_array,
            });
        }
    }

    fn close(&mut self) {
        if self.depth <= MAX_LEVELS {
            self.levels.pop();
        }
        self.depth = self.depth.saturating_sub(1);
    }
}

/// The text of a key; nothing of any other token.
pub(super) fn key_text(bytes: &[u8], token: Token) -> Cow<'_, str> {
    match token.kind {
        TokenKind::Key => decode_string(bytes, token.span),
        _ => Cow::Borrowed(""),
    }
}
