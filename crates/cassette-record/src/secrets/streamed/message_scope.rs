//! What a message is about: its kind, and the ids it names.

use cassette_format::json::{Scanner, Token, TokenKind, decode_string};

use super::fingerprint::Fingerprint;
use super::place_trail::{MAX_LEVELS, key_text};

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

/// The kinds that a message names: the outer one, and all of them.
struct Kinds {
    outer: Fingerprint,
    all: Fingerprint,
}

impl MessageScope {
    /// Reads it from a message of the stream that `stream` stands for, as far as the
    /// message is JSON.
    pub(super) fn read(&mut self, stream: Fingerprint, bytes: &[u8]) {
        self.ids.clear();
        let mut kinds = Kinds {
            outer: stream,
            all: stream,
        };
        let mut arrays = 0_usize;
        let mut scanner = Scanner::new(bytes);
        let mut key = Default::default();
        while let Ok(Some(token)) = scanner.next_token() {
            match token.kind {
                TokenKind::Key => key = key_text(bytes, token),
                TokenKind::BeginArray => arrays += 1,
                TokenKind::EndArray => arrays = arrays.saturating_sub(1),
                TokenKind::String | TokenKind::Number if token.span.len() <= MAX_WORD => {
                    if arrays == 0 && token.kind == TokenKind::String {
                        kinds.read(&key, (bytes, token), scanner.depth());
                    }
                    if self.ids.len() < MAX_IDS && is_id(&key) {
                        self.ids.push(word(&key, (bytes, token)));
                    }
                }
                _ => {}
            }
        }
        self.group(stream, &kinds);
    }

    /// By the stream alone; by the kind of the message; by all kinds it names; by
    /// these and each id; by these and all ids.
    fn group(&mut self, stream: Fingerprint, kinds: &Kinds) {
        let Self { groups, ids } = self;
        let together = ids
            .iter()
            .fold(Fingerprint::default(), |all, id| all.beside(*id));
        groups.clear();
        groups.push(stream);
        let together = (!ids.is_empty()).then_some(together);
        let by_id = ids.iter().chain(&together).map(|id| kinds.all.and(*id));
        for group in [kinds.outer, kinds.all].into_iter().chain(by_id) {
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
    }
}

impl Kinds {
    fn read(&mut self, key: &str, (bytes, token): (&[u8], Token), depth: usize) {
        if !KIND_KEYS.contains(&key) || depth > MAX_LEVELS {
            return;
        }
        let word = word(key, (bytes, token));
        self.all = self.all.beside(word);
        if depth == 1 && matches!(key, "method" | "type") {
            self.outer = self.outer.beside(word);
        }
    }
}

fn word(key: &str, (bytes, token): (&[u8], Token)) -> Fingerprint {
    let text = decode_string(bytes, token.span);
    Fingerprint::default()
        .word(key.as_bytes())
        .word(text.as_bytes())
}

/// Whether a member of this name mostly says which of several things it is about:
/// `id`, `itemId`, `session_id`, `UUID`, `index`, `content_index`, `stream`.
fn is_id(key: &str) -> bool {
    let ends_with = |word: &str| {
        let start = key.len().checked_sub(word.len());
        let tail = start.and_then(|start| key.get(start..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
    };
    ends_with("id") || ends_with("index") || matches!(key, "stream" | "channel")
}
