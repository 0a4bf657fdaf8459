//! What is equal, and what is not.

use cassette_format::descriptor::MessageFraming;
use cassette_replay::matching::Equality;

use super::side::Side;

#[test]
fn equal_bytes_match_whatever_they_are() {
    for bytes in [
        &b""[..],
        b"\n",
        b"no JSON",
        b"\xff\xfe",
        b"{\"a\":",
        b"{\"a\":1}x",
    ] {
        let matched = Side::new().judge_bytes(bytes, bytes).unwrap();
        assert_eq!(matched.equality, Equality::Bytes);
    }
}

#[test]
fn layout_order_and_escapes_do_not_matter() {
    let recorded = r#"{"method":"x","l":[1,{"k":"é/"}],"o":{"a":null,"b":true}}"#;
    let sent = " {\"o\" :{\"b\":true,\"a\":null},\n\"l\":[1,{\"\\u006b\":\"\\u00e9\\/\"}],\"method\":\"x\"}\r\n";
    let matched = Side::new().judge(recorded, sent).unwrap();
    assert_eq!(matched.equality, Equality::Content);
}

#[test]
fn numbers_match_as_they_are_written() {
    for (recorded, sent) in [("1", "1.0"), ("1e5", "1E5"), ("0", "-0"), ("1", "\"1\"")] {
        let message = |number| format!("{{\"n\":{number}}}");
        assert!(!Side::new().matches(&message(recorded), &message(sent)));
        assert!(Side::new().matches(&message(recorded), &format!(" {}", message(recorded))));
    }
}

#[test]
fn of_members_with_one_name_the_last_counts() {
    let side = Side::new();
    assert!(side.matches(r#"{"a":1,"b":0,"a":2}"#, r#"{"a":2,"b":0}"#));
    assert!(side.matches(r#"{"a":1,"a":2}"#, r#"{"a":3,"a":2}"#));
    assert!(side.matches(r#"{"a":2}"#, r#"{"a":1,"\u0061":2}"#));
    assert!(!side.matches(r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#));
    assert!(!side.matches(r#"{"a":1,"a":2}"#, r#"{"a":1}"#));
}

#[test]
fn lists_are_as_long_and_in_the_same_order() {
    let side = Side::new();
    assert!(!side.matches("[1,2]", "[2,1]"));
    assert!(!side.matches("[1]", "[1,2]"));
    assert!(!side.matches("[]", "{}"));
    assert!(!side.matches(r#"{"a":null}"#, "{}"));
}

#[test]
fn messages_of_one_send_match_one_by_one() {
    let side = Side::new();
    assert!(side.matches("{\"a\":1}\n{\"b\":2}\n", "{\"a\":1} {\"b\":2}"));
    assert!(!side.matches("{\"a\":1}\n", "{\"a\":1}\n{\"a\":1}\n"));
    assert!(!side.matches("{\"a\":1}", "{\"a\":1} x"));
}

#[test]
fn what_is_no_json_matches_byte_for_byte() {
    let side = Side::new();
    assert!(!side.matches("a b", "a  b"));
    assert!(!side.matches("{\"a\":1", "{ \"a\":1"));
    assert!(!side.matches("\n", "\r\n"));
    assert!(
        side.judge_bytes(b"{\"t\":\"\xff\"}", b"{\"t\":\"\xfe\"}")
            .is_err()
    );
}

#[test]
fn what_is_no_json_matches_as_it_is_recorded() {
    let side = Side::new();
    let recorded = r#"{"cwd":"${SESSION_CWD:session-1:1}/a"} and text"#;
    assert!(side.matches(recorded, r#"{"cwd":"/new/a"} and text"#));
    assert!(!side.matches(recorded, r#"{"cwd":"/new/b"} and text"#));
}

#[test]
fn raw_streams_match_byte_for_byte() {
    let side = Side::new().changed(|side| side.descriptor.framing = MessageFraming::Raw);
    assert!(!side.matches(r#"{"a":1}"#, r#"{"a": 1}"#));
    assert!(side.matches(r#"{"a":1}"#, r#"{"a":1}"#));
}

#[test]
fn lone_surrogates_compare_as_replacement_characters() {
    let side = Side::new();
    assert!(side.matches(r#"{"a":"\ud800x"}"#, r#"{"a":"\uD800\u0078"}"#));
    assert!(!side.matches(r#"{"a":"\ud800x"}"#, r#"{"a":"x"}"#));
}

#[test]
fn matching_leaves_no_trace_in_what_is_matched_next() {
    let side = Side::new();
    let mut matcher = cassette_replay::matching::Matcher::new(side.match_rules());
    let mut judge = |recorded: &str, sent: &str| {
        matcher
            .judge(recorded.as_bytes(), sent.as_bytes(), &side.known)
            .is_ok()
    };
    assert!(judge("[[[[1]]]]", " [[[[1]]]]"));
    assert!(judge("{\"a\":1}", " {\"a\":1}"));
    assert!(!judge("{\"a\":1", " {\"a\":1"));
    assert!(judge("1", " 1"));
}
