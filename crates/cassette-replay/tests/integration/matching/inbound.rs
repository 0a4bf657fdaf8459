//! What the agent said, as it is said here.

use cassette_format::descriptor::Dialect;
use cassette_replay::matching::Matcher;

use super::side::{Side, TOKEN, id};

fn side() -> Side {
    let mut side = Side::new();
    side.known.identities.bind("a", "b\"").unwrap();
    side.known.identities.bind("s", "t").unwrap();
    side.known.bind_request(id("1"), id("\"x\""));
    side.known.bind_request(id("2"), id("1"));
    side
}

#[test]
fn only_what_is_mapped_changes() {
    let message = format!(
        "{{ \"n\":1.0, \"turnId\" :\"\\u0061\",\"x\":\"a\",\"l\":[{{\"TURNID\":\"a\"}}],\
         \"cwd\":\"{TOKEN}\\/p\",\"turnId\":\"c\"}}\r\n"
    );
    let expected = "{ \"n\":1.0, \"turnId\" :\"b\\\"\",\"x\":\"a\",\"l\":[{\"TURNID\":\"b\\\"\"}],\
                    \"cwd\":\"/new\\/p\",\"turnId\":\"c\"}\r\n";
    assert_eq!(side().said(&message), expected);
    let untouched = "{\"turnId\":\"z\", \"n\":1e0}\n";
    let mut matcher = Matcher::new(side().match_rules());
    assert!(
        matcher
            .rewrite(untouched.as_bytes(), &side().known)
            .is_none()
    );
}

#[test]
fn a_list_of_identities_is_said_with_those_that_were_sent() {
    let message = r#"{"turnId":["a","z",["a"],{"x":"a"}],"l":["a"]}"#;
    let expected = r#"{"turnId":["b\"","z",["a"],{"x":"a"}],"l":["a"]}"#;
    assert_eq!(side().said(message), expected);
    assert_eq!(
        side().said(r#"{"sessionId":["s"]}"#),
        r#"{"sessionId":["s"]}"#
    );
}

#[test]
fn identities_that_are_only_compared_are_said_as_they_were() {
    assert_eq!(side().said(r#"{"sessionId":"s"}"#), r#"{"sessionId":"s"}"#);
}

#[test]
fn a_generated_value_comes_back_as_it_was_sent() {
    let mut side = Side::new();
    let start = |turn: &str| format!(r#"{{"method":"turn/start","params":{{"turnId":"{turn}"}}}}"#);
    assert!(side.learn(&start("plan:<any>"), &start("plan:1")));
    assert_eq!(
        side.said(r#"{"turnId":"plan:<any>"}"#),
        r#"{"turnId":"plan:1"}"#
    );
}

#[test]
fn answers_have_the_id_that_was_sent_and_ids_are_mapped_once() {
    for side in [
        side(),
        side().changed(|side| side.known.identities = Default::default()),
    ] {
        let said = |message| side.said(message);
        assert_eq!(said(r#"{"id":1,"result":1}"#), r#"{"id":"x","result":1}"#);
        assert_eq!(
            said(r#"{"error":{}, "id" : 2}"#),
            r#"{"error":{}, "id" : 1}"#
        );
        assert_eq!(said(r#"{"id":1,"type":"ok"}"#), r#"{"id":"x","type":"ok"}"#);
        for kept in [
            r#"{"id":1.0,"result":1}"#,
            r#"{"id":"1","result":1}"#,
            r#"{"id":1,"method":"m"}"#,
            r#"{"id":1}"#,
            r#"[{"id":1,"result":1}]"#,
            r#"{"result":{"id":1,"result":1}}"#,
        ] {
            assert_eq!(said(kept), kept);
        }
        let two = "{\"id\":1,\"result\":1}\n{\"id\":2,\"result\":1}\n";
        assert_eq!(
            said(two),
            "{\"id\":\"x\",\"result\":1}\n{\"id\":1,\"result\":1}\n"
        );
    }
}

#[test]
fn what_is_no_json_is_said_as_it_was() {
    let side = side();
    for kept in [
        format!("{{\"cwd\":\"{TOKEN}\""),
        format!("{{\"cwd\":\"{TOKEN}\"}} x"),
        "{\"id\":1,\"result\":1} x".to_owned(),
        "\n".to_owned(),
        String::new(),
    ] {
        assert_eq!(side.said(&kept), kept);
    }
}

#[test]
fn a_control_response_is_addressed_inside() {
    let mut side = Side::new().dialect(Dialect::StreamJson);
    side.known.bind_request(id("\"q\""), id("\"r\""));
    let response = |id| {
        format!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"{id}"}}}}"#
        )
    };
    assert_eq!(side.said(&response("q")), response("r"));
    let request = r#"{"type":"control_request","request_id":"q","request":{"subtype":"s"}}"#;
    assert_eq!(side.said(request), request);
}

#[test]
fn an_answer_may_go_to_another_request() {
    let side = side();
    let mut matcher = Matcher::new(side.match_rules());
    let answer = format!("{{\"id\":9,\"result\":{{\"cwd\":\"{TOKEN}\"}}}}");
    let edits = matcher.readdress(answer.as_bytes(), &id("\"new\""), &side.known);
    let said = edits
        .unwrap()
        .apply(answer.as_bytes())
        .unwrap()
        .bytes
        .into_owned();
    assert_eq!(said, br#"{"id":"new","result":{"cwd":"/new"}}"#);
}

#[test]
fn an_edit_lies_where_its_value_was() {
    let message = br#"{"turnId":"a","id":1,"result":0}"#;
    let edits = Matcher::new(side().match_rules()).rewrite(message, &side().known);
    let spliced = edits.unwrap().apply(message).unwrap().landings;
    let from: Vec<_> = spliced
        .iter()
        .map(|landing| landing.from.text(message))
        .collect();
    assert_eq!(from, [&b"\"a\""[..], b"1"]);
}
