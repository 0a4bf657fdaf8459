//! What a summary keeps has bounds, and what is beyond them is counted.

use std::collections::BTreeMap;
use std::fmt::Write;

use cassette_format::summary::{
    MAX_METHODS, MAX_NAME_BYTES, MAX_OPEN_REQUESTS, MAX_REQUEST_ID_BYTES,
};

use super::script::{Script, lines, oddities};

#[test]
fn methods_beyond_the_entries_are_counted_together_and_so_are_their_answers() {
    let mut text = String::new();
    for number in 0..MAX_METHODS + 3 {
        writeln!(text, "{{\"id\":{number},\"method\":\"m{number:04}\"}}").unwrap();
    }
    // The first one has its entry.
    text += "{\"id\":0,\"method\":\"m0000\"}\n";
    let answers = format!("{{\"id\":0,\"result\":0}}\n{{\"id\":{MAX_METHODS},\"result\":0}}\n");
    let script = Script::of(&["rpc"]).host(text).agent(answers);
    let messages = script.messages();

    assert_eq!(messages.outbound.methods.len(), MAX_METHODS);
    assert_eq!(lines(&messages.outbound)[0], "request m0000 2 answered 1");
    let others = messages.outbound.other_methods;
    assert_eq!((others.count, others.bytes), (3, 3 * 28));
    assert_eq!(lines(&messages.inbound), ["result m0000 1"]);
    let others = messages.inbound.other_methods;
    assert_eq!((others.count, others.bytes), (1, 22));
    // So it is in the view of the tape.
    assert_eq!(script.summary().messages, messages);
}

#[test]
fn the_view_of_the_tape_has_no_more_entries_than_a_connection() {
    let half = MAX_METHODS / 2 + 1;
    let said = |prefix: &str| -> String {
        let numbers = 0..half;
        numbers
            .map(|it| format!("{{\"method\":\"{prefix}{it:04}\"}}\n"))
            .collect()
    };
    let script = Script::of(&["rpc", "rpc"]).host(said("a")).chunk(
        2,
        cassette_format::schema::ChunkKind::Outbound,
        said("b"),
    );
    let found = script.summary().messages.outbound;
    assert_eq!(found.methods.len(), MAX_METHODS);
    assert_eq!(
        found.methods[MAX_METHODS - 1].name.as_deref(),
        Some("b0510")
    );
    assert_eq!(found.other_methods.count, 2);
}

#[test]
fn a_long_name_is_cut_at_the_end_of_a_character() {
    let long = "é".repeat(MAX_NAME_BYTES);
    for (sent, kept) in [
        ("x".repeat(MAX_NAME_BYTES), "x".repeat(MAX_NAME_BYTES)),
        ("x".repeat(MAX_NAME_BYTES + 1), "x".repeat(MAX_NAME_BYTES)),
        (long.clone(), "é".repeat(MAX_NAME_BYTES / 2)),
        (
            format!("x{long}"),
            format!("x{}", "é".repeat(MAX_NAME_BYTES / 2 - 1)),
        ),
        (
            "\\u00e9".repeat(MAX_NAME_BYTES),
            "é".repeat(MAX_NAME_BYTES / 2),
        ),
        // Nothing behind the cut is taken though it would fit.
        (
            format!("{}é\\nx", "x".repeat(MAX_NAME_BYTES - 1)),
            "x".repeat(MAX_NAME_BYTES - 1),
        ),
    ] {
        let script = Script::of(&["rpc"]).host(format!("{{\"method\":\"{sent}\"}}\n"));
        assert_eq!(script.methods().0, [format!("notification {kept} 1")]);
    }
    let room = "x".repeat(MAX_NAME_BYTES - 3);
    for (subtype, kept) in [("ab", "ab"), ("abc", "ab"), ("aé", "a")] {
        let said = format!("{{\"type\":\"{room}\",\"subtype\":\"{subtype}\"}}\n");
        let script = Script::of(&["stream"]).host(said);
        assert_eq!(
            script.methods().0,
            [format!("notification {room}/{kept} 1")]
        );
    }
    let said = format!("{{\"type\":\"{room}ab\u{1f600}\",\"subtype\":\"x\"}}\n");
    let script = Script::of(&["stream"]).host(said);
    assert_eq!(script.methods().0, [format!("notification {room}ab 1")]);
}

#[test]
fn names_that_are_cut_alike_are_counted_as_one() {
    let long = "x".repeat(MAX_NAME_BYTES);
    let said = format!("{{\"method\":\"{long}1\"}}\n{{\"method\":\"{long}2\"}}\n");
    let script = Script::of(&["rpc"]).host(said);
    assert_eq!(script.methods().0, [format!("notification {long} 2")]);
}

#[test]
fn requests_beyond_those_that_may_wait_are_counted_and_not_followed() {
    let mut text = String::new();
    for number in 0..MAX_OPEN_REQUESTS + 2 {
        writeln!(text, "{{\"id\":{number},\"method\":\"ask\"}}").unwrap();
    }
    // Takes the place of the first one.
    text += "{\"id\":0,\"method\":\"again\"}\n";
    let answers =
        format!("{{\"id\":{MAX_OPEN_REQUESTS},\"result\":0}}\n{{\"id\":0,\"result\":0}}\n");
    let script = Script::of(&["rpc"])
        .host(text)
        .agent(answers)
        .host("{\"id\":-1,\"method\":\"later\"}\n")
        .agent("{\"id\":-1,\"result\":0}\n");
    let messages = script.messages();
    assert_eq!(
        lines(&messages.outbound),
        [
            "request again 1 answered 1".to_owned(),
            format!("request ask {} answered 0", MAX_OPEN_REQUESTS + 2),
            "request later 1 answered 1".to_owned(),
        ]
    );
    assert_eq!(messages.outbound.unfollowed_requests, 2);
    assert_eq!(script.summary().messages, messages);
    assert_eq!(
        lines(&messages.inbound),
        ["result ? 1", "result again 1", "result later 1"]
    );
}

#[test]
fn an_id_that_is_too_long_is_not_followed() {
    let (longest, digits) = (
        "x".repeat(MAX_REQUEST_ID_BYTES),
        "1".repeat(MAX_REQUEST_ID_BYTES),
    );
    for (id, followed) in [
        (format!("\"{longest}\""), true),
        (format!("\"{longest}x\""), false),
        (format!("\"\\u0078{}\"", &longest[1..]), true),
        (digits.clone(), true),
        (format!("{digits}1"), false),
    ] {
        let script = Script::of(&["rpc"])
            .host(format!("{{\"id\":{id},\"method\":\"ask\"}}\n"))
            .agent(format!("{{\"id\":{id},\"result\":0}}\n"));
        let name = ["?", "ask"][usize::from(followed)];
        assert_eq!(script.methods().1, [format!("result {name} 1")], "{id}");
        let unfollowed = script.messages().outbound.unfollowed_requests;
        assert_eq!(unfollowed, u64::from(!followed), "{id}");
    }
}

#[test]
fn a_message_over_many_chunks_is_one_message() {
    let mut script = Script::of(&["rpc"]).host("{\"params\":\"");
    for _ in 0..300 {
        script = script.host("x".repeat(10_000));
    }
    let script = script.host("\",\"method\":\"tell\"}\n");
    let messages = script.messages();
    assert_eq!(lines(&messages.outbound), ["notification tell 1"]);
    assert_eq!(messages.outbound.methods[0].bytes, 3_000_000 + 29);
    assert_eq!(
        oddities(&messages.outbound),
        BTreeMap::from([("messages", 1)])
    );
}

#[test]
fn a_message_of_any_depth_is_read() {
    let deep = [vec![b'['; 1 << 20], vec![b']'; 1 << 20]].concat();
    let message = [
        b"{\"params\":".as_slice(),
        &deep,
        b",\"method\":\"tell\"}\n",
    ]
    .concat();
    let script = Script::of(&["rpc"]).host(message).host(deep).host("\n");
    assert_eq!(script.methods().0, ["notification tell 1"]);
    assert_eq!(script.messages().outbound.unnamed, 1);
}
