//! The id of a request or an answer.

use std::fmt;

use cassette_format::json::{
    Span, Value, ValueKind, decode_string, elements, members, write_string,
};

/// The id of a request or an answer, as JSON: `1`, `"1"` and `1.0` are three.
///
/// Compact, strings escaped no more than they must be, the members of an object
/// sorted, of equal names the last: equal ids are equal however they were written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(String);

/// Levels of an id that are put in order; what lies deeper stays as it is written.
const MAX_LEVELS: usize = 32;

impl MessageId {
    /// The id at `value` of `bytes`.
    pub(super) fn of(bytes: &[u8], value: Value) -> Self {
        let raw = value.span.text(bytes);
        let is_compact = match value.kind {
            ValueKind::Object | ValueKind::Array => false,
            ValueKind::String => !raw.contains(&b'\\'),
            _ => true,
        };
        if is_compact {
            return Self(String::from_utf8_lossy(raw).into_owned());
        }
        let mut text = Vec::with_capacity(raw.len());
        write(&mut text, (bytes, value), MAX_LEVELS);
        Self(String::from_utf8_lossy(&text).into_owned())
    }

    /// The id of this JSON text; `None` where it is not one value.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Self> {
        let mut scanner = cassette_format::json::Scanner::new(text.as_bytes());
        let value = scanner.skip_value().ok()??;
        let alone = scanner.skip_value() == Ok(None);
        alone.then(|| Self::of(text.as_bytes(), value))
    }

    /// The JSON text.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn write(output: &mut Vec<u8>, (bytes, value): (&[u8], Value), levels: usize) {
    match value.kind {
        ValueKind::Object if levels > 0 => write_object(output, (bytes, value.span), levels - 1),
        ValueKind::Array if levels > 0 => {
            output.push(b'[');
            for (at, element) in elements(bytes, value.span).flatten().enumerate() {
                if at > 0 {
                    output.push(b',');
                }
                write(output, (bytes, element), levels - 1);
            }
            output.push(b']');
        }
        ValueKind::String => write_string(output, &decode_string(bytes, value.span)),
        _ => output.extend_from_slice(value.span.text(bytes)),
    }
}

fn write_object(output: &mut Vec<u8>, (bytes, span): (&[u8], Span), levels: usize) {
    let found = members(bytes, span).flatten();
    let named = found.map(|member| (decode_string(bytes, member.key), member.value));
    let sorted: std::collections::BTreeMap<_, _> = named.collect();
    output.push(b'{');
    for (at, (name, value)) in sorted.into_iter().enumerate() {
        if at > 0 {
            output.push(b',');
        }
        write_string(output, &name);
        output.push(b':');
        write(output, (bytes, value), levels);
    }
    output.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ids_are_equal_however_they_were_written() {
        let id = |text: &str| MessageId::from_json(text).unwrap().to_string();
        assert_eq!(id(" 1 "), "1");
        assert_eq!(id("1.50"), "1.50");
        assert_eq!(id(r#""\u0061\/\n""#), r#""a/\n""#);
        assert_eq!(id(r#"{"b":1, "a":[ ],"b":2}"#), r#"{"a":[],"b":2}"#);
        assert_ne!(id("1"), id(r#""1""#));
        for text in ["", "1 2", "{", "x"] {
            assert_eq!(MessageId::from_json(text), None, "{text}");
        }
    }

    #[test]
    fn a_deep_id_is_taken_as_it_is_written() {
        let text = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(MessageId::from_json(&text).unwrap().as_json(), text);
    }
}
