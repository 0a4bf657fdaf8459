//! What a message is about: its kind, and the ids it names.

use cassette_format::json::{ScanError, Scanner, TokenKind, decode_string};

use super::fingerprint::Fingerprint;
use super::place_trail::{PlaceTrail, key_text};

/// Members that say what kind of thing a message or a part of it is.
const KIND_KEYS: [&str; 7] = [
    "event",
    "kind",
    "method",
    "role",
    "sessionUpdate",
    "subtype",
    "type",
];
/// Ids of a message by which its texts are told apart.
const MAX_IDS: usize = 8;
/// Bytes of a kind or an id that are used at most; longer ones are none.
const MAX_WORD: usize = 256;

/// By what the texts of one message are told apart from those of others.
#[derive(Default)]
pub(super) struct MessageScope {
    /// One fingerprint a grouping, no two the same.
    pub(super) groups: Vec<Fingerprint>,
    ids: Vec<Fingerprint>,
}

impl MessageScope {
    /// Reads it from a message of the stream that `stream` stands for.
    ///
    /// # Errors
    /// If the message is not JSON.
    pub(super) fn read(
        &mut self,
        stream: Fingerprint,
        bytes: &[u8],
        trail: &mut PlaceTrail,
    ) -> Result<(), ScanError> {
        self.ids.clear();
        trail.clear();
        let mut outer_kind = stream;
        let mut kind = stream;
        let mut scanner = Scanner::new(bytes);
        let mut key = Default::default();
        while let Some(token) = scanner.next_token()? {
            if token.kind == TokenKind::Key {
                key = key_text(bytes, token);
            }
            trail.follow(token, &key);
            if token.kind != TokenKind::String || token.span.len() > MAX_WORD {
                continue;
            }
            let key: &str = &key;
            let names_kind = KIND_KEYS.contains(&key) && trail.is_single();
            let names_id = is_id(key) && self.ids.len() < MAX_IDS;
            if names_kind || names_id {
                let text = decode_string(bytes, token.span);
                let word = Fingerprint::default()
                    .word(key.as_bytes())
                    .word(text.as_bytes());
                if names_id {
                    self.ids.push(word);
                }
                if names_kind {
                    kind = kind.beside(word);
                    if scanner.depth() == 1 && matches!(key, "method" | "type") {
                        outer_kind = outer_kind.beside(word);
                    }
                }
            }
        }
        self.group(outer_kind, kind);
        Ok(())
    }

    /// By the kind of the message alone; by all kinds it names; by these and
    /// each id.
    fn group(&mut self, outer_kind: Fingerprint, kind: Fingerprint) {
        self.groups.clear();
        let by_id = self.ids.iter().map(|id| kind.and(*id));
        for group in [outer_kind, kind].into_iter().chain(by_id) {
            if !self.groups.contains(&group) {
                self.groups.push(group);
            }
        }
    }
}

/// Whether a member of this name mostly holds an id: `id`, `itemId`,
/// `session_id`, `UUID`.
fn is_id(key: &str) -> bool {
    let tail = key.len().checked_sub(2).and_then(|start| key.get(start..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case("id"))
}
