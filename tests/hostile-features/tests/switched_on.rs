//! Proves that a run meant to be hostile is one; without `--cfg hostile_json` there is nothing here.
#![cfg(hostile_json)]

#[test]
fn numbers_keep_their_literal() {
    let parsed: serde_json::Value = serde_json::from_str("1.2300e+01").unwrap();

    assert_eq!(parsed.to_string(), "1.2300e+01");
}

#[test]
fn objects_keep_their_order() {
    let parsed: serde_json::Value = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();

    assert_eq!(parsed.to_string(), r#"{"b":1,"a":2}"#);
}
