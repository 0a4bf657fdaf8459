//! The scan over the decoded texts of all messages of a recording.

use std::fmt;
use std::sync::Arc;

use cassette_format::json::{ScanError, Scanner, Span, TokenKind, decode_string, path_at};
use cassette_format::portable::Direction;
use cassette_format::schema::ConnectionId;

use super::fingerprint::Fingerprint;
use super::last_pieces::{LastPieces, Spelling, TextPiece};
use super::message_scope::MessageScope;
use super::open_texts::{OpenText, OpenTexts};
use super::place_trail::{PlaceTrail, key_text};
use super::secret_parts::SecretParts;
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
    /// Number of the message at hand.
    message: u64,
    /// Where the secrets lie, if somebody asks.
    parts: Option<SecretParts>,
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
            message: 0,
            parts: None,
        }
    }

    /// One that notes where the secrets lie.
    pub(crate) fn locating(filter: &SecretFilter) -> Self {
        Self {
            parts: Some(SecretParts::default()),
            ..Self::new(filter)
        }
    }

    /// Where the secrets lie, by the number of the call that brought the message.
    pub(crate) fn into_parts(self) -> SecretParts {
        self.parts.unwrap_or_default()
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
        self.message += 1;
    }

    /// Goes on with a line of the standard error of a connection. Lines are
    /// joined without their ends.
    pub fn line(&mut self, connection: &ConnectionId, bytes: &[u8]) {
        if let Some(matcher) = self.search.clone() {
            self.text_line(&matcher, (connection, stream(connection, b"stderr")), bytes);
            self.message += 1;
        }
    }

    /// Goes on with what a connection's frames say of themselves, beside its streams.
    pub(crate) fn remark(&mut self, connection: &ConnectionId, bytes: &[u8]) {
        if let Some(matcher) = self.search.clone() {
            self.text_line(&matcher, (connection, stream(connection, b"remark")), bytes);
            self.message += 1;
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
                let piece = self.piece(token.span, Spelling::JsonString, text.len());
                self.text(matcher, self.trail.place(), (piece, text.as_bytes()));
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
        let piece = self.piece(Span::whole(line), Spelling::Plain, line.len());
        self.text(matcher, Fingerprint::default(), (piece, line));
        self.report(matcher, connection, || "line".to_owned());
    }

    const fn piece(&self, span: Span, spelling: Spelling, length: usize) -> TextPiece {
        TextPiece {
            message: self.message,
            span,
            spelling,
            length,
        }
    }

    /// Appends a piece to each text that it belongs to.
    fn text(&mut self, matcher: &Matcher, place: Fingerprint, (piece, text): (TextPiece, &[u8])) {
        let Self { found, parts, .. } = self;
        let end = matcher.advance(matcher.start(), text, |end, needle| {
            note(found, needle, Reach::OneText);
            if let Some(parts) = parts {
                parts.add(&LastPieces::default(), (&piece, end), needle);
            }
        });
        for group in &self.scope.groups {
            let number = group.and(place);
            let before = self.texts.take(number);
            let cursor = match &before {
                Some(before) => join(matcher, before.cursor, (text, end), |length, needle| {
                    note(found, needle, Reach::SeveralTexts);
                    if let Some(parts) = parts {
                        parts.add(&before.pieces, (&piece, length), needle);
                    }
                }),
                None => end,
            };
            if cursor != matcher.start() {
                let mut pieces = before.map_or_else(LastPieces::default, |before| before.pieces);
                if parts.is_some() {
                    pieces.push(piece, matcher.depth(cursor));
                }
                self.texts.put(number, OpenText { cursor, pieces });
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
/// `alone`, and says where that leads. Calls `found` for each needle that began before
/// the piece, with how many bytes of the piece it takes.
///
/// Ends as soon as nothing of before counts any more.
fn join(
    matcher: &Matcher,
    before: Cursor,
    (piece, alone): (&[u8], Cursor),
    mut found: impl FnMut(usize, Needle),
) -> Cursor {
    let mut cursor = before;
    for (byte, length) in piece.iter().zip(1..) {
        cursor = matcher.step(cursor, *byte, |needle| {
            if needle.length > length {
                found(length, needle);
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
