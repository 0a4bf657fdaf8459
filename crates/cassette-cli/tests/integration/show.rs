//! `cassette show`.

use std::fs;
use std::path::Path;

use cassette_format::process::Script;

use crate::cassettes::{self, QUESTION, cassette, change, named, told};

/// What is shown, which must be all that is printed.
fn shown(scratch: &Path, arguments: &[&str]) -> String {
    let arguments = [&["show"], arguments].concat();
    let (code, stdout, stderr) = told(&cassette(scratch, &arguments, b""));
    assert_eq!((code, stderr), (Some(0), String::new()), "{stdout}");
    stdout
}

/// What is shown of a question of this provider.
fn asked(provider: &str, question: &[u8], arguments: &[&str]) -> String {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write_saying(scratch.path(), (provider, question), cassettes::exit_3());
    shown(scratch.path(), arguments)
}

const ALL: &str = "    0.000 -> request      ping 1\n    0.000 2> slow today\n    \
    0.000 <- result       ping 1 {}\n    0.000 -- exit 3\n";

#[test]
fn the_conversation_is_shown_in_order_with_the_methods_of_answers() {
    let scratch = tempfile::tempdir().unwrap();
    named(scratch.path(), "a");
    assert_eq!(shown(scratch.path(), &["a"]), ALL);
    assert_eq!(
        shown(scratch.path(), &["a", "--raw", "--no-times"]),
        "-> request      ping 1 {\"id\":1,\"method\":\"ping\"}\n2> slow today\n\
         <- result       ping 1 {\"id\":1,\"result\":{}}\n-- exit 3\n"
    );
}

#[test]
fn what_an_agent_did_not_finish_stands_before_its_end() {
    let scratch = tempfile::tempdir().unwrap();
    let script = Script::new().expect(QUESTION).stdout(b"{\"id\":1,\"res");
    cassettes::write_script(scratch.path(), script.emit(cassettes::exit_3()));
    assert_eq!(
        shown(scratch.path(), &["agent.cassette", "--no-times"]),
        "-> request      ping 1\n<- {\"id\":1,\"res\n-- exit 3\n"
    );
}

#[test]
fn the_frames_alone_are_shown_as_the_whole_cassette_is() {
    let scratch = tempfile::tempdir().unwrap();
    let frames = named(scratch.path(), "a").join("frames.jsonl");
    fs::rename(&frames, scratch.path().join("blob")).unwrap();
    assert_eq!(shown(scratch.path(), &["blob"]), ALL);
}

#[test]
fn lines_that_are_no_chunks_are_shown_in_their_place() {
    let scratch = tempfile::tempdir().unwrap();
    let frames = named(scratch.path(), "a").join("frames.jsonl");
    change(
        &frames,
        "{\"connectionId\"",
        "<<<<<<< ours\n{\"connectionId\"",
    );
    for place in ["a", "a/frames.jsonl"] {
        let stdout = shown(scratch.path(), &[place, "--no-times"]);
        let first = stdout.lines().next().unwrap();
        assert!(first.starts_with("?? a/frames.jsonl:1"), "{stdout}");
        assert_eq!(stdout.lines().count(), 5);
    }
}

#[test]
fn messages_are_chosen_by_method_text_and_connection() {
    let scratch = tempfile::tempdir().unwrap();
    named(scratch.path(), "a");
    let count = |arguments: &[&str]| {
        let arguments = [&["a"], arguments].concat();
        shown(scratch.path(), &arguments).lines().count()
    };
    assert_eq!(count(&["--method", "ping"]), 2);
    assert_eq!(count(&["--method", "pong"]), 0);
    assert_eq!(count(&["--grep", "slow"]), 1);
    assert_eq!(count(&["--grep", "result", "--method", "ping"]), 1);
    assert_eq!(count(&["--connection", "connection-1"]), 4);
    let arguments = ["show", "a", "--connection", "other"];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let error = "cassette: a has nothing of connection `other`\n";
    assert_eq!(output, (Some(2), String::new(), error.to_owned()));
}

#[test]
fn nothing_on_a_tape_steers_the_terminal() {
    let question =
        b"{\"id\":\"\\u001b]0;x\",\"method\":\"\\u001b[2J\\n\",\"params\":\"\xe2\x80\xae\"}\n";
    let stdout = asked("codex", question, &["agent.cassette", "--no-times"]);
    let first = "-> request      \\u{1b}[2J\\n \"\\u001b]0;x\" \"\\u{202e}\"";
    assert_eq!(stdout.lines().next(), Some(first));
}

#[test]
fn every_message_of_a_batch_is_a_line() {
    let question = b"[{\"id\":1,\"method\":\"ping\"},{\"method\":\"note\",\"params\":[2]}]\n";
    let stdout = asked("mcp", question, &["agent.cassette", "--no-times"]);
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(
        lines[..2],
        ["-> request      ping 1", "-> notification note [2]"]
    );
    assert_eq!(lines[3], "<- result       ping 1 {}");
}

#[test]
fn protocols_are_guessed_where_the_manifest_is_not_there() {
    let rest = "2> slow today\n<- result       ping 1 {}\n-- exit 3\n";
    let arguments = ["agent.cassette/frames.jsonl", "--no-times"];
    let framed = b"Content-Length: 24\r\n\r\n{\"id\":1,\"method\":\"ping\"}";
    let stdout = asked("raw", framed, &arguments);
    assert_eq!(stdout, format!("-> request      ping 1\n{rest}"));
    let typed = b"{\"type\":\"user\",\"message\":{\"content\":\"hi\"}}\n";
    let stdout = asked("raw", typed, &arguments);
    let first = "-> notification user {\"type\":\"user\",\"message\":{\"content\":\"hi\"}}";
    assert_eq!(stdout.lines().next(), Some(first));
}

#[test]
fn the_json_form_is_one_versioned_object() {
    let scratch = tempfile::tempdir().unwrap();
    named(scratch.path(), "a");
    let expected = concat!(
        r#"{"schema":1,"command":"show","cassette":"a","messages":["#,
        r#"{"elapsedMs":0,"connectionId":"connection-1","from":"agent","kind":"result","#,
        r#""method":"ping","id":"1","text":"{\"id\":1,\"result\":{}}"}]}"#,
        "\n"
    );
    let arguments = ["a", "--json", "--grep", "result"];
    assert_eq!(shown(scratch.path(), &arguments), expected);
}
