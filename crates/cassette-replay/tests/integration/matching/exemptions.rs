//! Fields that are not compared as they are.

use cassette_format::descriptor::{Dialect, EnvironmentOfStart, IgnoredField};

use super::side::Side;

fn initialize(client: &str) -> String {
    format!(r#"{{"id":1,"method":"initialize","params":{{"clientInfo":{client}}}}}"#)
}

#[test]
fn the_release_of_a_client_may_differ_its_name_may_not() {
    let side = Side::new();
    let recorded = initialize(r#"{"name":"c","version":"1","title":"A"}"#);
    assert!(side.matches(
        &recorded,
        &initialize(r#"{"title":"B","name":"c","version":2}"#)
    ));
    assert!(!side.matches(
        &recorded,
        &initialize(r#"{"name":"d","version":"1","title":"A"}"#)
    ));
    assert!(!side.matches(&recorded, &initialize(r#"{"name":"c","version":"1"}"#)));
    let other = |message: String| message.replace("initialize", "other");
    let sent = initialize(r#"{"name":"c","version":"2","title":"A"}"#);
    assert!(!side.matches(&other(recorded), &other(sent)));
}

#[test]
fn declared_fields_may_differ_where_both_have_them() {
    let side = Side::new().changed(|side| {
        side.descriptor.ignored_fields = vec![IgnoredField {
            method: "x".into(),
            pointer: "/params/l/1/a~1b".into(),
        }];
    });
    let message = |value: &str| format!(r#"{{"method":"x","params":{{"l":[0,{value}]}}}}"#);
    assert!(side.matches(&message(r#"{"a/b":1}"#), &message(r#"{"a/b":[2]}"#)));
    assert!(!side.matches(&message(r#"{"a/b":1}"#), &message("{}")));
    assert!(!side.matches(&message(r#"{"c":1}"#), &message(r#"{"c":2}"#)));
}

#[test]
fn the_environment_of_a_start_is_left_out_on_both_sides() {
    let side = Side::new()
        .dialect(Dialect::TypedEnvelope)
        .changed(|side| side.descriptor.environment_of_start = EnvironmentOfStart::Excluded);
    let message =
        |kind: &str, payload: &str| format!(r#"{{"id":"r","type":"{kind}","payload":{payload}}}"#);
    assert!(side.matches(
        &message("start", "{}"),
        &message("start", r#"{"env":{"A":"1"}}"#)
    ));
    assert!(side.matches(
        &message("start", r#"{"env":{"A":"2"},"b":1}"#),
        &message("start", r#"{"b":1,"env":null}"#)
    ));
    assert!(!side.matches(&message("stop", "{}"), &message("stop", r#"{"env":{}}"#)));
    assert!(!side.matches(
        &message("start", r#"{"o":{"env":1}}"#),
        &message("start", r#"{"o":{"env":2}}"#)
    ));
}
