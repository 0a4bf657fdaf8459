//! Payloads of the vectors: `{"text"}` or `{"base64"}`, and how they compare.

use base64::Engine;
use serde_json::Value;

/// The bytes of a payload; none when it is absent.
pub(crate) fn bytes(payload: &Value) -> Vec<u8> {
    if let Some(text) = payload["text"].as_str() {
        return text.as_bytes().to_vec();
    }
    let base64 = payload["base64"].as_str().unwrap_or_default();
    base64::engine::general_purpose::STANDARD.decode(base64).unwrap()
}

/// Whether `actual` is what `expected` asks for. Only what needs no rewriting is
/// covered yet, so that equal JSON is equal bytes too.
pub(crate) fn matches(expected: &Value, actual: &[u8]) -> bool {
    bytes(expected) == actual
}
