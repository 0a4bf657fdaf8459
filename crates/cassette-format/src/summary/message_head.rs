//! What one message is, in the terms of its dialect, from its outermost members.

use super::{MAX_NAME_BYTES, MessageKind};
use crate::descriptor::Dialect;
use crate::json::{Piece, Pieces, Span, Value, ValueKind, members, string_body, string_eq};

/// What a message says of itself. Of duplicate members the last one counts.
///
/// ```
/// use cassette_format::descriptor::Dialect;
/// use cassette_format::json::Scanner;
/// use cassette_format::summary::{MessageHead, MessageKind};
///
/// let message = br#"{"id":"a","method":"turn/start"}"#;
/// let value = Scanner::new(message).skip_value()?.unwrap();
/// let head = MessageHead::read(Dialect::JsonRpc, message, value).unwrap();
/// assert_eq!((head.kind, head.name(message).as_str()), (MessageKind::Request, "turn/start"));
/// # Ok::<(), cassette_format::json::ScanError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct MessageHead {
    /// What it is.
    pub kind: MessageKind,
    /// Strings that name it, outermost first.
    name: [Option<Span>; 2],
    /// The id of the request that it is or answers; never `null`.
    pub id: Option<Value>,
}

impl MessageHead {
    /// Reads the message that the value, a piece of `bytes`, is; `None` if it is none of
    /// the dialect, of which a batch of messages is none either.
    #[must_use]
    pub fn read(dialect: Dialect, bytes: &[u8], value: Value) -> Option<Self> {
        match dialect {
            Dialect::JsonRpc => Self::json_rpc(bytes, value.span),
            Dialect::TypedEnvelope => Self::typed(bytes, value.span),
            Dialect::StreamJson => Self::stream_json(bytes, value.span),
            Dialect::Opaque => None,
        }
    }

    /// Its own name in the `bytes` it was read from, decoded and cut to
    /// [`MAX_NAME_BYTES`]; empty where it has none, as an answer.
    #[must_use]
    pub fn name(&self, bytes: &[u8]) -> String {
        let mut name = String::new();
        let [first, second] = self.name;
        let mut add = |span: Span| append_string(&mut name, bytes, span, MAX_NAME_BYTES);
        let is_whole = first.is_none_or(&mut add);
        if let Some(second) = second
            && is_whole
            && append(&mut name, "/", MAX_NAME_BYTES)
        {
            append_string(&mut name, bytes, second, MAX_NAME_BYTES);
        }
        name
    }

    fn json_rpc(bytes: &[u8], object: Span) -> Option<Self> {
        let [method, id, result, error] =
            last_of(bytes, object, ["method", "id", "result", "error"]);
        let (method, id) = (method.and_then(text), id.filter(is_there));
        let kind = match (method, id) {
            (Some(_), Some(_)) => MessageKind::Request,
            (Some(_), None) => MessageKind::Notification,
            (None, _) if error.is_some_and(|error| is_there(&error)) => MessageKind::Error,
            (None, _) if result.or(error).is_some() => MessageKind::Result,
            (None, _) => return None,
        };
        let name = [method, None];
        Some(Self { kind, name, id })
    }

    fn typed(bytes: &[u8], object: Span) -> Option<Self> {
        let [named, id] = last_of(bytes, object, ["type", "id"]);
        let (named, id) = (named.and_then(text)?, id.filter(is_there));
        let kind = match id {
            None => MessageKind::Notification,
            Some(_) if string_eq(bytes, named, "ok") => MessageKind::Result,
            Some(_) if string_eq(bytes, named, "error") => MessageKind::Error,
            Some(_) => MessageKind::Request,
        };
        let name = [Some(named), None];
        Some(Self { kind, name, id })
    }

    fn stream_json(bytes: &[u8], object: Span) -> Option<Self> {
        let [named, subtype, id, request, response] = last_of(
            bytes,
            object,
            ["type", "subtype", "request_id", "request", "response"],
        );
        let (named, id) = (named.and_then(text)?, id.filter(is_there));
        if string_eq(bytes, named, "control_request") {
            let [subtype] = inside(bytes, request, ["subtype"]);
            let name = [subtype.and_then(text).or(Some(named)), None];
            let kind = id.map_or(MessageKind::Notification, |_| MessageKind::Request);
            return Some(Self { kind, name, id });
        }
        if string_eq(bytes, named, "control_response") {
            let [subtype, answered] = inside(bytes, response, ["subtype", "request_id"]);
            let kind = match subtype.and_then(text) {
                Some(subtype) if string_eq(bytes, subtype, "error") => MessageKind::Error,
                _ => MessageKind::Result,
            };
            return Some(Self {
                kind,
                name: [None, None],
                id: answered.filter(is_there).or(id),
            });
        }
        Some(Self {
            kind: MessageKind::Notification,
            name: [Some(named), subtype.and_then(text)],
            id: None,
        })
    }
}

/// Appends the text of the string at `span`, up to `limit` bytes in all. Gives
/// whether all of it found room.
pub(super) fn append_string(output: &mut String, bytes: &[u8], span: Span, limit: usize) -> bool {
    let mut pieces = Pieces::of(string_body(bytes, span).text(bytes));
    pieces.all(|piece| match piece {
        Piece::Plain(run) => append(output, run, limit),
        Piece::Character(character) => append(output, character.encode_utf8(&mut [0; 4]), limit),
    })
}

fn append(output: &mut String, text: &str, limit: usize) -> bool {
    let room = limit.saturating_sub(output.len());
    let fits = text.floor_char_boundary(room);
    output.push_str(&text[..fits]);
    fits == text.len()
}

/// The last member of each name.
fn last_of<const N: usize>(bytes: &[u8], object: Span, names: [&str; N]) -> [Option<Value>; N] {
    let mut found = [None; N];
    for member in members(bytes, object).flatten() {
        let named = |name: &&str| string_eq(bytes, member.key, name);
        if let Some(at) = names.iter().position(named) {
            found[at] = Some(member.value);
        }
    }
    found
}

fn inside<const N: usize>(
    bytes: &[u8],
    object: Option<Value>,
    names: [&str; N],
) -> [Option<Value>; N] {
    object.map_or([None; N], |object| last_of(bytes, object.span, names))
}

fn text(value: Value) -> Option<Span> {
    (value.kind == ValueKind::String).then_some(value.span)
}

fn is_there(value: &Value) -> bool {
    value.kind != ValueKind::Null
}
