//! Requests that are answered without the tape.

use cassette_format::descriptor::{Dialect, MessageFraming, SyntheticAnswer};

use super::side::{Side, id};

fn probing() -> Side {
    let answer = |method: &str, result: &str| SyntheticAnswer {
        method: method.into(),
        result: result.into(),
    };
    Side::new().changed(|side| {
        side.descriptor.optional_probes = vec![answer("Thread/Read", "{}")];
        side.descriptor.startup_metadata = vec![answer("limits", "{\n\"l\":null}")];
        side.descriptor.credential_methods = vec!["login".into()];
    })
}

#[test]
fn a_request_is_known_for_what_it_is() {
    let rules = probing().match_rules();
    let request = |message: &str| rules.request(message.as_bytes());
    let probe = request(r#"{"id":1,"method":" thread/READ "}"#).unwrap();
    assert_eq!((probe.id, &*probe.method), (Some(id("1")), " thread/READ "));
    assert!(probe.optional_probe.is_some());
    assert!(probe.startup_metadata.is_none() && !probe.carries_credentials);
    assert!(
        request(r#"{"method":"limits"}"#)
            .unwrap()
            .startup_metadata
            .is_some()
    );
    assert!(
        request(r#"{"id":1,"method":"LOGIN"}"#)
            .unwrap()
            .carries_credentials
    );
    for none in [
        r#"{"id":1,"result":{}}"#,
        r#"{"id":1,"method":" "}"#,
        r#"{"id":1,"method":5}"#,
        r#"[{"id":1,"method":"x"}]"#,
        r#"{"id":1,"method":"x"}{}"#,
        r#"{"id":1,"method":"x"} y"#,
        r#"{"id":1,"method":"x""#,
        "",
    ] {
        assert_eq!(request(none), None, "{none}");
    }
}

fn answer(side: &Side, message: &str) -> Option<String> {
    let rules = side.match_rules();
    let request = rules.request(message.as_bytes()).unwrap();
    let answer = rules.synthetic_answer(&request, "{\n\"l\":null}")?;
    Some(String::from_utf8(answer).unwrap())
}

#[test]
fn an_answer_is_made_up_in_the_form_of_the_dialect() {
    let side = probing();
    let message = r#"{"id":1.50,"method":"m"}"#;
    let rpc = answer(&side, message).unwrap();
    assert_eq!(rpc, "{\"id\":1.50,\"result\":{ \"l\":null}}\n");
    let versioned = answer(&side, r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#).unwrap();
    assert_eq!(
        versioned,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{ \"l\":null}}\n"
    );
    let framed = side.clone().changed(|side| {
        side.descriptor.framing = MessageFraming::ContentLength;
    });
    let expected = "Content-Length: 32\r\n\r\n{\"id\":1.50,\"result\":{ \"l\":null}}";
    assert_eq!(answer(&framed, message).unwrap(), expected);
    let typed = side.clone().dialect(Dialect::TypedEnvelope);
    assert_eq!(
        answer(&typed, r#"{"id":"r","type":"m"}"#).unwrap(),
        "{\"id\":\"r\",\"type\":\"ok\",\"payload\":{ \"l\":null}}\n"
    );
    let stream = side.clone().dialect(Dialect::StreamJson);
    let control = r#"{"type":"control_request","request_id":"q","request":{"subtype":"m"}}"#;
    assert_eq!(
        answer(&stream, control).unwrap(),
        "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\
         \"request_id\":\"q\",\"response\":{ \"l\":null}}}\n"
    );
    assert_eq!(answer(&side, r#"{"method":"m"}"#), None, "a notification");
}
