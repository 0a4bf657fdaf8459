//! What a message is: a request, an answer or neither, read from its outermost
//! members.

use std::borrow::Cow;

use cassette_format::descriptor::Dialect;
use cassette_format::json::{Member, Value, ValueKind, decode_string, members, string_eq};

use super::message_id::MessageId;

/// What a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Envelope {
    /// It asks for an answer.
    Request {
        /// The id that the answer will have.
        id: MessageId,
        /// The method, as it was sent; empty when it is no text.
        method: String,
    },
    /// It asks for nothing.
    Notification {
        /// The method, as it was sent; empty when it is no text.
        method: String,
    },
    /// It answers a request of the other side.
    Answer {
        /// The id of the request; `None` when it names none.
        id: Option<MessageId>,
        /// How the request came out.
        outcome: Outcome,
    },
    /// Nothing that the dialect knows, several values, or no JSON.
    Other,
}

/// How a request came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With a result.
    Result,
    /// With an error.
    Error,
}

/// The outermost members that say what a message is. Of duplicates the last one
/// counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Header {
    pub(super) kind: HeaderKind,
    pub(super) id: Option<Value>,
    pub(super) method: Option<Value>,
    /// The member `method`, whatever the dialect calls a method.
    pub(super) rpc_method: Option<Value>,
    /// The member `jsonrpc`.
    pub(super) version: Option<Value>,
    /// Where the parameters of a request stand.
    pub(super) params: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum HeaderKind {
    Request,
    Answer(Outcome),
    #[default]
    Other,
}

/// The members by name.
#[derive(Default)]
struct Found {
    method: Option<Value>,
    kind: Option<Value>,
    id: Option<Value>,
    result: Option<Value>,
    error: Option<Value>,
    request_id: Option<Value>,
    request: Option<Value>,
    response: Option<Value>,
    version: Option<Value>,
}

impl Header {
    /// Reads the members of one message.
    pub(super) fn read(
        dialect: Dialect,
        bytes: &[u8],
        members: impl Iterator<Item = Member>,
    ) -> Self {
        let mut found = Found::default();
        for member in members {
            if let Some(place) = found.place(bytes, member) {
                *place = Some(member.value);
            }
        }
        let header = match dialect {
            Dialect::JsonRpc => found.json_rpc(bytes),
            Dialect::TypedEnvelope => found.typed(bytes),
            Dialect::StreamJson => found.stream_json(bytes),
            _ => Self::default(),
        };
        Self {
            rpc_method: found.method,
            version: found.version,
            ..header
        }
    }

    /// What the message is.
    pub(super) fn envelope(&self, bytes: &[u8]) -> Envelope {
        let id = self.id.map(|id| MessageId::of(bytes, id));
        match (self.kind, id) {
            (HeaderKind::Answer(outcome), id) => Envelope::Answer { id, outcome },
            (HeaderKind::Request, Some(id)) => {
                let method = text(bytes, self.method).unwrap_or_default().into_owned();
                Envelope::Request { id, method }
            }
            (HeaderKind::Request, None) => {
                let method = text(bytes, self.method).unwrap_or_default().into_owned();
                Envelope::Notification { method }
            }
            (HeaderKind::Other, _) => Envelope::Other,
        }
    }
}

impl Found {
    fn place(&mut self, bytes: &[u8], member: Member) -> Option<&mut Option<Value>> {
        let raw = member.key.text(bytes);
        let escaped;
        let name = if raw.contains(&b'\\') {
            escaped = decode_string(bytes, member.key);
            escaped.as_bytes()
        } else {
            raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default()
        };
        Some(match name {
            b"method" => &mut self.method,
            b"type" => &mut self.kind,
            b"id" => &mut self.id,
            b"result" => &mut self.result,
            b"error" => &mut self.error,
            b"request_id" => &mut self.request_id,
            b"request" => &mut self.request,
            b"response" => &mut self.response,
            b"jsonrpc" => &mut self.version,
            _ => return None,
        })
    }

    fn json_rpc(&self, bytes: &[u8]) -> Header {
        let kind = match self.method {
            Some(_) => HeaderKind::Request,
            None => self.answer(bytes),
        };
        Header {
            kind,
            id: self.id,
            method: self.method,
            params: "params",
            ..Header::default()
        }
    }

    fn typed(&self, bytes: &[u8]) -> Header {
        let kind = match (self.kind, self.method) {
            (Some(_), _) if self.typed_outcome(bytes).is_none() => HeaderKind::Request,
            (None, Some(_)) => HeaderKind::Other,
            _ => self.answer(bytes),
        };
        Header {
            kind,
            id: self.id,
            method: self.kind,
            params: "payload",
            ..Header::default()
        }
    }

    fn stream_json(&self, bytes: &[u8]) -> Header {
        let is = |name| is_text(bytes, self.kind, name);
        let mut header = Header {
            kind: HeaderKind::Request,
            method: self.kind,
            params: "request",
            ..Header::default()
        };
        if is("control_request") {
            header.id = self.request_id;
            header.method = member(bytes, self.request, "subtype");
        } else if is("control_response") {
            let inside = member(bytes, self.response, "request_id");
            let subtype = member(bytes, self.response, "subtype");
            let failed = is_text(bytes, subtype, "error");
            header.kind = HeaderKind::Answer(if failed {
                Outcome::Error
            } else {
                Outcome::Result
            });
            header.id = inside.or(self.request_id);
        } else if self.kind.is_none() {
            header.kind = HeaderKind::Other;
        }
        header
    }

    /// An answer of JSON-RPC or of a sidecar: either is known everywhere.
    fn answer(&self, bytes: &[u8]) -> HeaderKind {
        let typed = self.typed_outcome(bytes);
        let outcome = match (self.result, self.error) {
            (_, Some(_)) => Some(Outcome::Error),
            (Some(_), None) => Some(Outcome::Result),
            (None, None) => None,
        };
        typed
            .or(outcome)
            .map_or(HeaderKind::Other, HeaderKind::Answer)
    }

    fn typed_outcome(&self, bytes: &[u8]) -> Option<Outcome> {
        if is_text(bytes, self.kind, "ok") {
            Some(Outcome::Result)
        } else if is_text(bytes, self.kind, "error") {
            Some(Outcome::Error)
        } else {
            None
        }
    }
}

/// The text of a string; `None` for any other value.
pub(super) fn text(bytes: &[u8], value: Option<Value>) -> Option<Cow<'_, str>> {
    let value = value.filter(|value| value.kind == ValueKind::String)?;
    Some(decode_string(bytes, value.span))
}

fn is_text(bytes: &[u8], value: Option<Value>, text: &str) -> bool {
    value.is_some_and(|value| value.kind == ValueKind::String && string_eq(bytes, value.span, text))
}

fn member(bytes: &[u8], object: Option<Value>, name: &str) -> Option<Value> {
    let found = members(bytes, object?.span).flatten();
    let named = found.filter(|member| string_eq(bytes, member.key, name));
    named.last().map(|member| member.value)
}
