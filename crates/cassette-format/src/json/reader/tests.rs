//! What is recognised where the scanner stops.

use proptest::prelude::*;

use super::*;

/// The tokens of some bytes: `k` before a key, `!` before what is out of place,
/// `…` behind what is cut off.
fn read(bytes: &[u8]) -> Vec<String> {
    let mut reader = Reader::within(bytes, Span::whole(bytes));
    let mut tokens = Vec::new();
    while let Some(Token { kind, span }) = reader.next() {
        let mark = match (reader.standing(), kind) {
            (Standing::OutOfPlace, TokenKind::Key) => "!k",
            (Standing::OutOfPlace, _) => "!",
            (_, TokenKind::Key) => "k",
            _ => "",
        };
        let text = String::from_utf8_lossy(span.text(bytes));
        let end = ["", "…"][usize::from(reader.standing() == Standing::CutOff)];
        tokens.push(format!("{mark}{text}{end}"));
    }
    assert_eq!(reader.next(), None);
    tokens
}

#[test]
fn strings_end_at_their_quote_whatever_stands_in_them() {
    for inside in [
        "\u{1}", "\n", "\\x", "\\u12", "{", "\\\\", "\\\"", ": [", "é",
    ] {
        let text = format!("{{\"{inside}\":[\"{inside}\"],\"a\":1}}");
        let string = format!("\"{inside}\"");
        let key = format!("k{string}");
        let expected = ["{", &key, "[", &string, "]", "k\"a\"", "1", "}"];
        assert_eq!(read(text.as_bytes()), expected, "{text}");
    }
    assert_eq!(
        read(b"{\"t\":\"\xff\",\"a\":1}"),
        ["{", "k\"t\"", "\"\u{fffd}\"", "k\"a\"", "1", "}"]
    );
}

#[test]
fn a_string_without_a_closing_quote_reaches_to_the_end() {
    assert_eq!(read(br#"{"a":"b\"c{"#), ["{", "k\"a\"", "\"b\\\"c{…"]);
    assert_eq!(read(br#"{"a"#), ["{", "\"a…"]);
    assert_eq!(read(br#"""#), ["\"…"]);
}

#[test]
fn a_string_before_a_colon_is_a_key_wherever_it_stands() {
    for (text, tokens) in [
        (
            r#"{"id":1 "a":2}"#,
            vec!["{", "k\"id\"", "1", "!k\"a\"", "2", "}"],
        ),
        (
            r#"["a":["b" : 1],"c":2]"#,
            vec![
                "[", "\"a\"", "!k\"a\"", "[", "\"b\"", "!k\"b\"", "1", "]", "\"c\"", "!k\"c\"",
                "2", "]",
            ],
        ),
        (
            r#"{"a":"b":"c"}"#,
            vec!["{", "k\"a\"", "\"b\"", "!k\"b\"", "\"c\"", "}"],
        ),
        (
            r#""a":1,"b":2}"#,
            vec!["\"a\"", "!k\"a\"", "!1", "!k\"b\"", "!2"],
        ),
        (
            r#"{"a" "b":1,"c"}"#,
            vec!["{", "!\"a\"", "!k\"b\"", "1", "!\"c\"", "}"],
        ),
    ] {
        assert_eq!(read(text.as_bytes()), tokens, "{text}");
    }
}

#[test]
fn a_quote_that_is_missing_or_too_much_hides_no_key() {
    for text in [
        r#"{"t":"no end, "email":"e"}"#,
        r#"{"t":"he said "hi" to","email":"e"}"#,
        r#"{"t":"he said "hi": to","email":"e"}"#,
        r#"{"t":"say "," and","email":"e"}"#,
        r#"it's "quoted {"email":"e"}"#,
        r#"5" disk {"email":"e"}"#,
        r#"say "{" {"email":"e"}"#,
        r#"x" ["b"] {"email":"e"}"#,
        r#"x" "a","b","email":"e"}"#,
        r#"{"id":1 "a { b","email":"e"}"#,
        r#"{"a":01,"email":"e"}"#,
        r#"{"a":,"email":"e"}"#,
        r#"{"a":}],"email":"e"}"#,
        r#"{"a" {"b" [,,"email":"e"}"#,
        r#"[[[]{}],"email":"e"}"#,
    ] {
        let tokens = read(text.as_bytes());
        let at = tokens
            .iter()
            .position(|token| token.ends_with("k\"email\""));
        let value = at.and_then(|at| tokens.get(at + 1));
        assert_eq!(
            value.map(String::as_str),
            Some("\"e\""),
            "{text}: {tokens:?}"
        );
    }
}

#[test]
fn a_word_is_a_value_only_where_one_of_a_member_is_due() {
    assert_eq!(
        read(br#"a {"b":NaN,"c":1x,"d":tru}"#),
        [
            "!{", "k\"b\"", "!NaN", "k\"c\"", "1", "!k\"d\"", "!tru", "}"
        ]
    );
}

#[test]
fn a_closing_bracket_closes_what_was_opened_last() {
    let mut reader = Reader::within(b"}{[}]]1", Span::new(0, 7));
    let depths: Vec<usize> = std::iter::from_fn(|| reader.next().map(|_| reader.depth())).collect();
    assert_eq!(depths, [1, 2, 1, 0]);
}

#[test]
fn sound_values_are_skipped_and_others_left() {
    let bytes = br#"{"a":[1,{"b":2}],"c":"d","e":[x],"f":1}"#;
    let mut reader = Reader::within(bytes, Span::whole(bytes));
    let (mut skipped, mut left) = (Vec::new(), Vec::new());
    while let Some(token) = reader.next() {
        if token.kind != TokenKind::Key {
            continue;
        }
        if let Some(value) = reader.skip_sound() {
            skipped.push(value.span.text(bytes));
        } else if let Some(first) = reader.next() {
            assert_eq!(reader.standing(), Standing::InPlace);
            left.push(first.span.text(bytes));
        }
    }
    assert_eq!(skipped, [&b"[1,{\"b\":2}]"[..], b"1"]);
    assert_eq!(left, [&b"\"d\""[..], b"["]);
}

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\"a\"", "\"a\":", "1", "true", "x", " ", "\n",
        "\u{1}", "é", "\\\"",
    ]);
    let pieces = prop::collection::vec(piece, 0..40);
    (pieces, any::<prop::sample::Index>(), any::<u8>()).prop_map(|(pieces, at, byte)| {
        let mut bytes = pieces.concat().into_bytes();
        if byte >= 0x80 && !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

proptest! {
    #[test]
    fn of_json_the_tokens_are_those_of_the_scanner(bytes in pieces()) {
        let mut scanner = Scanner::new(&bytes);
        let mut reader = Reader::within(&bytes, Span::whole(&bytes));
        let mut strict = Vec::new();
        while let Ok(Some(token)) = scanner.next_token() {
            strict.push(token);
        }
        let lenient: Vec<Token> = reader.by_ref().take(strict.len()).collect();
        prop_assert_eq!(lenient, strict);
    }

    #[test]
    fn tokens_come_in_order_and_overlap_where_a_string_is_a_key_too(bytes in pieces()) {
        let mut reader = Reader::within(&bytes, Span::whole(&bytes));
        let (mut last, mut depth) = (Span::new(0, 0), 0);
        while let Some(token) = reader.next() {
            let Span { start, end } = token.span;
            let by_a_quote = start + 1 == last.end && end > last.end;
            let again = token.kind == TokenKind::Key && (token.span == last || by_a_quote);
            prop_assert!(start >= last.end || again, "{:?}", token);
            prop_assert!(reader.depth().abs_diff(depth) <= 1);
            (last, depth) = (token.span, reader.depth());
        }
    }

    #[test]
    fn the_inside_of_a_value_is_read_alike_by_itself(bytes in pieces()) {
        let mut reader = Reader::within(&bytes, Span::whole(&bytes));
        let mut tokens = Vec::new();
        while let Some(token) = reader.next() {
            tokens.push((token, reader.depth()));
        }
        for (at, (first, depth)) in tokens.iter().enumerate() {
            if !matches!(first.kind, TokenKind::BeginObject | TokenKind::BeginArray) {
                continue;
            }
            let rest = &tokens[at..];
            let close = rest.iter().position(|(_, it)| it < depth);
            let inside = &rest[..close.map_or(rest.len(), |close| close + 1)];
            let end = close.map_or(bytes.len(), |close| rest[close].0.span.end);
            let alone = Reader::within(&bytes, Span::new(first.span.start, end));
            let alone: Vec<Token> = alone.collect();
            let inside: Vec<Token> = inside.iter().map(|(token, _)| *token).collect();
            prop_assert_eq!(alone, inside);
        }
    }
}
