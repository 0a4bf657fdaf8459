//! Identities that differ from run to run.

use super::side::{Side, pairs};

fn with_turn(turn: &str) -> String {
    format!(r#"{{"method":"x","params":{{"turnId":"{turn}"}}}}"#)
}

#[test]
fn an_identity_is_learned_and_then_held() {
    let mut side = Side::new();
    let matched = side.judge(&with_turn("a"), &with_turn("b")).unwrap();
    assert_eq!(matched.identities, pairs(&[("a", "b")]));
    assert!(side.learn(&with_turn("a"), &with_turn("b")));
    assert!(side.learn(&with_turn("a"), &with_turn("b")));
    assert!(!side.learn(&with_turn("a"), &with_turn("c")));
    assert!(!side.learn(&with_turn("d"), &with_turn("b")), "two for one");
    assert!(
        side.learn(&with_turn("d"), &with_turn("a")),
        "another's recorded value"
    );
}

#[test]
fn a_refused_message_teaches_nothing() {
    let mut side = Side::new();
    let sent = r#"{"method":"y","params":{"turnId":"b"}}"#;
    assert!(!side.learn(&with_turn("a"), sent));
    assert!(side.known.identities.is_empty());
}

#[test]
fn identities_of_one_message_are_held_against_each_other() {
    let side = Side::new();
    let two = |a: &str, b: &str| format!(r#"[{{"turnId":"{a}"}},{{"sessionId":"{b}"}}]"#);
    assert!(side.matches(&two("a", "a"), &two("x", "x")));
    assert!(side.matches(&two("a", "b"), &two("b", "a")));
    assert!(!side.matches(&two("a", "a"), &two("x", "y")));
    assert!(!side.matches(&two("a", "b"), &two("x", "x")));
}

#[test]
fn only_texts_that_are_not_blank_are_identities() {
    let side = Side::new();
    assert!(!side.matches(&with_turn(""), &with_turn("b")));
    assert!(!side.matches(&with_turn("a"), &with_turn(" ")));
    assert!(!side.matches(r#"{"turnId":1}"#, r#"{"turnId":2}"#));
    assert!(!side.matches(r#"{"turnId":"a"}"#, "{}"));
    assert!(!side.matches(r#"{"turnId":["a"]}"#, r#"{"turnId":["b"]}"#));
    assert!(side.matches(
        r#"{"turnId":{"TURNID":"a"}}"#,
        r#"{"turnId":{"TURNID":"b"}}"#
    ));
}

#[test]
fn equal_bytes_match_in_spite_of_what_is_known_and_leave_it() {
    let mut side = Side::new();
    assert!(side.learn(&with_turn("a"), &with_turn("b")));
    assert!(side.learn(&with_turn("a"), &with_turn("a")));
    assert_eq!(side.known.identities.sent_for("a"), Some("b"));
    assert!(side.learn(&with_turn("c"), &with_turn("c")));
    assert_eq!(side.known.identities.sent_for("c"), Some("c"));
}

#[test]
fn equal_bytes_teach_nothing_that_does_not_count() {
    let mut side = Side::new();
    let message = r#"{"p":{"turnId":"old"},"p":1,"turnId":"a","turnId":"b"}"#;
    assert!(side.learn(message, message));
    assert_eq!(side.known.identities.sent_for("b"), Some("b"));
    assert_eq!(side.known.identities.sent_for("a"), None);
    assert_eq!(side.known.identities.sent_for("old"), None);
}

#[test]
fn a_generated_value_matches_any_other_and_is_no_identity() {
    let mut side = Side::new();
    let start = |turn: &str| format!(r#"{{"method":"turn/start","params":{{"turnId":"{turn}"}}}}"#);
    assert!(side.learn(&start("plan:<any>"), &start("plan:1")));
    assert!(side.learn(&start("plan:<any>"), &start("plan:2")));
    assert_eq!(side.known.identities.sent_for("plan:<any>"), Some("plan:2"));
    assert!(!side.matches(&start("plan:<any>"), &start("user")));
    assert!(!side.matches(&start("user"), &start("plan:1")));
    assert!(side.matches(&start("user"), &start("other")));
    assert!(
        side.learn(&start("plan:<any>"), &start("plan:<any>")),
        "equal bytes"
    );
    assert!(
        side.learn(&with_turn("plan:1"), &with_turn("plan:2")),
        "another method"
    );
    assert!(!side.learn(&with_turn("plan:1"), &with_turn("plan:3")));
}
