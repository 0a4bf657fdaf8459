//! The list of what is not found, each entry shown.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cassette_format::portable::Direction;
use cassette_format::schema::ConnectionId;

use super::super::{SecretNames, StreamedTexts};
use super::{filter, found};

const VALUE: &str = "sk-proj-Ab3_dEf6GhI9";

fn not_found(text: impl AsRef<[u8]>) {
    assert_eq!(found(&filter(&[VALUE]), text), []);
}

fn not_split(messages: &[&str]) {
    let mut texts = StreamedTexts::new(&filter(&[VALUE]));
    for message in messages {
        let connection = ConnectionId::numbered(1);
        texts.message(&connection, Direction::Inbound, message.as_bytes());
    }
    assert_eq!(texts.hits(), []);
}

#[test]
fn not_covered_wrapped_base64_and_spaced_hexadecimal() {
    let encoded = STANDARD.encode(VALUE);
    not_found(format!("{}\n{}", &encoded[..20], &encoded[20..]));
    let pairs: Vec<_> = VALUE.bytes().map(|byte| format!("{byte:02x}")).collect();
    not_found(pairs.join(" "));
    not_found(pairs.join(":"));
}

#[test]
fn not_covered_encodings_of_encodings_and_wide_characters() {
    not_found(STANDARD.encode(STANDARD.encode(VALUE)));
    let hex: String = VALUE.bytes().map(|byte| format!("{byte:02x}")).collect();
    not_found(STANDARD.encode(hex));
    let wide: Vec<u8> = VALUE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    not_found(wide);
}

#[test]
fn not_covered_compressed_encrypted_or_hashed_values() {
    // Any keyed change of the bytes stands for all of these.
    let changed: Vec<u8> = VALUE.bytes().map(|byte| byte ^ 0x5a).collect();
    not_found(changed);
}

#[test]
fn not_covered_reversed_values_other_case_and_characters_between() {
    not_found(VALUE.chars().rev().collect::<String>());
    not_found(VALUE.to_uppercase());
    not_found(VALUE.replace("Ab3", "Ab3 "));
}

#[test]
fn not_covered_parts_of_a_value() {
    not_found(&VALUE[..VALUE.len() - 1]);
    not_found(&VALUE[1..]);
}

#[test]
fn not_covered_short_and_huge_values() {
    let mut secrets = super::Secrets::new();
    secrets.add("A", "7 bytes").unwrap_err();
    secrets.add("A", "x".repeat(16_385)).unwrap_err();
    assert!(secrets.is_empty());
}

#[test]
fn not_covered_other_escapes() {
    not_found(VALUE.replace('-', "&#45;"));
    not_found(VALUE.replace('-', "\\-"));
    not_found(VALUE.replace('-', "\\x2d"));
    not_found(VALUE.replace('-', "\\055"));
    not_found(VALUE.replace('s', "\\u0073"));
}

#[test]
fn not_covered_splits_over_places_keys_and_wrapped_lines() {
    let (first, second) = VALUE.split_at(9);
    not_split(&[
        &format!(r#"{{"text":"{first}"}}"#),
        &format!(r#"{{"other":"{second}"}}"#),
    ]);
    not_split(&[&format!(r#"{{"a":"{first}","b":"{second}"}}"#)]);
    not_split(&[&format!(r#"{{"{first}":1,"{second}":1}}"#)]);
    not_split(&[&format!("> {first}"), &format!("> {second}")]);
}

#[test]
fn not_covered_pieces_that_are_encoded_each_by_itself() {
    // Of pieces of whole groups of three bytes the encodings join.
    let (first, second) = VALUE.split_at(10);
    let piece = |text: &str| format!(r#"{{"data":"{}"}}"#, STANDARD.encode(text));
    not_split(&[&piece(first), &piece(second)]);
}

#[test]
fn not_covered_characters_of_which_two_messages_spell_half_each() {
    let mut texts = StreamedTexts::new(&filter(&["key-\u{1f511}-secret"]));
    for half in [r#"{"text":"key-\ud83d"}"#, r#"{"text":"\udd11-secret"}"#] {
        texts.message(
            &ConnectionId::numbered(1),
            Direction::Inbound,
            half.as_bytes(),
        );
    }
    assert_eq!(texts.hits(), []);
}

#[test]
fn not_covered_texts_in_turns_that_only_some_of_several_ids_tell_apart() {
    let (first, second) = VALUE.split_at(9);
    let piece = |[session, item, event]: [u8; 3], text: &str| {
        format!(r#"{{"sessionId":{session},"itemId":{item},"eventId":{event},"text":"{text}"}}"#)
    };
    not_split(&[
        &piece([1, 1, 1], first),
        &piece([1, 2, 2], "x"),
        &piece([2, 1, 3], "x"),
        &piece([1, 1, 4], second),
    ]);
}

#[test]
fn not_covered_texts_in_turns_with_messages_that_have_their_key_twice() {
    let (first, second) = VALUE.split_at(9);
    not_split(&[
        &format!(r#"{{"text":"{first}"}}"#),
        r#"{"text":"x","text":"y"}"#,
        &format!(r#"{{"text":"{second}"}}"#),
    ]);
}

#[test]
fn not_covered_ends_of_base64() {
    let text = STANDARD.encode(format!("x{VALUE}x"));
    let hits = found(&filter(&[VALUE]), &text);
    // Character 1 holds four bits of the value beside two of the neighbour.
    assert_eq!(hits, [("A".to_owned(), 2, 28)]);
}

#[test]
fn not_covered_values_that_are_not_utf8_once_replaced() {
    let filter = filter(&[b"secret-\xff-value"]);
    assert_eq!(found(&filter, "secret-\u{fffd}-value"), []);
    assert_eq!(found(&filter, r"secret-\udcff-value"), []);
}

#[test]
fn not_covered_base64_of_escaped_values() {
    let filter = filter(&["pass\"word\\1234"]);
    let escaped = STANDARD.encode(r#"{"a":"pass\"word\\1234"}"#);
    assert_eq!(found(&filter, escaped), []);
}

#[test]
fn not_covered_variables_whose_names_say_nothing() {
    let names = SecretNames::default();
    assert!(!names.is_secret("DATABASE_URL"));
    assert!(!names.is_secret("SLACK_WEBHOOK"));
}
