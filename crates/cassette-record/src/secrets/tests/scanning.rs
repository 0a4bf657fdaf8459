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
    assert_eq!(hits(&[&message]), [("A".to_owned(), path, Reach::OneText)]);
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
