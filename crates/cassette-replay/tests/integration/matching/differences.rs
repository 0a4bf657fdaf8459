//! What is said of a message that differs.

use super::side::{Side, TOKEN};

fn text(side: &Side, recorded: &str, sent: &str) -> String {
    side.judge(recorded, sent).unwrap_err().to_string()
}

#[test]
fn each_place_is_named_with_both_values() {
    let recorded = format!(
        r#"{{"id":1,"method":"turn/start","params":{{"cwd":"{TOKEN}","model":"m-1","limit":3,"input":[{{"type":"text"}}],"old":true,"sandbox":{{"a":1}}}}}}"#
    );
    let sent = r#"{"id":2,"method":"turn/start","params":{"cwd":"/etc","model":null,"limit":4,"input":[{"type":"text"},{}],"new":[1,2],"sandbox":"none"}}"#;
    insta::assert_snapshot!(text(&Side::new(), &recorded, sent));
}

#[test]
fn an_identity_that_stands_for_another_is_named_with_both() {
    let mut side = Side::new();
    let turn = |turn: &str| format!(r#"{{"method":"x","params":{{"turnId":"{turn}"}}}}"#);
    assert!(side.learn(&turn("a"), &turn("x")));
    let texts = [
        text(&side, &turn("a"), &turn("y")),
        text(&side, &turn("b"), &turn("x")),
    ];
    insta::assert_snapshot!(texts.join("\n---\n"));
}

#[test]
fn an_answer_to_another_request_is_called_that() {
    let sent = r#"{"id":"7","result":{"decision":"accept"}}"#;
    let recorded = r#"{"id":7,"result":{"decision":"accept"}}"#;
    insta::assert_snapshot!(text(&Side::new(), recorded, sent));
}

#[test]
fn many_places_are_counted_and_long_values_cut() {
    let list = |value: &str| format!("[{}]", vec![value; 30].join(","));
    let long = format!("\"{}\"", "é".repeat(100));
    insta::assert_snapshot!(text(&Side::new(), &list("1"), &list(&long)));
}

#[test]
fn what_is_no_json_is_told_by_its_place() {
    let side = Side::new();
    let recorded = r#"{"id":1,"method":"x"}"#;
    let texts = [
        text(&side, recorded, r#"{"id":1,"method":"x"} tail"#),
        text(&side, recorded, r#"{"id":1,"method":}"#),
        text(&side, recorded, ""),
        text(&side, "plain", "plein"),
        text(&side, "plain", r#"{"id":1}"#),
        text(&side, &"[".repeat(600), &"[".repeat(601)),
        text(
            &side,
            recorded,
            "{\"id\":1,\"method\":\"x\"}\n{\"id\":2,\"method\":\"y\"}",
        ),
    ];
    insta::assert_snapshot!(texts.join("\n---\n"));
}

#[test]
fn secrets_are_not_shown() {
    let side = Side::new().changed(|side| {
        side.secrets = vec![("API_KEY", "sk-secret-1")];
        side.rules.sensitive_fields = vec!["pin".into()];
    });
    let recorded = r#"{"method":"x","params":{"key":"${REDACTED:API_KEY}","other":"Bearer ${REDACTED:TOKEN}","pin":"","email":"a@b","note":"n","o":{},"api_key":{"a":""}}}"#;
    let sent = r#"{"method":"x","params":{"key":"is sk-secret-1","other":"bearer secret-2","pin":"secret-3","email":"secret-4","note":"has sk-secret-1 in it","o":{"sk-secret-1 as a key":{"token":"secret-5"}},"apiKey":"secret-6","api_key":{"a":"secret-7","b":["secret-8"]}}}"#;
    let text = text(&side, recorded, sent);
    assert!(!text.contains("secret-"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn of_several_messages_the_most_similar_is_the_one_that_was_meant() {
    let side = Side::new();
    let sent = r#"{"id":9,"method":"b","params":{"x":1,"y":2,"z":3}}"#;
    let similarity = |recorded: &str| side.judge(recorded, sent).unwrap_err().similarity();
    let meant = similarity(r#"{"id":1,"method":"b","params":{"x":1,"y":2,"z":4}}"#);
    let other = similarity(r#"{"id":1,"method":"a","params":{"x":1,"y":2,"z":3}}"#);
    let far = similarity(r#"{"id":1,"method":"c","params":{"q":[]}}"#);
    assert!(meant > other && other > far, "{meant} {other} {far}");
    assert_eq!(similarity("no JSON"), 0);
}

#[test]
fn a_difference_counts_what_is_equal() {
    let difference = Side::new()
        .judge(
            r#"{"a":1,"b":[2,{}],"c":{"d":[]}}"#,
            r#"{"c":{"d":[]},"b":[2,{}],"a":0}"#,
        )
        .unwrap_err();
    assert_eq!((difference.count(), difference.equal_values()), (1, 3));
}

#[test]
fn a_search_says_what_judging_would_say() {
    let side = Side::new().changed(|side| side.secrets = vec![("K", "secret-1")]);
    let mut matcher = cassette_replay::matching::Matcher::new(side.match_rules());
    let recorded = [
        r#"{"id":1,"method":"b","params":{"x":1,"y":2,"cwd":"${SESSION_CWD:session-1:1}"}}"#,
        r#"{"id":1,"method":"b","params":{"x":1,"y":3}}"#,
        r#"{"id":1,"method":"b","params":[]}"#,
        "key=${REDACTED:K}",
        "no JSON",
    ];
    for sent in [
        r#"{"id":9,"method":"b","params":{"y":2,"x":1,"cwd":"/new"}}"#,
        r#"{"id":9,"method":"b","params":[[1,{}],{"a":[]}]}"#,
        "key=secret-1",
    ] {
        let judged = recorded.map(|recorded| match side.judge(recorded, sent) {
            Ok(_) => 1000,
            Err(difference) => difference.similarity(),
        });
        let mut search = matcher.search(sent.as_bytes(), &side.known);
        let found = recorded.map(|recorded| search.similarity(recorded.as_bytes()));
        assert_eq!(found, judged, "{sent}");
    }
    let other = r#"{"id":9,"method":"c","params":{"x":1}}"#;
    let mut search = matcher.search(other.as_bytes(), &side.known);
    assert_eq!(
        search.similarity(recorded[0].as_bytes()),
        0,
        "asks for something else"
    );
}
