//! A summary as JSON and as a text.

use cassette_format::schema::ChunkKind;
use cassette_format::summary::{Summarizer, Summary};
use insta::assert_snapshot;

use super::script::{Script, registry};

/// Two connections and everything that is told only where there is some of it.
fn script() -> Script {
    Script::of(&["rpc", "nobody", "lsp"])
        .at(3)
        .host("{\"id\":1,\"method\":\"initialize\"}\n")
        .at(12)
        .agent("{\"id\":1,\"result\":{}}\n{\"method\":\"session/update\"}\n{}\n")
        .chunk(2, ChunkKind::Outbound, "{\"id\":1,\"method\":\"initialize\"}\n")
        .at(15)
        .host("{\"id\":2,\"method\":\"session/prompt\"}\n{\"id\":3,\"method\":\"ping\"}\n")
        .chunk(1, ChunkKind::Stderr, "warning\n")
        .at(1500)
        .agent("{\"method\":\"session/update\"}\nwarning\n{\"id\":2,\"error\":{}}\n{\"id\":9,\"result\":0}\n")
        .agent("{\"method\":")
        .at(1510)
        .chunk(1, ChunkKind::Exit, "")
        .chunk(3, ChunkKind::Outbound, "{\"method\":\"exit\"}\n")
}

fn json(summary: &Summary) -> String {
    serde_json::to_string_pretty(summary).unwrap()
}

#[test]
fn json_has_every_count_in_its_place() {
    assert_snapshot!(json(&script().summary()));
}

#[test]
fn text_has_a_table_of_kinds_and_one_of_methods() {
    assert_snapshot!(script().summary().to_string());
}

#[test]
fn text_has_the_messages_of_a_sole_connection_once() {
    let script = Script::of(&["rpc", "nobody"]).host("{\"method\":\"tell\"}\n");
    let text = script.summary().to_string();
    assert_eq!(text.matches("notification  tell").count(), 1, "{text}");
}

#[test]
fn text_of_an_empty_tape_is_short() {
    assert_snapshot!(
        Script::of(&[]).summary().to_string(),
        @"tape: 0 frames, 0 payload bytes, 0 stored bytes, 0 ms"
    );
    assert_snapshot!(Script::of(&["opaque"]).summary().to_string(), @"
    tape: 0 frames, 0 payload bytes, 0 stored bytes, 0 ms

    connection-1: opaque, session session-1 (root session-1), launch 1, process-start
      0 frames, 0 payload bytes, 0 stored bytes, no exit
      messages not read: the provider has none
    ");
}

#[test]
fn names_can_neither_break_lines_nor_steer_a_terminal() {
    let script = Script::of(&["rpc"])
        .host("{\"method\":\"a\\n\\u001b[2J\\u202e\\\"é\\\\\"}\n{\"method\":\"\"}\n")
        .chunk(1, ChunkKind::named("re\u{1b}size\n"), "");
    let summary = script.summary();
    let text = summary.to_string();
    assert!(
        text.contains("notification  a\\n\\u{1b}[2J\\u{202e}\"é\\ "),
        "{text}"
    );
    assert!(text.contains("notification  \"\" "), "{text}");
    assert!(text.contains("re\\u{1b}size\\n "), "{text}");
    assert!(
        !text.contains('\u{1b}') && !text.contains('\u{202e}'),
        "{text}"
    );

    // In JSON they are escaped, and come back as they were.
    let json = json(&summary);
    assert!(json.contains(r#""name": "a\n\u001b[2J"#), "{json}");
    let back: serde_json::Value = serde_json::from_str(&json).unwrap();
    let methods = &back["connections"][0]["messages"]["outbound"]["methods"];
    assert_eq!(methods[1]["name"], "a\n\u{1b}[2J\u{202e}\"é\\");
}

#[test]
fn nothing_of_a_payload_but_names_is_in_any_form() {
    let script = Script::of(&["rpc"])
        .host("{\"id\":\"secret-id\",\"method\":\"ask\",\"params\":\"secret\"}\nsecret\n")
        .agent("{\"id\":\"secret-id\",\"result\":\"secret\"}\n")
        .chunk(1, ChunkKind::Stderr, "secret")
        .chunk(1, ChunkKind::Exit, "")
        .with(|chunk| chunk.message = "secret".to_owned());
    let summary = script.summary();
    for form in [json(&summary), summary.to_string(), format!("{summary:?}")] {
        assert!(form.contains("ask") && !form.contains("secret"), "{form}");
    }

    let tape = script.draft().on_disk().open().unwrap();
    let mut summarizer = Summarizer::new(tape.manifest(), &registry());
    tape.chunks()
        .take(1)
        .for_each(|chunk| summarizer.chunk(&chunk));
    let form = format!("{summarizer:?}");
    assert!(
        form.contains("frame_count: 1") && !form.contains("secret"),
        "{form}"
    );
}
