//! Replacing: nothing stays, nothing else changes, JSON stays JSON.

use proptest::prelude::*;

use super::super::forms::needle_forms;
use super::{VALUES, at_least, filter, found};

fn replaced(values: &[&str], text: &str) -> String {
    let bytes = filter(values).replace(text.as_bytes()).unwrap().bytes;
    String::from_utf8(bytes).unwrap()
}

#[test]
fn places_are_counted_and_named() {
    let filter = filter(&["first-secret", "second-secret"]);
    let text = b"a second-secret b first-secret c second-secret";
    let replaced = filter.replace(text).unwrap();
    assert_eq!(
        String::from_utf8(replaced.bytes).unwrap(),
        "a ${REDACTED:B} b ${REDACTED:A} c ${REDACTED:B}"
    );
    assert_eq!(replaced.count, 3);
    let names: Vec<_> = replaced.names.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["B", "A"]);
    assert_eq!(filter.replace(b"nothing"), None);
}

#[test]
fn no_rest_of_overlapping_secrets_stays() {
    let text = "<abcdefgh1234zzzzyyyy>";
    assert_eq!(
        replaced(&["abcdefgh1234", "1234zzzzyyyy"], text),
        "<${REDACTED:A}>"
    );
}

#[test]
fn a_token_never_holds_a_secret() {
    assert_eq!(replaced(&["${REDACTED"], "a ${REDACTED b"), "a *** b");
    assert_eq!(replaced(&["REDACTED"], "a REDACTED b"), "a *** b");
    // The token would make up the value again with what follows.
    assert_eq!(
        replaced(&["abcdefgh", "}abcdefg."], "abcdefghabcdefg."),
        "${REDACTED:B}"
    );
}

#[test]
fn an_escape_that_a_secret_cuts_goes_with_it() {
    assert_eq!(
        replaced(&["nabcdefgh"], r#"{"a":"x\nabcdefgh"}"#),
        r#"{"a":"x${REDACTED:A}"}"#
    );
    assert_eq!(
        replaced(&["abcdefgh\\"], r#"{"a":"abcdefgh\""}"#),
        r#"{"a":"${REDACTED:A}"}"#
    );
}

/// Texts in which JSON escapes and pieces of values meet.
fn text_around(value: &'static str) -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        3 => Just(value.to_owned()),
        1 => (0..=value.len()).prop_map(|end| String::from_utf8_lossy(&value.as_bytes()[..end]).into_owned()),
        1 => (0..=value.len()).prop_map(|start| String::from_utf8_lossy(&value.as_bytes()[start..]).into_owned()),
        // The escape of the line end ends with the first letter of a value.
        1 => Just(format!("\n{}", value.strip_prefix('n').unwrap_or(value))),
        2 => "[\\n\"\\\\u0é/}{$ ]{0,3}",
    ];
    prop::collection::vec(pieces, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(at_least(256))]

    #[test]
    fn no_needle_is_left_and_nothing_outside_changes(
        chosen in prop::sample::subsequence(&VALUES[..], 1..4),
        pick in any::<prop::sample::Index>(),
        around in ["[ -~]{0,12}", "[ -~]{0,12}"],
    ) {
        let filter = filter(&chosen);
        let mut text = around[0].clone().into_bytes();
        for value in &chosen {
            let forms: Vec<_> = needle_forms(value.as_bytes()).into_iter().collect();
            text.extend(&forms[pick.index(forms.len())]);
        }
        text.extend(around[1].as_bytes());
        let replaced = filter.replace(&text).unwrap();
        prop_assert_eq!(found(&filter, &replaced.bytes), []);
        let shared = |a: &mut dyn Iterator<Item = (u8, u8)>| a.take_while(|(a, b)| a == b).count();
        let hits = found(&filter, &text);
        // Up to the first place and from the last on the bytes are the same, but
        // for an escape that is cut or a token that makes up a secret by chance.
        let before = shared(&mut text.iter().copied().zip(replaced.bytes.iter().copied()));
        let after = shared(&mut text.iter().rev().copied().zip(replaced.bytes.iter().rev().copied()));
        prop_assert!(before + 14 >= hits[0].1);
        prop_assert!(after + 14 >= text.len() - hits[hits.len() - 1].2);
    }

    #[test]
    fn json_stays_json(
        (value, text) in prop::sample::select(&VALUES[..])
            .prop_flat_map(|value| (Just(value), text_around(value))),
        depth in 1..3_u32,
    ) {
        let mut text = text;
        for _ in 0..depth {
            text = serde_json::to_string(&text).unwrap();
        }
        let message = format!(r#"{{"a":{text},"b":[1,{text}]}}"#);
        let whole = filter(&[value]).replace(message.as_bytes());
        if let Some(whole) = whole
            && !crosses_strings(value, &message)
        {
            let read = serde_json::from_slice::<serde_json::Value>(&whole.bytes);
            prop_assert!(read.is_ok(), "{} -> {}", message, String::from_utf8_lossy(&whole.bytes));
        }
    }
}

/// Whether the value takes in the quotes of a string, as it is.
fn crosses_strings(value: &str, message: &str) -> bool {
    value.contains('"') && message.contains(value)
}
