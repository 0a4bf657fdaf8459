//! What a method is in each dialect, and that what has no dialect has no fields.

use cassette_format::descriptor::{Dialect, MessageFraming};
use cassette_format::portable::{Direction, Literal};

use super::side::{Side, TOKEN, credential_method, sensitive};

fn speaking(dialect: Dialect) -> Side {
    Side::new("/work", &["/home/ada"]).described(|descriptor| {
        descriptor.dialect = dialect;
        descriptor.credential_methods = vec!["sign_in".into()];
    })
}

/// Refused in either direction and by the audit, at this place.
fn assert_refused(side: &Side, message: &str, place: &str) {
    for direction in [Direction::Inbound, Direction::Outbound] {
        let projected = side
            .projection()
            .message(direction, message.as_bytes())
            .map(drop);
        assert_eq!(projected, Err(credential_method(place)), "{message}");
    }
    let audited = side.audit(message.as_bytes());
    assert_eq!(audited, Err(credential_method(place)), "{message}");
}

#[test]
fn the_method_of_a_stream_json_message_is_its_type() {
    let side = speaking(Dialect::StreamJson);
    for message in [
        r#"{"type":"sign_in","variables":{"TOKEN":"s"}}"#,
        r#"{"variables":{"TOKEN":"s"},"type":" Sign_In "}"#,
        r#"{"type":"sign_in","type":"user"}"#,
        r#"{"type":"user","type":"sign_in"}"#,
        r#"{"type":"sign_in","type":"control_request","request":{"subtype":"x"}}"#,
    ] {
        assert_refused(&side, message, "$.type");
    }
    for message in [
        r#"{"method":"sign_in"}"#,
        r#"{"type":"user","message":{"type":"sign_in"}}"#,
        r#"{"type":"user","subtype":"sign_in"}"#,
        r#"{"type":"user","message":{"subtype":"sign_in"}}"#,
        r#"{"type":"user","payload":{"subtype":"sign_in"}}"#,
    ] {
        assert_eq!(side.project_text(message).as_deref(), Ok(message));
    }
}

#[test]
fn the_method_of_a_control_request_is_its_subtype_by_each_duplicate() {
    let side = speaking(Dialect::StreamJson);
    for message in [
        r#"{"type":"control_request","request":{"subtype":"sign_in"}}"#,
        r#"{"request":{"subtype":"sign_in"},"type":"control_request"}"#,
        r#"{"type":"control_request","request":{"subtype":"sign_in","subtype":"x"}}"#,
        r#"{"type":"control_request","request":{"subtype":"x","subtype":"sign_in"}}"#,
        r#"{"type":"control_request","request":{"subtype":"sign_in"},"request":{"subtype":"x"}}"#,
        r#"{"type":"control_request","request":{},"request":{"subtype":"sign_in"}}"#,
        r#"{"type":"control_request","request":{"subtype":"sign_in"},"type":"user"}"#,
        r#"{"type":"control_request","request":{"subtype":"sign_in""#,
        r#""type":"control_request","request":{"subtype":"sign_in"}}"#,
    ] {
        assert_refused(&side, message, "$.request.subtype");
    }
}

#[test]
fn the_method_of_an_envelope_is_its_type() {
    let side = speaking(Dialect::TypedEnvelope);
    assert_refused(&side, r#"{"type":"x","type":"sign_in"}"#, "$.type");
    for message in [
        r#"{"method":"sign_in"}"#,
        r#"{"type":"x","payload":{"type":"sign_in"}}"#,
        r#"{"type":"x","request":{"subtype":"sign_in"}}"#,
    ] {
        assert_eq!(side.project_text(message).as_deref(), Ok(message));
    }
}

#[test]
fn a_method_is_known_where_the_message_around_it_is_broken() {
    let side = speaking(Dialect::JsonRpc);
    for (message, place) in [
        (r#"{"a":tru {"b":1},"method":"sign_in"}"#, "$.method"),
        (r#"{"id":1,"x" {"method":"sign_in"}"#, "$.method"),
        (r#""id":1,"method":"sign_in"}"#, "$.method"),
        ("\u{1b}[32m{\"method\":\"sign_in\"}", "$[1].method"),
        (r#"[1 [{"method":"sign_in"}]"#, "$[1][0].method"),
        (r#"{"me{"id":2,"method":"sign_in"}"#, "$.method"),
    ] {
        assert_refused(&side, message, place);
    }
}

fn opaque() -> Side {
    speaking(Dialect::Opaque).described(|descriptor| descriptor.framing = MessageFraming::Raw)
}

#[test]
fn what_has_no_dialect_is_recorded_as_it_is() {
    let message = r#"{"cwd":"/work/a","path":"/etc","email":"me@x","apiKey":"s","accountId":1,"type":"sign_in","method":"sign_in"}"#;
    assert_eq!(opaque().project_text(message).as_deref(), Ok(message));
    assert_eq!(opaque().audit(message.as_bytes()), Ok(()));
    let token = format!(r#"{{"cwd":"{TOKEN}/a"}}"#);
    assert_eq!(opaque().resolve_text(&token), token);
}

#[test]
fn the_rules_of_the_caller_count_without_a_dialect_too() {
    let side = opaque().ruled(|rules| {
        rules.path_fields = vec!["cwd".into()];
        rules.sensitive_fields = vec!["pin".into()];
        rules.literals = vec![Literal {
            text: "ada".into(),
            replacement: "user".into(),
        }];
    });
    assert_eq!(
        side.project_text(r#"{"cwd":"/work/a","path":"/etc","t":"ada","signature":"ada"}"#),
        Ok(format!(
            r#"{{"cwd":"{TOKEN}/a","path":"/etc","t":"user","signature":"ada"}}"#
        ))
    );
    assert_eq!(side.project_text(r#"{"pin":"1"}"#), Err(sensitive("$.pin")));
}
