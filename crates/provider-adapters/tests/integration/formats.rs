//! TOML and JSON say the same, and all that a descriptor can say.

use cassette_format::descriptor::Descriptor;
use provider_adapters::{MistakeKind, parse_json, parse_toml};
use serde_json::Value;

const COMPLETE: &str = include_str!("files/complete.toml");

#[test]
fn every_field_can_be_said_in_toml_and_json() {
    let ours = parse_toml(COMPLETE).unwrap();
    let by_serde: Descriptor = toml::from_str(COMPLETE).unwrap();
    assert_eq!(ours, by_serde);
    let json = serde_json::to_string(&by_serde).unwrap();
    assert_eq!(parse_json(&json), Ok(by_serde));
}

#[test]
fn the_complete_file_leaves_no_field_at_its_default() {
    let complete = serde_json::to_value(parse_toml(COMPLETE).unwrap()).unwrap();
    let least = parse_toml("id = 'a'\ntarget = 'local:a'\nframing = 'lines'\ndialect = 'json-rpc'");
    let least = serde_json::to_value(least.unwrap()).unwrap();
    let (Value::Object(complete), Value::Object(least)) = (complete, least) else {
        panic!("descriptors are tables");
    };
    for (name, value) in &complete {
        let is_version = name.ends_with("-version");
        assert!(is_version || least[name] != *value, "{name}");
    }
    assert_eq!(complete.len(), least.len());
}

#[test]
fn null_in_json_says_that_a_field_is_absent() {
    let json = r#"{"id":"a","target":"local:a","framing":"lines","dialect":"opaque",
        "account-read":null,"transcripts":null,"path-fields":null}"#;
    let toml = "id = 'a'\ntarget = 'local:a'\nframing = 'lines'\ndialect = 'opaque'";
    assert_eq!(parse_json(json), parse_toml(toml));
}

/// serde names all variants when it meets one that it does not know; so do we.
#[test]
fn every_value_that_serde_knows_is_known() {
    for field in [
        "framing",
        "dialect",
        "environment-of-start",
        "pipelining",
        "spellings",
    ] {
        let mut value = serde_json::to_value(parse_toml(COMPLETE).unwrap()).unwrap();
        value[field] = if field == "spellings" {
            vec!["?"].into()
        } else {
            "?".into()
        };
        let of_serde = serde_json::from_value::<Descriptor>(value.clone())
            .unwrap_err()
            .to_string();
        let expected: Vec<&str> = of_serde.split('`').skip(3).step_by(2).collect();
        let mistakes = parse_json(&value.to_string()).unwrap_err();
        let kinds: Vec<_> = mistakes.iter().map(|mistake| &mistake.kind).collect();
        let [MistakeKind::UnknownValue { known, .. }] = kinds[..] else {
            panic!("{field}: {mistakes}");
        };
        assert_eq!(*known, expected, "{field}");
    }
}

#[test]
fn numbers_of_any_spelling_are_versions() {
    let with = |version: &str| {
        let start = "id = 'a'\ntarget = 'a'\nframing = 'raw'\ndialect = 'opaque'";
        parse_toml(&format!("{start}\nschema-version = {version}"))
    };
    for version in ["4", "+4", "0x4", "0b1_00"] {
        assert!(with(version).is_ok(), "{version}");
    }
    for version in ["5", "-4", "4.0", "'4'", "99999999999999999999"] {
        assert!(with(version).is_err(), "{version}");
    }
}
