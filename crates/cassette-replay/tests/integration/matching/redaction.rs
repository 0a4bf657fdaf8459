//! Texts in which secrets were replaced when they were recorded.

use super::side::Side;

fn text(text: &str) -> String {
    format!(r#"{{"method":"x","params":["{text}"]}}"#)
}

#[test]
fn a_redacted_value_is_that_of_the_variable_here() {
    let side = Side::new().changed(|side| side.secrets = vec![("API_KEY", "sk-here-123")]);
    let recorded = text("Bearer ${REDACTED:API_KEY}");
    assert!(side.matches(&recorded, &text("Bearer sk-here-123")));
    assert!(!side.matches(&recorded, &text("Bearer sk-there-45")));
}

#[test]
fn a_redacted_value_that_is_not_known_here_is_any() {
    let recorded = text("Bearer ${REDACTED:API_KEY}.");
    assert!(Side::new().matches(&recorded, &text("Bearer whatever it is.")));
    assert!(!Side::new().matches(&recorded, &text("Token whatever it is.")));
}

#[test]
fn redacted_values_are_found_in_paths_names_and_text_that_is_no_json() {
    let side = Side::new();
    let path = |path: &str| format!(r#"{{"path":"{path}"}}"#);
    assert!(side.matches(
        &path("${SESSION_CWD:session-1:1}/${REDACTED:K}/x"),
        &path("/new/secret/x")
    ));
    assert!(side.matches(r#"{"${REDACTED:K}":1,"b":2}"#, r#"{"b":2,"secret":1}"#));
    assert!(!side.matches(r#"{"a${REDACTED:K}":1}"#, r#"{"secret":1}"#));
    assert!(side.matches("key=${REDACTED:K};", "key=secret;"));
    assert!(!side.matches("key=${REDACTED:K};", "kay=secret;"));
}
