//! Scanner and edits, against `serde_json`: what is JSON, where every value stands, what a string
//! says; and that edits touch nothing but their spans.

use std::fmt;

use cassette_format::json::{
    Edits, ScanError, Scanner, Span, Token, TokenKind, Value, ValueKind, as_u64, decode_string,
    elements, members, path_at, string_eq, write_string,
};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A value and, in an object, its key.
type Entry = (Option<Span>, Span);

/// How many values have their path asked for, which takes time linear in the bytes for each.
const PATHS: usize = 4;

/// Any bytes.
pub fn scanner(data: &[u8]) {
    let found = by_level(data);
    let tokens = by_token(data);
    let (expected, is_read_whole) = by_raw_value(data);
    assert_eq!(found.is_ok(), is_read_whole, "{found:?}");
    match (found, tokens) {
        (Ok(found), Ok(tokens)) => {
            let spans: Vec<Entry> = found
                .iter()
                .map(|(key, value)| (*key, value.span))
                .collect();
            assert_eq!(spans, expected);
            check_tokens(data, &tokens, &found);
            check_texts(data, &found);
            check_edits(data, &tokens);
        }
        // A member or value is looked at as a whole or token by token: the first byte that does
        // not fit is the same one.
        (Err(by_level), Err(by_token)) => assert_eq!(by_level, by_token),
        (found, tokens) => panic!("level by level {found:?}, token by token {tokens:?}"),
    }
}

/// What the scanner finds, level by level.
fn by_level(bytes: &[u8]) -> Result<Vec<(Option<Span>, Value)>, ScanError> {
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
                    let member = member.expect("was passed over as a whole");
                    found.push((Some(member.key), member.value));
                }
            }
            ValueKind::Array => {
                for element in elements(bytes, value.span) {
                    found.push((None, element.expect("was passed over as a whole")));
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

fn by_token(bytes: &[u8]) -> Result<Vec<Token>, ScanError> {
    let mut scanner = Scanner::new(bytes);
    let mut tokens = Vec::new();
    while let Some(token) = scanner.next_token()? {
        assert!(scanner.offset() >= token.span.end, "{token:?}");
        tokens.push(token);
    }
    assert_eq!(scanner.depth(), 0);
    Ok(tokens)
}

/// Tokens come in order, and are the values and keys that were found level by level.
fn check_tokens(bytes: &[u8], tokens: &[Token], found: &[(Option<Span>, Value)]) {
    assert!(tokens.is_sorted_by(|a, b| a.span.end <= b.span.start));
    let is_begin =
        |token: &&Token| !matches!(token.kind, TokenKind::EndObject | TokenKind::EndArray);
    let starts: Vec<usize> = tokens
        .iter()
        .filter(is_begin)
        .map(|it| it.span.start)
        .collect();
    let keys = found.iter().filter_map(|(key, _)| *key);
    let mut wanted: Vec<usize> = found.iter().map(|(_, value)| value.span.start).collect();
    wanted.extend(keys.map(|key| key.start));
    wanted.sort_unstable();
    assert_eq!(starts, wanted);
    for (_, value) in found.iter().rev().take(PATHS) {
        assert!(path_at(bytes, value.span.start).starts_with('$'));
    }
}

/// Strings and whole numbers say what `serde_json` reads in them.
fn check_texts(bytes: &[u8], found: &[(Option<Span>, Value)]) {
    let keys = found.iter().filter_map(|(key, _)| *key);
    let strings = found
        .iter()
        .filter(|(_, value)| value.kind == ValueKind::String);
    for span in strings.map(|(_, value)| value.span).chain(keys) {
        let text = decode_string(bytes, span);
        // Halves of surrogate pairs are read by us alone.
        if let Ok(expected) = serde_json::from_slice::<String>(span.text(bytes)) {
            assert_eq!(text, expected);
            assert!(string_eq(bytes, span, &expected));
        }
        let mut written = Vec::new();
        write_string(&mut written, &text);
        assert_eq!(decode_string(&written, Span::whole(&written)), text);
        assert_eq!(written, serde_json::to_vec(&*text).unwrap());
    }
    for (_, value) in found.iter().filter(|(_, it)| it.kind == ValueKind::Number) {
        let expected = serde_json::from_slice::<u64>(value.span.text(bytes)).ok();
        let is_zero = value.span.text(bytes) == b"-0";
        assert_eq!(as_u64(bytes, value.span), expected.filter(|_| !is_zero));
    }
}

/// Every scalar is replaced, and what stood there put back where its replacement landed.
fn check_edits(bytes: &[u8], tokens: &[Token]) {
    let scalars = tokens.iter().filter(|token| {
        let kind = token.kind.value_kind();
        kind.is_some_and(|kind| !matches!(kind, ValueKind::Object | ValueKind::Array))
    });
    let mut edits = Edits::new();
    for (at, token) in scalars.enumerate() {
        edits.replace(
            token.span,
            [&b"null"[..], b"\"a longer text\"", b"{}"][at % 3],
        );
    }
    let there = edits.apply(bytes).expect("spans of tokens do not overlap");
    assert_eq!(there.bytes.len(), edits.len_after(bytes.len()));
    let mut back = Edits::new();
    for landing in there.landings.iter().rev() {
        back.replace(landing.to, landing.from.text(bytes));
    }
    let back = back.apply(&there.bytes).expect("landings do not overlap");
    assert_eq!(&*back.bytes, bytes);
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
        for (key, value) in inner.expect("was read as a whole") {
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
