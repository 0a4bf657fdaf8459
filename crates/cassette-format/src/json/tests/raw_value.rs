//! The scanner against `serde_json`'s `RawValue`: every value of every level,
//! where it begins and ends and what key it has.

use std::fmt;

use proptest::prelude::{prop_assert_eq, proptest};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::at_least;
use super::documents::damaged;
use crate::json::{ScanError, Scanner, Span, ValueKind, elements, members};

/// A value and, in an object, its key.
type Entry = (Option<Span>, Span);

proptest! {
    #![proptest_config(at_least(3000))]

    #[test]
    fn scanner_agrees_with_raw_value_at_every_level(bytes in damaged()) {
        let (expected, all) = by_raw_value(&bytes);
        let found = by_scanner(&bytes);
        prop_assert_eq!(all, found.is_ok(), "{:?} of {:?}", found, bytes);
        if let Ok(found) = found {
            prop_assert_eq!(found, expected);
        }
    }
}

#[test]
fn raw_value_finds_keys_and_values_of_every_level() {
    let bytes = br#" {"a":[1,{}], "a":"x"} 2"#;
    let texts = |entries: Vec<Entry>| -> Vec<String> {
        let text = |span: Span| String::from_utf8_lossy(span.text(bytes)).into_owned();
        let texts = entries.into_iter();
        texts.map(|(_, value)| text(value)).collect()
    };
    let (expected, all) = by_raw_value(bytes);
    assert!(all);
    assert_eq!(
        texts(expected.clone()),
        [
            r#"{"a":[1,{}], "a":"x"}"#,
            "2",
            "[1,{}]",
            r#""x""#,
            "1",
            "{}"
        ]
    );
    assert_eq!(by_scanner(bytes), Ok(expected));
}

/// What the scanner finds, level by level.
fn by_scanner(bytes: &[u8]) -> Result<Vec<Entry>, ScanError> {
    let mut scanner = Scanner::new(bytes);
    let mut found = Vec::new();
    while let Some(value) = scanner.skip_value()? {
        found.push((None, value));
    }
    let mut next = 0;
    while let Some(&(_, value)) = found.get(next) {
        next += 1;
        match value.kind {
            ValueKind::Object => {
                for member in members(bytes, value.span) {
                    let member = member?;
                    found.push((Some(member.key), member.value));
                }
            }
            ValueKind::Array => {
                for element in elements(bytes, value.span) {
                    found.push((None, element?));
                }
            }
            _ => {}
        }
    }
    Ok(found
        .into_iter()
        .map(|(key, value)| (key, value.span))
        .collect())
}

/// What `serde_json` finds, level by level, and whether it read all.
fn by_raw_value(bytes: &[u8]) -> (Vec<Entry>, bool) {
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>() {
        let Ok(value) = value else {
            return (found, false);
        };
        found.push((None, span_of(bytes, value)));
    }
    let mut next = 0;
    while let Some(&(_, span)) = found.get(next) {
        next += 1;
        let text = span.text(bytes);
        let mut reader = serde_json::Deserializer::from_slice(text);
        let inner = match text[0] {
            b'{' => reader.deserialize_map(Inner),
            b'[' => reader.deserialize_seq(Inner),
            _ => continue,
        };
        for (key, value) in inner.unwrap() {
            found.push((key.map(|key| span_of(bytes, key)), span_of(bytes, value)));
        }
    }
    (found, true)
}

/// Where a part of `bytes` stands in them.
fn span_of(bytes: &[u8], part: &RawValue) -> Span {
    let start = part.get().as_ptr().addr() - bytes.as_ptr().addr();
    Span::new(start, start + part.get().len())
}

struct Inner;

impl<'de> Visitor<'de> for Inner {
    type Value = Vec<(Option<&'de RawValue>, &'de RawValue)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a container")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry()? {
            entries.push((Some(key), value));
        }
        Ok(entries)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(value) = sequence.next_element()? {
            entries.push((None, value));
        }
        Ok(entries)
    }
}
