//! What stands in the bytes of a message.

use cassette_format::descriptor::Dialect;
use cassette_format::json::{Scanner, Value, ValueKind, elements, members, string_eq};
use cassette_format::summary::MessageKind;

/// The messages that some bytes are, those of a batch one by one; none where they are
/// no JSON.
pub(crate) fn values(bytes: &[u8]) -> Option<Vec<Value>> {
    let mut scanner = Scanner::new(bytes);
    let mut values = Vec::new();
    while let Some(value) = scanner.skip_value().ok()? {
        let before = values.len();
        if value.kind == ValueKind::Array {
            values.extend(elements(bytes, value.span).flatten());
        }
        if values.len() == before {
            values.push(value);
        }
    }
    Some(values)
}

/// What a message of a protocol that is not known says that it is.
pub(crate) fn likely_dialect(bytes: &[u8], value: Value) -> Dialect {
    let has = |name: &str| {
        let mut members = members(bytes, value.span).flatten();
        members.any(|member| string_eq(bytes, member.key, name))
    };
    if !has("method") && !has("jsonrpc") && has("type") {
        Dialect::StreamJson
    } else {
        Dialect::JsonRpc
    }
}

/// What a message has to say: its parameters, its result, its error.
pub(crate) fn gist(bytes: &[u8], (kind, value): (MessageKind, Value)) -> String {
    let name = match kind {
        MessageKind::Result => "result",
        MessageKind::Error => "error",
        _ => "params",
    };
    let members = members(bytes, value.span).flatten();
    let said = members
        .filter(|member| string_eq(bytes, member.key, name))
        .last();
    said.map_or_else(String::new, |said| written(bytes, said.value))
}

/// A value as it is written.
pub(crate) fn written(bytes: &[u8], value: Value) -> String {
    String::from_utf8_lossy(value.span.text(bytes)).into_owned()
}
