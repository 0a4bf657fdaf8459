//! What a message is, read from its outermost members: request or answer, of
//! which method, with which id.

use super::readable_members::readable_members;
use crate::descriptor::Dialect;
use crate::json::{Span, Value, ValueKind, decode_string, string_eq};

/// The outermost members of a message that say what it is. Of duplicates the
/// last one counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Envelope {
    /// What tells requests apart: `method`, or `type`, or a control request's
    /// `subtype`. Every duplicate, since each may be the one that is acted on.
    pub(super) methods: Vec<Span>,
    /// The request's or answer's id.
    pub(super) id: Option<Value>,
    /// Whether it answers a request.
    pub(super) is_answer: bool,
    /// Where the parameters stand: `params`, `payload` or `request`.
    pub(super) params: &'static str,
    /// Where the content of an answer stands: `result`, or the `payload` of an
    /// `ok`; nowhere in an error.
    pub(super) result: Option<&'static str>,
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
        let mut envelope = Self {
            params: "/params",
            ..Self::default()
        };
        for member in readable_members(bytes, whole) {
            let named = |name| string_eq(bytes, member.key, name);
            if named("method") {
                envelope.add_method(member.value);
            } else if named("id") {
                envelope.id = Some(member.value);
            } else if named("result") {
                envelope.result = Some("/result");
                envelope.is_answer = true;
            } else if named("error") {
                envelope.is_answer = true;
            }
        }
        envelope
    }

    fn typed(bytes: &[u8], whole: Span) -> Self {
        let mut envelope = Self {
            params: "/payload",
            ..Self::default()
        };
        for member in readable_members(bytes, whole) {
            let named = |name| string_eq(bytes, member.key, name);
            if named("type") {
                envelope.add_method(member.value);
            } else if named("id") {
                envelope.id = Some(member.value);
            }
        }
        let is = |name| {
            envelope
                .methods
                .last()
                .is_some_and(|span| string_eq(bytes, *span, name))
        };
        envelope.is_answer = is("ok") || is("error");
        envelope.result = is("ok").then_some("/payload");
        envelope
    }

    fn stream_json(bytes: &[u8], whole: Span) -> Self {
        let mut envelope = Self {
            params: "/request",
            ..Self::default()
        };
        let (mut kind, mut request, mut response) = (None, None, None);
        for member in readable_members(bytes, whole) {
            let named = |name| string_eq(bytes, member.key, name);
            if named("type") && member.value.kind == ValueKind::String {
                kind = Some(member.value.span);
            } else if named("request_id") {
                envelope.id = Some(member.value);
            } else if named("request") {
                request = Some(member.value.span);
            } else if named("response") {
                response = Some(member.value.span);
            }
        }
        let is = |name| kind.is_some_and(|span| string_eq(bytes, span, name));
        let inside =
            |span: Option<Span>| span.into_iter().flat_map(|it| readable_members(bytes, it));
        if is("control_request") {
            for member in inside(request) {
                if string_eq(bytes, member.key, "subtype") {
                    envelope.add_method(member.value);
                }
            }
        } else if is("control_response") {
            envelope.is_answer = true;
            envelope.result = Some("/response/response");
            for member in inside(response) {
                if string_eq(bytes, member.key, "request_id") {
                    envelope.id = Some(member.value);
                }
            }
        }
        envelope
    }

    fn add_method(&mut self, value: Value) {
        if value.kind == ValueKind::String {
            self.methods.push(value.span);
        }
    }
}

/// The values at an RFC 6901 pointer below the value at `within`, in document
/// order: where keys repeat there are several. Keeps none of them.
pub(super) fn values_at<'b>(
    bytes: &'b [u8],
    within: Span,
    pointer: &str,
) -> Box<dyn Iterator<Item = Value> + 'b> {
    let kind = ValueKind::Object;
    let mut found: Box<dyn Iterator<Item = Value> + 'b> =
        Box::new(std::iter::once(Value { kind, span: within }));
    for key in pointer.split('/').skip(1) {
        let key = key.replace("~1", "/").replace("~0", "~");
        found = Box::new(found.flat_map(move |value| {
            let key = key.clone();
            readable_members(bytes, value.span)
                .filter(move |member| string_eq(bytes, member.key, &key))
                .map(|member| member.value)
        }));
    }
    found
}
