//! The scan over the decoded texts of all messages of a recording.

use std::fmt;
use std::sync::Arc;

use cassette_format::json::{ScanError, Scanner, TokenKind, decode_string, path_at};
use cassette_format::portable::Direction;
use cassette_format::schema::ConnectionId;

use super::fingerprint::Fingerprint;
use super::message_scope::MessageScope;
use super::open_texts::OpenTexts;
use super::place_trail::{PlaceTrail, key_text};
use super::{Reach, SplitHit};
use crate::secrets::SecretFilter;
use crate::secrets::matcher::{Cursor, Matcher, Needle};

/// Hits that are reported; more would say nothing new.
const MAX_HITS: usize = 256;

/// Finds secrets in what an agent says bit by bit: a message holds a piece of
/// a text, the next one the next piece.
///
/// It is fed with the messages of a recording in their order. Strings at the
/// same place of messages of the same kind are one text (same connection and
/// direction, same path with all elements of an array as one, same `method` or
/// `type`), and so are those that besides name the same id (a string under a
/// key that ends with `id`) or the same kinds further inside (`type`,
/// `sessionUpdate`, `role` …). What lies in a text is found, over however many
/// messages; also within one string, where this sees through every spelling
/// of a JSON escape.
///
/// Of a message the first 8 ids count, and 128 levels of depth are told apart.
/// Of a text nothing is kept but a number, and that only while it ends with
/// the beginning of a secret: of at least the 65 536 such texts that changed
/// last. What a text before these began is not found. Linear in the bytes.
pub struct StreamedTexts {
    search: Option<Arc<Matcher>>,
    filter: SecretFilter,
    texts: OpenTexts,
    scope: MessageScope,
    trail: PlaceTrail,
    hits: Vec<SplitHit>,
    /// Finds of the string at hand, each once.
    found: Vec<(usize, Reach)>,
}

impl StreamedTexts {
    /// Before the first message.
    #[must_use]
    pub fn new(filter: &SecretFilter) -> Self {
        Self {
            search: filter.matcher().cloned(),
            filter: filter.clone(),
            texts: OpenTexts::default(),
            scope: MessageScope::default(),
            trail: PlaceTrail::default(),
            hits: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Goes on with a message. One that is not JSON is taken for a line of
    /// text.
    pub fn message(&mut self, connection: &ConnectionId, direction: Direction, bytes: &[u8]) {
        let Some(matcher) = self.search.clone() else {
            return;
        };
        let stream = stream(connection, direction_word(direction));
        if self.strings(&matcher, (connection, stream), bytes).is_err() {
            self.text_line(&matcher, (connection, stream.word(b"line")), bytes);
        }
    }

    /// Goes on with a line of the standard error of a connection. Lines are
    /// joined without their ends.
    pub fn line(&mut self, connection: &ConnectionId, bytes: &[u8]) {
        if let Some(matcher) = self.search.clone() {
            self.text_line(&matcher, (connection, stream(connection, b"stderr")), bytes);
        }
    }

    /// The secrets that were found, in the order of their ends, the first 256
    /// of them.
    #[must_use]
    pub fn hits(&self) -> &[SplitHit] {
        &self.hits
    }

    fn strings(
        &mut self,
        matcher: &Matcher,
        (connection, stream): (&ConnectionId, Fingerprint),
        bytes: &[u8],
    ) -> Result<(), ScanError> {
        self.scope.read(stream, bytes, &mut self.trail)?;
        self.trail.clear();
        let mut scanner = Scanner::new(bytes);
        while let Some(token) = scanner.next_token()? {
            self.trail.follow(token, &key_text(bytes, token));
            if token.kind == TokenKind::String {
                let text = decode_string(bytes, token.span);
                self.text(matcher, self.trail.place(), text.as_bytes());
                self.report(matcher, connection, || path_at(bytes, token.span.start));
            }
        }
        Ok(())
    }

    fn text_line(
        &mut self,
        matcher: &Matcher,
        (connection, stream): (&ConnectionId, Fingerprint),
        bytes: &[u8],
    ) {
        let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.scope.groups.clear();
        self.scope.groups.push(stream);
        self.text(matcher, Fingerprint::default(), line);
        self.report(matcher, connection, || "line".to_owned());
    }

    /// Appends a piece to each text that it belongs to.
    fn text(&mut self, matcher: &Matcher, place: Fingerprint, piece: &[u8]) {
        let found = &mut self.found;
        let end = matcher.advance(matcher.start(), piece, |_, needle| {
            note(found, needle, Reach::OneText);
        });
        for group in &self.scope.groups {
            let text = group.and(place);
            let end = match self.texts.take(text) {
                Some(before) => join(matcher, before, (piece, end), found),
                None => end,
            };
            if end != matcher.start() {
                self.texts.put(text, end);
            }
        }
    }

    /// Reports what was found in the string at hand.
    fn report(&mut self, matcher: &Matcher, connection: &ConnectionId, path: impl Fn() -> String) {
        for (name, reach) in self.found.drain(..) {
            if self.hits.len() >= MAX_HITS {
                continue;
            }
            // Keys are shown, and a key may hold a secret.
            let path = path();
            let path = match self.filter.replace(path.as_bytes()) {
                Some(replaced) => String::from_utf8_lossy(&replaced.bytes).into_owned(),
                None => path,
            };
            self.hits.push(SplitHit {
                name: matcher.name(name).clone(),
                connection: connection.clone(),
                path,
                reach,
            });
        }
    }
}

impl fmt::Debug for StreamedTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamedTexts")
            .field("hits", &self.hits)
            .finish_non_exhaustive()
    }
}

/// Goes on from the end of a text over a piece, which taken alone leads to
/// `alone`, and says where that leads.
///
/// Ends as soon as nothing of before counts any more.
fn join(
    matcher: &Matcher,
    before: Cursor,
    (piece, alone): (&[u8], Cursor),
    found: &mut Vec<(usize, Reach)>,
) -> Cursor {
    let mut cursor = before;
    for (byte, length) in piece.iter().zip(1..) {
        cursor = matcher.step(cursor, *byte, |needle| {
            if needle.length > length {
                note(found, needle, Reach::SeveralTexts);
            }
        });
        if matcher.depth(cursor) <= length {
            return alone;
        }
    }
    cursor
}

fn note(found: &mut Vec<(usize, Reach)>, needle: Needle, reach: Reach) {
    if !found.contains(&(needle.name, reach)) {
        found.push((needle.name, reach));
    }
}

fn stream(connection: &ConnectionId, name: &[u8]) -> Fingerprint {
    Fingerprint::default()
        .word(connection.as_str().as_bytes())
        .word(name)
}

const fn direction_word(direction: Direction) -> &'static [u8] {
    match direction {
        Direction::Outbound => b"outbound",
        Direction::Inbound => b"inbound",
    }
}
