//! Ids of requests, and of answers.

use cassette_format::descriptor::Dialect;
use cassette_replay::matching::{DepartureKind, Envelope, Outcome};

use super::side::{Side, id};

#[test]
fn the_id_of_a_request_may_be_any_and_is_remembered_with_its_type() {
    let side = Side::new();
    for (recorded, sent) in [
        ("1", "2"),
        ("1", "\"1\""),
        ("null", "1e2"),
        ("\"a\"", "{\"b\":1}"),
    ] {
        let message = |id| format!("{{\"id\":{id},\"method\":\"x\"}}");
        let matched = side.judge(&message(recorded), &message(sent)).unwrap();
        assert_eq!(matched.request_ids, [(id(recorded), id(sent))]);
    }
}

#[test]
fn equal_bytes_show_the_id_too() {
    let message = r#"{"method":"x","id":"\u0061"}"#;
    let expected = [(id("\"a\""), id("\"a\""))];
    assert_eq!(
        Side::new().judge(message, message).unwrap().request_ids,
        expected
    );
    let plain = Side::new().changed(|side| side.descriptor.identity_fields = Default::default());
    assert_eq!(plain.judge(message, message).unwrap().request_ids, expected);
}

#[test]
fn both_requests_have_an_id_or_neither() {
    let side = Side::new();
    assert!(!side.matches(r#"{"method":"x"}"#, r#"{"id":1,"method":"x"}"#));
    assert!(!side.matches(r#"{"id":1,"method":"x"}"#, r#"{"method":"x"}"#));
}

#[test]
fn an_answer_has_the_id_of_the_request() {
    let side = Side::new();
    assert!(side.matches(r#"{"id":1,"result":{}}"#, r#"{"result":{},"id":1}"#));
    let difference = side
        .judge(r#"{"id":1,"result":{}}"#, r#"{"id":2,"result":{}}"#)
        .unwrap_err();
    let kind = DepartureKind::AnswerId {
        expected: "1".into(),
        found: "2".into(),
    };
    assert_eq!(difference.departures()[0].kind, kind);
    assert!(!side.matches(r#"{"id":1,"result":{}}"#, r#"{"id":"1","result":{}}"#));
}

#[test]
fn ids_elsewhere_are_values_like_others() {
    let side = Side::new();
    assert!(!side.matches(
        r#"{"method":"x","params":{"id":1}}"#,
        r#"{"method":"x","params":{"id":2}}"#
    ));
    assert!(!side.matches(r#"[{"id":1,"method":"x"}]"#, r#"[{"id":2,"method":"x"}]"#));
}

#[test]
fn the_ids_of_two_requests_in_one_send_are_both_remembered() {
    let matched = Side::new().judge(
        r#"{"id":1,"method":"a"}{"id":2,"method":"b"}"#,
        r#"{"id":7,"method":"a"}{"id":8,"method":"b"}"#,
    );
    let expected = [(id("1"), id("7")), (id("2"), id("8"))];
    assert_eq!(matched.unwrap().request_ids, expected);
}

#[test]
fn every_dialect_has_its_requests_and_answers() {
    let envelope = |dialect, message: &str| {
        let rules = Side::new().dialect(dialect).match_rules();
        rules.envelope(message.as_bytes())
    };
    let request = |id_text: &str, method: &str| Envelope::Request {
        id: id(id_text),
        method: method.into(),
    };
    let answer = |id_text: &str, outcome| Envelope::Answer {
        id: Some(id(id_text)),
        outcome,
    };
    let (rpc, typed, stream) = (
        Dialect::JsonRpc,
        Dialect::TypedEnvelope,
        Dialect::StreamJson,
    );
    assert_eq!(envelope(rpc, r#"{"id":1,"method":"m"}"#), request("1", "m"));
    assert_eq!(
        envelope(rpc, r#"{"error":{},"id":1}"#),
        answer("1", Outcome::Error)
    );
    assert_eq!(envelope(rpc, r#"{"id":1}"#), Envelope::Other);
    assert_eq!(envelope(rpc, r#"[{"id":1,"method":"m"}]"#), Envelope::Other);
    let method = "m".to_owned();
    assert_eq!(
        envelope(rpc, r#"{"method":"m"}"#),
        Envelope::Notification { method }
    );
    assert_eq!(
        envelope(typed, r#"{"id":"r","type":"start"}"#),
        request("\"r\"", "start")
    );
    assert_eq!(
        envelope(typed, r#"{"id":"r","type":"ok"}"#),
        answer("\"r\"", Outcome::Result)
    );
    let control = r#"{"type":"control_request","request_id":"q","request":{"subtype":"s"}}"#;
    assert_eq!(envelope(stream, control), request("\"q\"", "s"));
    let response = r#"{"type":"control_response","response":{"subtype":"error","request_id":"q"}}"#;
    assert_eq!(envelope(stream, response), answer("\"q\"", Outcome::Error));
    assert_eq!(
        envelope(Dialect::Opaque, r#"{"id":1,"method":"m"}"#),
        Envelope::Other
    );
}

#[test]
fn a_control_request_may_have_any_id_and_its_answer_only_the_right_one() {
    let side = Side::new().dialect(Dialect::StreamJson);
    let request = |id| {
        format!(r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"s"}}}}"#)
    };
    let matched = side.judge(&request("a"), &request("b")).unwrap();
    assert_eq!(matched.request_ids, [(id("\"a\""), id("\"b\""))]);
    let response = |id| {
        format!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"{id}"}}}}"#
        )
    };
    assert!(!side.matches(&response("a"), &response("b")));
}
