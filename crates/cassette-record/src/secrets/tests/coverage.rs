//! What is found: each form as an independent encoder writes it.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use super::{VALUES, filter, found};

/// `text` holds exactly one secret, from its third byte up to two before its end.
fn is_found(value: &str, form: &str) {
    let filter = filter(&[value]);
    let text = format!("\u{1}\u{1}{form}\u{1}\u{1}");
    let expected = [("A".to_owned(), 2, text.len() - 2)];
    assert_eq!(found(&filter, &text), expected, "{form}");
}

fn json(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

fn numbered(value: &str, escaped: impl Fn(char) -> bool) -> String {
    let mut text = String::new();
    for character in value.chars() {
        if escaped(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                text += &format!("\\u{unit:04x}");
            }
        } else {
            text.push(character);
        }
    }
    text
}

#[test]
fn values_are_found_as_they_are_and_in_json() {
    for value in VALUES {
        is_found(value, value);
        is_found(value, &json(value));
        is_found(value, &json(&json(value)));
        is_found(value, &json(&json(&json(value))));
        is_found(value, &json(value).replace('/', "\\/"));
        is_found(value, &json(&json(value).replace('/', "\\/")));
    }
}

#[test]
fn values_are_found_with_their_characters_numbered() {
    for value in VALUES {
        let all = numbered(value, |character| {
            !character.is_ascii_alphanumeric() && character.is_ascii()
        });
        is_found(value, &all);
        let all = numbered(value, |character| !character.is_ascii_alphanumeric());
        is_found(value, &all);
        is_found(value, &json(&all));
        let ascii = numbered(&json(value), |character| !character.is_ascii());
        is_found(value, &ascii);
        is_found(value, &json(&ascii));
        let go = numbered(&json(value), |character| "<>&".contains(character));
        is_found(value, &go);
    }
}

#[test]
fn values_are_found_in_upper_case_numbers() {
    is_found("a-b_c/d=é", r"a\u002Db\u005Fc\u002Fd\u003D\u00E9");
    is_found("a-b_c/d=é", r"a-b_c/d=\u00E9");
}

#[test]
fn values_are_found_in_hexadecimal() {
    for value in VALUES {
        let lower: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
        is_found(value, &lower);
        is_found(value, &lower.to_uppercase());
    }
}

#[test]
fn values_are_found_in_base64_wherever_they_begin() {
    for value in VALUES {
        let filter = filter(&[value]);
        for before in ["", "x", "xy", "xyz", "user:"] {
            for after in ["", "x", "xy"] {
                let text = format!("{before}{value}{after}");
                for encoded in [STANDARD.encode(&text), URL_SAFE.encode(&text)] {
                    let hits = found(&filter, &encoded);
                    assert_eq!(hits.len(), 1, "{encoded}");
                    // What stays has less than a character of the value.
                    let start = before.len() * 8 / 6;
                    let end = ((before.len() + value.len()) * 8).div_ceil(6);
                    assert!(hits[0].1 <= start + 1 && hits[0].2 + 1 >= end, "{encoded}");
                    assert_eq!(found(&filter, encoded.replace('/', "\\/")).len(), 1);
                    assert_eq!(found(&filter, encoded.replace('+', "\\u002B")).len(), 1);
                }
            }
        }
    }
}

#[test]
fn values_are_found_percent_encoded() {
    is_found("two words/~+é", "two%20words%2F~%2B%C3%A9");
    is_found("two words/~+é", "two%20words%2f~%2b%c3%a9");
    is_found("two words/~+é", "two+words%2F~%2B%C3%A9");
    is_found("two words/~+é", "two%20words/~%2B%C3%A9");
    is_found("two words/~+é", "two%20words/~+%C3%A9");
    is_found("two words/~+é", "two+words%2F%7E%2B%C3%A9");
    is_found("two words/~+é", "two%20words%2F%7E%2B%C3%A9");
}

#[test]
fn lines_of_a_value_are_found_alone() {
    let filter =
        filter(&["-----BEGIN KEY-----\n0123456789abcdef\nfedcba9876543210\n-----END KEY-----"]);
    assert_eq!(
        found(&filter, "> 0123456789abcdef <"),
        [("A".to_owned(), 2, 18)]
    );
    assert_eq!(
        found(&filter, "> fedcba9876543210 <"),
        [("A".to_owned(), 2, 18)]
    );
    assert_eq!(found(&filter, "-----BEGIN KEY-----"), []);
}

#[test]
fn secrets_that_overlap_are_one_place() {
    let filter = filter(&["abcdefgh1234", "1234zzzzyyyy", "zzzzyyyy"]);
    let text = "-abcdefgh1234zzzzyyyy-zzzzyyyy";
    let expected = [("A".to_owned(), 1, 21), ("C".to_owned(), 22, 30)];
    assert_eq!(found(&filter, text), expected);
}

#[test]
fn values_that_are_not_utf8_are_found() {
    let filter = filter(&[b"\xff\xfe secret \x80"]);
    assert_eq!(
        found(&filter, b"a\xff\xfe secret \x80b"),
        [("A".to_owned(), 1, 12)]
    );
}

#[test]
fn an_empty_filter_finds_nothing() {
    let filter = filter::<&str>(&[]);
    assert!(filter.is_empty());
    assert_eq!(found(&filter, "abcdefgh"), []);
    assert_eq!(filter.replace(b"abcdefgh"), None);
}

#[test]
fn debug_of_filter_and_stream_shows_no_value() {
    let filter = filter(&["s3cret-value"]);
    let shown = format!("{filter:?} {:?}", super::super::SecretStream::new(&filter));
    assert_eq!(
        shown,
        r#"SecretFilter(["A"]) SecretStream { pushed: 0, .. }"#
    );
}
