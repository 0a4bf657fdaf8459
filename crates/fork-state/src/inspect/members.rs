//! The few members of a record that matter, read as they pass: exact keys,
//! escapes resolved, the last of several counts.

use cassette_format::json::{Span, as_u64, decode_string, string_eq};

use super::nesting::Container;

/// A longer text of a member equals nothing; bytes.
pub(super) const MAX_TEXT: usize = 512;
/// No shorter text can be spelled with more bytes.
const MAX_SPELLING: usize = 6 * MAX_TEXT;

/// A member that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Type,
    Ordinal,
    SessionId,
    Payload,
    PayloadId,
    PayloadSessionId,
    Base,
    BaseThread,
    BaseOrdinal,
    BaseOffset,
}

const FIELDS: usize = Field::BaseOffset as usize + 1;

/// Which members are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Nothing,
    /// Of the record that says what a rollout is.
    RolloutHead,
    /// Of the other records of a rollout.
    RolloutBody,
    ProjectFile,
}

/// What a member is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Value {
    /// There is none, or `null`.
    #[default]
    Absent,
    Text,
    Number(u64),
    Object,
    /// Anything else; also a text that is too long or that no text equals.
    Other,
}

/// Reads the members of one record after the other.
#[derive(Debug, Clone)]
pub(super) struct Members {
    wanted: Wanted,
    /// How many of the open containers, from outside, are ones in which a wanted
    /// member may lie.
    path: usize,
    /// The member whose value comes next.
    next: Option<Field>,
    values: [Value; FIELDS],
    /// Of the members that are texts; kept beyond a record for its memory.
    texts: [String; FIELDS],
    /// The part of a token that was in earlier buffers.
    held: Vec<u8>,
    /// Whether the token is longer than any that matters.
    is_overlong: bool,
}

impl Members {
    pub(super) fn new() -> Self {
        Self {
            wanted: Wanted::Nothing,
            path: 0,
            next: None,
            values: [Value::Absent; FIELDS],
            texts: Default::default(),
            held: Vec::new(),
            is_overlong: false,
        }
    }

    /// Begins a record.
    pub(super) fn begin(&mut self, wanted: Wanted) {
        self.wanted = wanted;
        self.path = usize::from(wanted != Wanted::Nothing);
        self.next = None;
        self.drop_token();
        self.clear(&[Field::Type, Field::Ordinal, Field::SessionId]);
        self.clear_payload();
    }

    pub(super) fn value(&self, field: Field) -> Value {
        self.values[field as usize]
    }

    /// The text of a member, if it is one.
    pub(super) fn text_of(&self, field: Field) -> Option<&str> {
        let is_text = self.value(field) == Value::Text;
        is_text.then_some(&self.texts[field as usize])
    }

    /// The number of a member, if it is a whole one that is not negative.
    pub(super) fn number_of(&self, field: Field) -> Option<u64> {
        match self.value(field) {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Whether to tell of a key in the container of this depth.
    #[inline]
    pub(super) fn want_key(&self, depth: usize) -> bool {
        depth == self.path
    }

    /// Whether to tell of a value in the container of this depth.
    #[inline]
    pub(super) fn want_value(&self, depth: usize) -> bool {
        self.next.is_some() && depth == self.path
    }

    /// Part of a token whose end is not in the buffer.
    #[cold]
    pub(super) fn hold(&mut self, part: &[u8]) {
        let room = MAX_SPELLING.saturating_sub(self.held.len());
        self.is_overlong |= part.len() > room;
        self.held.extend_from_slice(&part[..part.len().min(room)]);
    }

    /// A key ended; `body` is what of it is in this buffer, without quotes.
    pub(super) fn key(&mut self, body: &[u8]) {
        if self.held.is_empty() {
            self.next = self.field(body);
            return;
        }
        self.hold(body);
        if !self.is_overlong {
            self.next = self.field(&self.held);
        }
        self.drop_token();
    }

    /// The value is a text, spelled so, without quotes.
    pub(super) fn text(&mut self, body: &[u8]) {
        self.hold(body);
        let text = decode_string(&self.held, Span::whole(&self.held));
        let is_too_long = self.is_overlong || text.len() > MAX_TEXT;
        if is_too_long || text.contains(char::REPLACEMENT_CHARACTER) {
            drop(text);
            self.put(Value::Other);
        } else if let Some(field) = self.next {
            let kept = &mut self.texts[field as usize];
            kept.clear();
            kept.push_str(&text);
            self.put(Value::Text);
        }
    }

    /// The value is a number, spelled so.
    pub(super) fn number(&mut self, digits: &[u8]) {
        self.hold(digits);
        let number = as_u64(&self.held, Span::whole(&self.held));
        let number = number.filter(|_| !self.is_overlong);
        self.put(number.map_or(Value::Other, Value::Number));
    }

    /// The value is the word with this first letter.
    pub(super) fn word(&mut self, letter: u8) {
        self.put(match letter {
            b'n' => Value::Absent,
            _ => Value::Other,
        });
    }

    /// A container opens in the one of this depth.
    #[inline]
    pub(super) fn open(&mut self, depth: usize, container: Container) {
        if self.want_value(depth) {
            self.open_wanted(container);
        }
    }

    /// The container of this depth closes.
    #[inline]
    pub(super) fn close(&mut self, depth: usize) {
        if depth == self.path {
            self.path -= 1;
        }
    }

    fn open_wanted(&mut self, container: Container) {
        let field = self.next;
        if container == Container::Array {
            self.put(Value::Other);
            return;
        }
        self.put(Value::Object);
        if let Some(Field::Payload | Field::Base) = field {
            self.path += 1;
        }
    }

    fn put(&mut self, value: Value) {
        self.drop_token();
        let Some(field) = self.next.take() else {
            return;
        };
        match field {
            Field::Payload => self.clear_payload(),
            Field::Base => self.clear_base(),
            _ => {}
        }
        self.values[field as usize] = value;
    }

    fn drop_token(&mut self) {
        self.held.clear();
        self.is_overlong = false;
    }

    fn clear_payload(&mut self) {
        self.clear(&[Field::Payload, Field::PayloadId, Field::PayloadSessionId]);
        self.clear_base();
    }

    fn clear_base(&mut self) {
        self.clear(&[
            Field::Base,
            Field::BaseThread,
            Field::BaseOrdinal,
            Field::BaseOffset,
        ]);
    }

    fn clear(&mut self, fields: &[Field]) {
        for field in fields {
            self.values[*field as usize] = Value::Absent;
        }
    }

    /// The member of the innermost container that this key names.
    fn field(&self, key: &[u8]) -> Option<Field> {
        let keys: &[(&str, Field)] = match (self.wanted, self.path) {
            (Wanted::ProjectFile, 1) => &[("sessionId", Field::SessionId)],
            (Wanted::RolloutBody, 1) => &[("ordinal", Field::Ordinal)],
            (Wanted::RolloutHead, 1) => &[
                ("type", Field::Type),
                ("ordinal", Field::Ordinal),
                ("payload", Field::Payload),
            ],
            (Wanted::RolloutHead, 2) => &[
                ("id", Field::PayloadId),
                ("session_id", Field::PayloadSessionId),
                ("history_base", Field::Base),
            ],
            (Wanted::RolloutHead, 3) => &[
                ("thread_id", Field::BaseThread),
                ("end_ordinal_exclusive", Field::BaseOrdinal),
                ("end_byte_offset", Field::BaseOffset),
            ],
            _ => &[],
        };
        let span = Span::whole(key);
        let found = keys.iter().find(|(name, _)| string_eq(key, span, name));
        found.map(|(_, field)| *field)
    }
}
