//! The scan over the decoded texts of all messages of a recording.

use std::fmt;
use std::sync::Arc;

use cassette_format::json::{Scanner, Span, TokenKind, decode_string, path_at};
use cassette_format::portable::Direction;
use cassette_format::schema::ConnectionId;

use super::fingerprint::Fingerprint;
use super::last_pieces::{LastPieces, Spelling, TextPiece};
use super::message_scope::MessageScope;
use super::open_texts::{OpenText, OpenTexts};
use super::place_trail::{Place, PlaceTrail, key_text};
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
/// same place of messages of one connection and direction are one text. Since
/// the pieces of several texts may come in turns, strings are put together in
/// several ways at once:
///
/// - all of the same place;
/// - those of messages of the same outer kind (`method` or `type`);
/// - those of messages that name the same kinds, further inside too (`type`,
///   `sessionUpdate`, `role` …);
/// - of these those that name the same id, for each of their ids (a string or
///   number under a key that ends with `id` or `index`, or is `stream` or
///   `channel`);
/// - of these those that name the same ids, all of them.
///
/// A place is a path. All elements of an array are one place, as are all members
/// with the same key, and the messages of a list are where single ones are; besides,
/// each element, and each duplicate but the first, is a place of its own.
///
/// What lies in a text is found, over however many messages; also within one
/// string or key, where this sees through every spelling of a JSON escape. Of a
/// message that stops being JSON the strings before are read so, and the whole of
/// it as well as the rest as lines. What is not found is listed at [`SecretFilter`].
///
/// Of a message the first 8 ids count, and 128 levels of depth and the duplicates
/// among the first 64 members of an object are told apart.
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
        self.scope.read(stream, bytes);
        if let Err(read) = self.strings(&matcher, connection, bytes) {
            let rest = Span::new(read, bytes.len());
            self.text_line(&matcher, stream.word(b"line"), (bytes, Span::whole(bytes)));
            if read > 0 {
                self.text_line(&matcher, stream.word(b"rest"), (bytes, rest));
            }
            self.report(&matcher, connection, || "line".to_owned());
        }
        self.message += 1;
    }

    /// Goes on with a line of the standard error of a connection. Lines are
    /// joined without their ends.
    pub fn line(&mut self, connection: &ConnectionId, bytes: &[u8]) {
        self.plain(connection, b"stderr", bytes);
    }

    /// Goes on with what a connection's frames say of themselves, beside its streams.
    pub(crate) fn remark(&mut self, connection: &ConnectionId, bytes: &[u8]) {
        self.plain(connection, b"remark", bytes);
    }

    /// The secrets that were found, in the order of their ends, the first 256
    /// of them.
    #[must_use]
    pub fn hits(&self) -> &[SplitHit] {
        &self.hits
    }

    /// Goes on with a line of a stream that has nothing but lines.
    fn plain(&mut self, connection: &ConnectionId, name: &[u8], bytes: &[u8]) {
        let Some(matcher) = self.search.clone() else {
            return;
        };
        let line = (bytes, Span::whole(bytes));
        self.text_line(&matcher, stream(connection, name), line);
        self.report(&matcher, connection, || "line".to_owned());
        self.message += 1;
    }

    /// Goes on with the strings and keys of a message. Fails with how much of it was
    /// read, if not all of it is JSON.
    fn strings(
        &mut self,
        matcher: &Matcher,
        connection: &ConnectionId,
        bytes: &[u8],
    ) -> Result<(), usize> {
        self.trail.clear();
        let mut scanner = Scanner::new(bytes);
        loop {
            let token = match scanner.next_token() {
                Ok(Some(token)) => token,
                Ok(None) => return Ok(()),
                Err(_) => return Err(scanner.offset()),
            };
            let key = key_text(bytes, token);
            self.trail.follow(token, &key);
            match token.kind {
                TokenKind::Key => {
                    let piece = self.piece(token.span, Spelling::JsonString, key.len());
                    self.key(matcher, (&piece, key.as_bytes()));
                }
                TokenKind::String => {
                    let text = decode_string(bytes, token.span);
                    let piece = self.piece(token.span, Spelling::JsonString, text.len());
                    self.text(matcher, self.trail.place(), (piece, text.as_bytes()));
                }
                _ => continue,
            }
            self.report(matcher, connection, || path_at(bytes, token.span.start));
        }
    }

    /// Goes on with the part of a message that is a line of text.
    fn text_line(&mut self, matcher: &Matcher, stream: Fingerprint, (bytes, part): (&[u8], Span)) {
        let line = part.text(bytes);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.scope.groups.clear();
        self.scope.groups.push(stream);
        let span = Span::new(part.start, part.start + line.len());
        let piece = self.piece(span, Spelling::Plain, line.len());
        self.text(matcher, Place::default(), (piece, line));
    }

    const fn piece(&self, span: Span, spelling: Spelling, length: usize) -> TextPiece {
        TextPiece {
            message: self.message,
            span,
            spelling,
            length,
        }
    }

    /// Looks for what lies in a key, which is no piece of any text.
    #[inline(never)]
    fn key(&mut self, matcher: &Matcher, (piece, text): (&TextPiece, &[u8])) {
        let Self { found, parts, .. } = self;
        matcher.search(text, |end, needle| {
            note(found, needle, Reach::OneText);
            if let Some(parts) = parts {
                parts.add(&LastPieces::default(), (piece, end), needle);
            }
        });
    }

    /// Appends a piece to each text that it belongs to.
    fn text(&mut self, matcher: &Matcher, place: Place, (piece, text): (TextPiece, &[u8])) {
        let Self { found, parts, .. } = self;
        let end = matcher.advance(matcher.start(), text, |end, needle| {
            note(found, needle, Reach::OneText);
            if let Some(parts) = parts {
                parts.add(&LastPieces::default(), (&piece, end), needle);
            }
        });
        let leads_nowhere = end == matcher.start() && self.texts.is_empty();
        if text.is_empty() || leads_nowhere {
            return;
        }
        for at in 0..self.scope.groups.len() {
            let group = self.scope.groups[at];
            self.append(matcher, group.and(place.loose), (piece, text, end));
            if place.exact != place.loose {
                self.append(matcher, group.and(place.exact), (piece, text, end));
            }
        }
    }

    /// Appends a piece, which by itself leads to `alone`, to a text.
    #[inline]
    fn append(
        &mut self,
        matcher: &Matcher,
        text: Fingerprint,
        (piece, bytes, alone): (TextPiece, &[u8], Cursor),
    ) {
        let Self { found, parts, .. } = self;
        let before = self.texts.take(text);
        let cursor = match &before {
            Some(before) => join(matcher, before.cursor, (bytes, alone), |length, needle| {
                note(found, needle, Reach::SeveralTexts);
                if let Some(parts) = parts {
                    parts.add(&before.pieces, (&piece, length), needle);
                }
            }),
            None => alone,
        };
        if cursor != matcher.start() {
            let mut pieces = before.map_or_else(LastPieces::default, |before| before.pieces);
            if parts.is_some() {
                pieces.push(piece, matcher.depth(cursor));
            }
            self.texts.put(text, OpenText { cursor, pieces });
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
