//! Texts over messages: which pieces are one text.

use cassette_format::portable::Direction;
use cassette_format::schema::ConnectionId;

use super::super::{Reach, SplitHit, StreamedTexts};
use super::filter;

const VALUE: &str = "sk-proj-Ab3_dEf6GhI9";

/// The hits of these messages of one agent, as name, path and reach.
fn hits(messages: &[&str]) -> Vec<(String, String, Reach)> {
    let mut texts = StreamedTexts::new(&filter(&[VALUE]));
    for message in messages {
        let connection = ConnectionId::numbered(1);
        texts.message(&connection, Direction::Inbound, message.as_bytes());
    }
    let shown = |hit: &SplitHit| (hit.name.to_string(), hit.path.clone(), hit.reach);
    texts.hits().iter().map(shown).collect()
}

fn split_at(path: &str) -> Vec<(String, String, Reach)> {
    vec![("A".to_owned(), path.to_owned(), Reach::SeveralTexts)]
}

#[test]
fn deltas_of_one_message_are_one_text() {
    let chunk = |text: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}}}"#
        )
    };
    let messages = [
        chunk("my key is sk-"),
        chunk("proj-"),
        chunk("Ab3_dEf6"),
        chunk("GhI9."),
    ];
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    assert_eq!(hits(&messages), split_at("$.params.update.content.text"));
}

#[test]
fn deltas_of_two_sessions_in_turns_are_two_texts() {
    let chunk = |session: &str, text: &str| {
        format!(r#"{{"method":"item/delta","params":{{"threadId":"{session}","delta":"{text}"}}}}"#)
    };
    let messages = [
        chunk("one", "sk-proj-"),
        chunk("two", "something else"),
        chunk("one", "Ab3_dEf6GhI9"),
    ];
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    assert_eq!(hits(&messages), split_at("$.params.delta"));
}

#[test]
fn answers_and_thoughts_in_turns_are_two_texts() {
    let chunk = |kind: &str, text: &str| {
        format!(
            r#"{{"method":"session/update","params":{{"update":{{"content":{{"text":"{text}"}},"sessionUpdate":"{kind}"}}}}}}"#
        )
    };
    let messages = [
        chunk("agent_message_chunk", "sk-proj-"),
        chunk("agent_thought_chunk", "hm"),
        chunk("agent_message_chunk", "Ab3_dEf6GhI9"),
    ];
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    assert_eq!(hits(&messages), split_at("$.params.update.content.text"));
}

#[test]
fn other_messages_in_between_do_not_part_a_text() {
    let messages = [
        r#"{"type":"stream_event","event":{"delta":{"text":"sk-proj-"}}}"#,
        r#"{"type":"keep_alive"}"#,
        r#"{"type":"stream_event","event":{"delta":{"text":""}}}"#,
        "no json",
        r#"{"type":"stream_event","event":{"delta":{"text":"Ab3_dEf6GhI9"}}}"#,
    ];
    assert_eq!(hits(&messages), split_at("$.event.delta.text"));
}

#[test]
fn elements_of_an_array_are_one_text() {
    let message = r#"{"lines":["sk-proj-","Ab3_dEf6GhI9"]}"#;
    assert_eq!(hits(&[message]), split_at("$.lines[1]"));
}

/// The hits of messages that `message` makes of an id and a text.
fn hits_in_turns(turns: &[(&str, &str)], message: impl Fn(&str, &str) -> String) -> Vec<String> {
    let messages: Vec<String> = turns.iter().map(|(id, text)| message(id, text)).collect();
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    let found = hits(&messages).into_iter();
    found.map(|(_, path, _)| path).collect()
}

#[test]
fn texts_in_turns_are_told_apart_by_numbers_indices_and_streams() {
    let turns = [("1", "sk-proj-"), ("2", "other"), ("1", "Ab3_dEf6GhI9")];
    let numbered = |id: &str, text: &str| format!(r#"{{"itemId":{id},"text":"{text}"}}"#);
    assert_eq!(hits_in_turns(&turns, numbered), ["$.text"]);
    for key in [
        "index",
        "content_index",
        "contentIndex",
        "stream",
        "channel",
    ] {
        let keyed = |id: &str, text: &str| {
            format!(r#"{{"type":"delta","{key}":{id},"delta":{{"text":"{text}"}}}}"#)
        };
        assert_eq!(hits_in_turns(&turns, keyed), ["$.delta.text"], "{key}");
    }
    let named = |id: &str, text: &str| format!(r#"{{"stream":"std-{id}","text":"{text}"}}"#);
    assert_eq!(hits_in_turns(&turns, named), ["$.text"]);
    let other = |id: &str, text: &str| format!(r#"{{"number":{id},"text":"{text}"}}"#);
    assert!(hits_in_turns(&turns, other).is_empty());
}

#[test]
fn texts_in_turns_are_told_apart_by_all_their_ids_together() {
    let turns = [
        ("A1", "sk-proj-"),
        ("A2", "other"),
        ("B1", "more"),
        ("B2", "text"),
        ("A1", "Ab3_dEf6GhI9"),
    ];
    let two = |id: &str, text: &str| {
        let (session, item) = id.split_at(1);
        format!(r#"{{"params":{{"sessionId":"{session}","itemId":"{item}","text":"{text}"}}}}"#)
    };
    assert_eq!(hits_in_turns(&turns, two), ["$.params.text"]);
    let turned = |id: &str, text: &str| {
        let (session, item) = id.split_at(1);
        if text.starts_with("sk") {
            return two(id, text);
        }
        format!(r#"{{"params":{{"text":"{text}","itemId":"{item}","sessionId":"{session}"}}}}"#)
    };
    assert_eq!(hits_in_turns(&turns, turned), ["$.params.text"]);
}

#[test]
fn a_text_goes_on_though_the_kind_of_its_messages_changes() {
    let turns = [("start", "sk-"), ("next", "proj-Ab3_dE"), ("end", "f6GhI9")];
    let kinds = |kind: &str, text: &str| format!(r#"{{"type":"{kind}","text":"{text}"}}"#);
    assert_eq!(hits_in_turns(&turns, kinds), ["$.text"]);
}

#[test]
fn a_text_goes_on_beside_other_elements_and_duplicates() {
    let turns = [("", "sk-proj-"), ("", "Ab3_dEf6GhI9")];
    let elements = |_: &str, text: &str| {
        format!(r#"{{"content":[{{"text":"x"}},{{"text":"{text}"}},{{"text":"y"}}]}}"#)
    };
    assert_eq!(hits_in_turns(&turns, elements), ["$.content[1].text"]);
    let duplicates = |_: &str, text: &str| format!(r#"{{"text":"x","text":"{text}","text":"y"}}"#);
    assert_eq!(hits_in_turns(&turns, duplicates), ["$.text"]);
}

#[test]
fn a_text_goes_on_from_a_list_of_messages_to_single_ones() {
    let messages = [
        r#"[{"method":"delta","text":"sk-proj-"},{"method":"delta","text":"Ab3"}]"#,
        r#"{"method":"delta","text":"_dEf6GhI9"}"#,
    ];
    assert_eq!(hits(&messages), split_at("$.text"));
}

#[test]
fn keys_are_read_through_their_escapes() {
    let key = VALUE.replace('s', "\\u0073");
    let found = hits(&[&format!(r#"{{"a":{{"{key}":1}}}}"#)]);
    let path = r#"$.a["${REDACTED:A}"]"#.to_owned();
    assert_eq!(found, [("A".to_owned(), path, Reach::OneText)]);
}

#[test]
fn what_is_json_before_other_text_is_read_as_json() {
    let odd = VALUE.replace('s', "\\u0073");
    let message = format!(r#"{{"a":"{odd}"}} and so on"#);
    let expected = ("A".to_owned(), "$.a".to_owned(), Reach::OneText);
    assert_eq!(hits(&[&message]), [expected]);
    let pieces = [
        r#"{"type":"t","itemId":1,"text":"sk-proj-"} tail"#,
        r#"{"type":"t","itemId":2,"text":"other"}"#,
        r#"{"type":"t","itemId":1,"text":"Ab3_dEf6GhI9","rest":"#,
    ];
    assert_eq!(hits(&pieces), split_at("$.text"));
}

#[test]
fn what_stands_behind_json_goes_on_as_lines() {
    let lines = [r#"{"a":1} sk-proj-"#, r#"{"b":"c"} Ab3"#];
    assert_eq!(hits(&lines), []);
    let lines = [r#"{"a":1}sk-proj-"#, r#"{"b":"c"}Ab3_dEf6GhI9"#];
    assert_eq!(hits(&lines), split_at("line"));
    let lines = ["12 sk-proj-", "[Ab3_dEf6GhI9"];
    assert_eq!(hits(&lines), split_at("line"));
}

#[test]
fn a_line_that_begins_as_json_goes_on_with_the_line_before() {
    let mut texts = StreamedTexts::new(&filter(&["secret-12 or more"]));
    for line in ["a secret-", "12 or more"] {
        let connection = ConnectionId::numbered(1);
        texts.message(&connection, Direction::Inbound, line.as_bytes());
    }
    assert_eq!(texts.hits().len(), 1);
}

#[test]
fn connections_and_directions_are_texts_of_their_own() {
    let mut texts = StreamedTexts::new(&filter(&[VALUE]));
    let [one, two] = [1, 2].map(ConnectionId::numbered);
    texts.message(&one, Direction::Inbound, br#"{"text":"sk-proj-"}"#);
    texts.message(&two, Direction::Inbound, br#"{"text":"Ab3_dEf6GhI9"}"#);
    texts.message(&one, Direction::Outbound, br#"{"text":"Ab3_dEf6GhI9"}"#);
    assert_eq!(texts.hits(), []);
    texts.message(&one, Direction::Inbound, br#"{"text":"Ab3_dEf6GhI9"}"#);
    assert_eq!(texts.hits()[0].connection, one);
}

#[test]
fn odd_escapes_are_found_in_one_text() {
    let odd: String = VALUE
        .bytes()
        .map(|byte| format!("\\u{:04x}", u32::from(byte)))
        .collect();
    let expected = vec![("A".to_owned(), "$.text".to_owned(), Reach::OneText)];
    assert_eq!(hits(&[&format!(r#"{{"text":"{odd}"}}"#)]), expected);
}

#[test]
fn path_shows_no_secret_key() {
    let message = format!(r#"{{"{VALUE}":"{VALUE}"}}"#);
    let path = r#"$["${REDACTED:A}"]"#.to_owned();
    let hit = ("A".to_owned(), path, Reach::OneText);
    assert_eq!(hits(&[&message]), [hit.clone(), hit]);
}

#[test]
fn reports_are_bounded() {
    let message = format!("[{}0]", format!("\"{VALUE}\",").repeat(1000));
    assert_eq!(hits(&[&message]).len(), 256);
}

#[test]
fn depth_costs_no_memory_and_no_stack() {
    let mut texts = StreamedTexts::new(&filter(&[VALUE]));
    let deep = |text: &str| format!("{}\"{text}\"{}", "[".repeat(500_000), "]".repeat(500_000));
    let connection = ConnectionId::numbered(1);
    texts.message(&connection, Direction::Inbound, deep("sk-proj-").as_bytes());
    texts.message(
        &connection,
        Direction::Inbound,
        deep("Ab3_dEf6GhI9").as_bytes(),
    );
    assert_eq!(texts.hits().len(), 1);
}
