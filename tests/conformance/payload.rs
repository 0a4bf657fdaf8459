//! Payloads of the vectors: `{"text"}` or `{"base64"}`, and how they compare.

use std::collections::BTreeMap;

use base64::Engine;
use cassette_format::json::{self, Member, Scanner, ValueKind, decode_string, elements, members};
use serde_json::Value;

/// The bytes of a payload; none when it is absent.
pub(crate) fn bytes(payload: &Value) -> Vec<u8> {
    if let Some(text) = payload["text"].as_str() {
        return text.as_bytes().to_vec();
    }
    let base64 = payload["base64"].as_str().unwrap_or_default();
    base64::engine::general_purpose::STANDARD
        .decode(base64)
        .unwrap()
}

/// Bytes as a payload.
pub(crate) fn of(bytes: &[u8]) -> Value {
    let base64 = base64::engine::general_purpose::STANDARD.encode(bytes);
    serde_json::json!({"base64": base64})
}

/// Whether `actual` is what `expected` asks for: the same bytes, or the same
/// JSON values whatever stands between them.
pub(crate) fn matches(expected: &Value, actual: &[u8]) -> bool {
    let wanted = bytes(expected);
    match expected["compare"].as_str() {
        Some("bytes") => wanted == actual,
        _ => wanted == actual || canonical(&wanted).is_some_and(|it| Some(it) == canonical(actual)),
    }
}

/// The JSON values of a text in a form that equal values have in common: keys
/// sorted, of duplicates the last, strings decoded, numbers as written.
fn canonical(text: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(text).into_owned();
    let mut scanner = Scanner::new(text.as_bytes());
    let mut values = Vec::new();
    while let Some(value) = scanner.skip_value().ok()? {
        values.push(of_value(text.as_bytes(), value));
    }
    Some(values)
}

fn of_value(text: &[u8], value: json::Value) -> String {
    match value.kind {
        ValueKind::Object => {
            let named = |member: Member| {
                let key = format!("{:?}", decode_string(text, member.key));
                (key, of_value(text, member.value))
            };
            let fields = members(text, value.span).flatten().map(named);
            format!("{:?}", fields.collect::<BTreeMap<_, _>>())
        }
        ValueKind::Array => {
            let items = elements(text, value.span)
                .flatten()
                .map(|item| of_value(text, item));
            format!("{:?}", items.collect::<Vec<_>>())
        }
        ValueKind::String => format!("{:?}", decode_string(text, value.span)),
        _ => String::from_utf8_lossy(value.span.text(text)).into_owned(),
    }
}

#[test]
fn equal_json_is_equal_however_it_is_written() {
    let same = |a: &str, b: &str| matches(&serde_json::json!({"text": a}), b.as_bytes());
    assert!(same(
        r#"{"a":1,"b":[2,"x"]}"#,
        "{ \"b\":[2,\"\\u0078\"],\"a\":0,\"a\":1}\n"
    ));
    assert!(!same("1", "1.0"));
    assert!(!same("{}", "{}{}"));
}
