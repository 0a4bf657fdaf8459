//! What a message is, read from its outermost members: request or answer, of
//! which method, with which id.

use crate::descriptor::Dialect;
use crate::json::{Span, Value, ValueKind, decode_string, members, string_eq};

/// The outermost members of a message that say what it is. Of duplicates the
/// last one counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Envelope {
    /// What tells messages apart: `method`, or `type`, or a control request's
    /// `subtype`. Every duplicate, since each may be the one that is acted on.
    pub(super) methods: Vec<Span>,
    /// The request's or answer's id.
    pub(super) id: Option<Value>,
    /// The parameters: `params` or `payload`.
    pub(super) params: Option<Value>,
    /// The content of an answer: `result`, or the `payload` of an `ok`.
    pub(super) result: Option<Value>,
    /// Whether it answers a request.
    pub(super) is_answer: bool,
}

impl Envelope {
    /// Reads the object that starts at `start`; as far as it can be read.
    pub(super) fn read(dialect: Dialect, bytes: &[u8], start: usize) -> Self {
        let whole = Span::new(start, bytes.len());
        match dialect {
            Dialect::JsonRpc => Self::json_rpc(bytes, whole),
            Dialect::TypedEnvelope => Self::typed(bytes, whole),
            Dialect::StreamJson => Self::stream_json(bytes, whole),
            Dialect::Opaque => Self::default(),
        }
    }

    /// The method that counts, decoded; `None` when it is no text.
    pub(super) fn method(&self, bytes: &[u8]) -> Option<String> {
        self.methods
            .last()
            .map(|span| decode_string(bytes, *span).into_owned())
    }

    fn json_rpc(bytes: &[u8], whole: Span) -> Self {
        let mut envelope = Self::default();
        for member in members(bytes, whole).flatten() {
            let named = |name| string_eq(bytes, member.key, name);
            if named("method") {
                envelope.add_method(member.value);
            } else if named("id") {
                envelope.id = Some(member.value);
            } else if named("params") {
                envelope.params = Some(member.value);
            } else if named("result") {
                envelope.result = Some(member.value);
                envelope.is_answer = true;
            } else if named("error") {
                envelope.is_answer = true;
            }
        }
        envelope
    }

    fn typed(bytes: &[u8], whole: Span) -> Self {
        let mut envelope = Self::default();
        for member in members(bytes, whole).flatten() {
            let named = |name| string_eq(bytes, member.key, name);
            if named("type") {
                envelope.add_method(member.value);
            } else if named("id") {
                envelope.id = Some(member.value);
            } else if named("payload") {
                envelope.params = Some(member.value);
            }
        }
        let is = |name| {
            envelope
                .methods
                .last()
                .is_some_and(|span| string_eq(bytes, *span, name))
        };
        envelope.is_answer = is("ok") || is("error");
        envelope.result = envelope.params.filter(|_| is("ok"));
        envelope
    }

    fn stream_json(bytes: &[u8], whole: Span) -> Self {
        let mut envelope = Self::default();
        let (mut kind, mut request, mut response) = (None, None, None);
        for member in members(bytes, whole).flatten() {
            let named = |name| string_eq(bytes, member.key, name);
            if named("type") && member.value.kind == ValueKind::String {
                kind = Some(member.value.span);
            } else if named("request_id") {
                envelope.id = Some(member.value);
            } else if named("request") {
                request = Some(member.value);
            } else if named("response") {
                response = Some(member.value);
            }
        }
        let is = |name| kind.is_some_and(|span| string_eq(bytes, span, name));
        if is("control_request") {
            envelope.params = request;
            for member in request
                .iter()
                .flat_map(|value| members(bytes, value.span))
                .flatten()
            {
                if string_eq(bytes, member.key, "subtype") {
                    envelope.add_method(member.value);
                }
            }
        } else if is("control_response") {
            envelope.is_answer = true;
            for member in response
                .iter()
                .flat_map(|value| members(bytes, value.span))
                .flatten()
            {
                if string_eq(bytes, member.key, "request_id") {
                    envelope.id = Some(member.value);
                } else if string_eq(bytes, member.key, "response") {
                    envelope.result = Some(member.value);
                }
            }
        } else if let Some(kind) = kind {
            envelope.methods.push(kind);
        }
        envelope
    }

    fn add_method(&mut self, value: Value) {
        if value.kind == ValueKind::String {
            self.methods.push(value.span);
        }
    }
}

/// The value at an RFC 6901 pointer below the value at `span`; every duplicate
/// of its last key.
pub(super) fn values_at(bytes: &[u8], within: Value, pointer: &str) -> Vec<Value> {
    let mut found = vec![within];
    for key in pointer.split('/').skip(1) {
        let key = key.replace("~1", "/").replace("~0", "~");
        let of = |value: &Value| {
            let inner = members(bytes, value.span).flatten();
            let named = inner.filter(|member| string_eq(bytes, member.key, &key));
            named.map(|member| member.value).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(of).collect();
    }
    found
}
