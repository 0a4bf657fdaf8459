//! The scanner against its grammar, `serde_json` and itself.

use std::borrow::Cow;

use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest};
use serde::de::IgnoredAny;

use super::at_least;
use super::documents::{damaged, documents};
use crate::json::{
    Expected, Found, ScanError, Scanner, Span, Token, TokenKind, Value, decode_string, string_eq,
    write_string,
};

fn tokens(bytes: &[u8]) -> (Vec<Token>, Option<ScanError>) {
    let mut scanner = Scanner::new(bytes);
    let mut tokens = Vec::new();
    loop {
        match scanner.next_token() {
            Ok(Some(token)) => tokens.push(token),
            Ok(None) => return (tokens, None),
            Err(error) => return (tokens, Some(error)),
        }
    }
}

fn values(bytes: &[u8]) -> (Vec<Value>, Option<ScanError>) {
    let mut scanner = Scanner::new(bytes);
    let mut values = Vec::new();
    loop {
        match scanner.skip_value() {
            Ok(Some(value)) => values.push(value),
            Ok(None) => return (values, None),
            Err(error) => return (values, Some(error)),
        }
    }
}

fn accepts(bytes: &[u8]) -> bool {
    let by_token = tokens(bytes).1;
    assert_eq!(by_token, values(bytes).1);
    by_token.is_none()
}

/// The ends of the values that `serde_json` finds, and whether it reads all.
/// It skips over strings that are not UTF-8, so that is asked first.
fn oracle(bytes: &[u8]) -> (Vec<usize>, bool) {
    let mut stream = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    let mut ends = Vec::new();
    while let Some(value) = stream.next() {
        if value.is_err() {
            return (ends, false);
        }
        ends.push(stream.byte_offset());
    }
    (ends, std::str::from_utf8(bytes).is_ok())
}

#[test]
fn scanner_accepts_what_agents_send() {
    for text in [
        r#""\ud800""#,
        r#"["\udc00\ud800", "\uD83D\uDE00"]"#,
        "1e999",
        "-0",
        "1.50e2",
        "1234567890123456789012345678901234567890",
        r#"{"cwd":1,"c\u0077d":2,"cwd":3}"#,
        " \t\r\n[ 1 \n,\t2 ]\r\n",
        "",
        " ",
        "null true",
        r#"{"a":1}{"b":2}[3]"#,
        r#""a""b"1"c"[]2{}"#,
        "\"\u{2028}\u{7f}\u{10ffff}\"",
    ] {
        assert!(accepts(text.as_bytes()), "{text}");
        assert!(oracle(text.as_bytes()).1, "{text}");
    }
}

#[test]
fn scanner_refuses_what_is_not_json() {
    let cases: [(&[u8], usize, Expected); 33] = [
        (b"[1,]", 3, Expected::Value),
        (b"[,1]", 1, Expected::ValueOrArrayEnd),
        (b"[1 2]", 3, Expected::CommaOrArrayEnd),
        (b"{\"a\":1,}", 7, Expected::Key),
        (b"{,}", 1, Expected::KeyOrObjectEnd),
        (b"{\"a\" 1}", 5, Expected::Colon),
        (b"{\"a\":}", 5, Expected::Value),
        (b"{\"a\":1 \"b\":2}", 7, Expected::CommaOrObjectEnd),
        (b"{1:2}", 1, Expected::KeyOrObjectEnd),
        (b"[1}", 2, Expected::CommaOrArrayEnd),
        (b"{\"a\":1]", 6, Expected::CommaOrObjectEnd),
        (b"01", 1, Expected::NumberEnd),
        (b"-", 1, Expected::Digit),
        (b"-01", 2, Expected::NumberEnd),
        (b"1.", 2, Expected::Digit),
        (b".5", 0, Expected::Value),
        (b"+1", 0, Expected::Value),
        (b"1e", 2, Expected::Digit),
        (b"1e+", 3, Expected::Digit),
        (b"1true", 1, Expected::Separator),
        (b"truefalse", 4, Expected::Separator),
        (b"nul", 3, Expected::Word),
        (b"[trve]", 3, Expected::Word),
        (b"\"a\nb\"", 2, Expected::StringBody),
        (b"\"a\0\"", 2, Expected::StringBody),
        (b"\"\\x\"", 2, Expected::Escape),
        (b"\"\\u12g4\"", 5, Expected::HexDigit),
        (b"\"ab\xff\"", 3, Expected::Utf8),
        (b"\"\xed\xa0\x80\"", 1, Expected::Utf8),
        (b"\xef\xbb\xbf{}", 0, Expected::Value),
        (b"[\x0c1]", 1, Expected::ValueOrArrayEnd),
        (b"\x0b1", 0, Expected::Value),
        (b"[1\xc2\xa0]", 2, Expected::CommaOrArrayEnd),
    ];
    for (bytes, offset, expected) in cases {
        let error = tokens(bytes).1.unwrap();
        assert_eq!(
            (error.offset, error.expected),
            (offset, expected),
            "{bytes:?}"
        );
        assert!(!accepts(bytes) && !oracle(bytes).1, "{bytes:?}");
    }
}

#[test]
fn scanner_errors_say_what_was_found_and_no_text() {
    let message = |bytes: &[u8]| tokens(bytes).1.unwrap().to_string();
    assert_eq!(
        message(b"\xef\xbb\xbf{}"),
        "expected a value at byte 0, found a byte order mark"
    );
    assert_eq!(
        message(b"{\"secret\" x"),
        "expected `:` at byte 10, found a letter"
    );
    assert_eq!(
        message(b"\"\x07\""),
        "expected the rest of a string at byte 1, found control character 0x07"
    );
    assert_eq!(
        message(b"[1"),
        "expected `,` or `]` at byte 2, found the end"
    );
    assert_eq!(
        message(b"[}"),
        "expected a value or `]` at byte 1, found `}`"
    );
    assert_eq!(
        message(b"\"\xff\""),
        "expected utf-8 at byte 1, found a non-ascii byte"
    );
}

#[test]
fn scanner_repeats_its_error() {
    let mut scanner = Scanner::new(b"[1,]");
    while let Ok(Some(_)) = scanner.next_token() {}
    let error = scanner.next_token().unwrap_err();
    assert_eq!(error.found, Found::Structural(']'));
    assert_eq!(scanner.skip_value().unwrap_err(), error);
    assert_eq!(scanner.next_member().unwrap_err(), error);
}

#[test]
fn scanner_within_a_span_sees_nothing_else() {
    let bytes = b"[1,22,3]";
    let mut scanner = Scanner::within(bytes, Span::new(3, 5));
    let value = scanner.skip_value().unwrap().unwrap();
    assert_eq!(value.span, Span::new(3, 5));
    assert_eq!(scanner.skip_value(), Ok(None));
    assert_eq!(
        Scanner::within(bytes, Span::new(9, 20)).next_token(),
        Ok(None)
    );
}

proptest! {
    #![proptest_config(at_least(3000))]

    #[test]
    fn scanner_finds_every_token_where_it_was_written(document in documents()) {
        prop_assert_eq!(tokens(&document.bytes), (document.tokens, None));
    }

    #[test]
    fn scanner_agrees_with_serde_json(bytes in damaged()) {
        let (ends, all) = oracle(&bytes);
        let (values, error) = values(&bytes);
        prop_assert_eq!(all, error.is_none(), "{:?} of {:?}", error, bytes);
        if all {
            let found: Vec<_> = values.iter().map(|value| value.span.end).collect();
            prop_assert_eq!(found, ends);
        }
        let alone = std::str::from_utf8(&bytes).is_ok()
            && serde_json::from_slice::<IgnoredAny>(&bytes).is_ok();
        prop_assert_eq!(alone, error.is_none() && values.len() == 1);
    }

    #[test]
    fn scanner_agrees_with_serde_json_on_any_bytes(
        bytes in prop::collection::vec(prop::sample::select(&b"{}[]\",:\\u0019-+.eEtrufalsn \n\x01\xc3\xa9"[..]), 0..12)
    ) {
        prop_assert_eq!(accepts(&bytes), oracle(&bytes).1, "{:?}", bytes);
    }

    #[test]
    fn skipping_and_stepping_agree(bytes in damaged(), choices in prop::collection::vec(any::<u8>(), 64)) {
        let (all, error) = tokens(&bytes);
        let mut scanner = Scanner::new(&bytes);
        let mut choices = choices.into_iter().cycle();
        let end = loop {
            let from = scanner.offset();
            let step = match choices.next().unwrap_or_default() % 3 {
                0 => scanner.skip_value().map(|value| value.map(|value| value.span)),
                1 => scanner.next_member().map(|member| member.map(|member| member.value.span)),
                _ => Ok(None),
            };
            let step = match step {
                Ok(None) => {
                    prop_assert_eq!(scanner.offset(), from);
                    scanner.next_token().map(|token| token.map(|token| token.span))
                }
                other => other,
            };
            match step {
                Ok(Some(span)) => prop_assert!(all.iter().any(|token| token.span.end == span.end)),
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        prop_assert_eq!(end, error);
    }

    #[test]
    fn cut_documents_fail_only_for_want_of_more(document in documents(), cut in any::<prop::sample::Index>()) {
        let cut = cut.index(document.bytes.len() + 1);
        if let (_, Some(error)) = tokens(&document.bytes[..cut]) {
            prop_assert!(error.is_unexpected_end(), "{}", error);
            prop_assert_eq!(error.offset, cut);
        }
    }

    #[test]
    fn strings_are_decoded_as_serde_json_does(document in documents()) {
        let bytes = &document.bytes;
        for Token { kind, span } in document.tokens {
            if !matches!(kind, TokenKind::Key | TokenKind::String) {
                continue;
            }
            let text = decode_string(bytes, span);
            prop_assert!(string_eq(bytes, span, &text));
            match serde_json::from_slice::<String>(span.text(bytes)) {
                Ok(expected) => prop_assert_eq!(text, expected),
                Err(_) => prop_assert!(text.contains('\u{fffd}'), "a lone surrogate"),
            }
        }
    }

    #[test]
    fn encoded_strings_read_back(text in any_text(), other in any_text()) {
        let mut bytes = Vec::new();
        write_string(&mut bytes, &text);
        prop_assert_eq!(&bytes, &serde_json::to_string(&text).unwrap().into_bytes());
        let span = Span::whole(&bytes);
        let kind = TokenKind::String;
        prop_assert_eq!(tokens(&bytes), (vec![Token { kind, span }], None));
        prop_assert_eq!(decode_string(&bytes, span), Cow::Borrowed(text.as_str()));
        prop_assert_eq!(string_eq(&bytes, span, &other), text == other);
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let character = prop::sample::select(vec!['a', '"', '\\', 'u', '\n', '\u{1}', 'é', '😀']);
    let short = prop::collection::vec(character, 0..5).prop_map(|list| list.into_iter().collect());
    proptest::prop_oneof![short, any::<String>()]
}
