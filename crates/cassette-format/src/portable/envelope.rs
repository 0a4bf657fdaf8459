//! What a message is, read from its outermost members: request or answer, of
//! which method, with which id.

use super::raw_text::text_of;
use super::readable_members::{ReadableMembers, State, readable_members};
use crate::descriptor::Dialect;
use crate::json::{Span, Value, ValueKind, string_eq};

/// The outermost members of a message that say what it is. Of duplicates the
/// last one counts.
#[derive(Debug, Clone)]
pub(super) struct Envelope {
    /// Where the message stands.
    pub(super) span: Span,
    /// Whether it is JSON.
    pub(super) state: State,
    /// What tells requests apart: `method`, or `type`, or a control request's
    /// `subtype`.
    pub(super) method: Option<Span>,
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
        let mut members = readable_members(bytes, Span::new(start, bytes.len()));
        let mut envelope = Self {
            span: Span::new(start, bytes.len()),
            state: State::Whole,
            method: None,
            id: None,
            is_answer: false,
            params: "",
            result: None,
        };
        match dialect {
            Dialect::JsonRpc => envelope.json_rpc(bytes, &mut members),
            Dialect::TypedEnvelope => envelope.typed(bytes, &mut members),
            Dialect::StreamJson => envelope.stream_json(bytes, &mut members),
            Dialect::Opaque => {}
        }
        (envelope.span.end, envelope.state) = members.extent();
        envelope
    }

    /// The method, decoded; `None` when it is no text.
    pub(super) fn method(&self, bytes: &[u8]) -> Option<String> {
        self.method.map(|span| text_of(bytes, span).into_owned())
    }

    fn json_rpc(&mut self, bytes: &[u8], members: &mut ReadableMembers<'_>) {
        self.params = "/params";
        for member in members {
            let named = |name| string_eq(bytes, member.key, name);
            if named("method") {
                self.method = text(member.value).or(self.method);
            } else if named("id") {
                self.id = Some(member.value);
            } else if named("result") {
                self.result = Some("/result");
                self.is_answer = true;
            } else if named("error") {
                self.is_answer = true;
            }
        }
    }

    fn typed(&mut self, bytes: &[u8], members: &mut ReadableMembers<'_>) {
        self.params = "/payload";
        for member in members {
            let named = |name| string_eq(bytes, member.key, name);
            if named("type") {
                self.method = text(member.value).or(self.method);
            } else if named("id") {
                self.id = Some(member.value);
            }
        }
        self.is_answer = self.is(bytes, "ok") || self.is(bytes, "error");
        self.result = self.is(bytes, "ok").then_some("/payload");
    }

    fn stream_json(&mut self, bytes: &[u8], members: &mut ReadableMembers<'_>) {
        self.params = "/request";
        let (mut request, mut response) = (None, None);
        for member in members {
            let named = |name| string_eq(bytes, member.key, name);
            if named("type") {
                self.method = text(member.value).or(self.method);
            } else if named("request_id") {
                self.id = Some(member.value);
            } else if named("request") {
                request = Some(member.value.span);
            } else if named("response") {
                response = Some(member.value.span);
            }
        }
        let inside =
            |span: Option<Span>| span.into_iter().flat_map(|it| readable_members(bytes, it));
        if self.is(bytes, "control_request") {
            self.method = None;
            for member in inside(request) {
                if string_eq(bytes, member.key, "subtype") {
                    self.method = text(member.value).or(self.method);
                }
            }
        } else if self.is(bytes, "control_response") {
            self.is_answer = true;
            self.result = Some("/response/response");
            for member in inside(response) {
                if string_eq(bytes, member.key, "request_id") {
                    self.id = Some(member.value);
                }
            }
        }
    }

    fn is(&self, bytes: &[u8], name: &str) -> bool {
        self.method.is_some_and(|span| string_eq(bytes, span, name))
    }
}

fn text(value: Value) -> Option<Span> {
    (value.kind == ValueKind::String).then_some(value.span)
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
