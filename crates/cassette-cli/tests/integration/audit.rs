//! `cassette audit`.

use crate::cassettes::{self, cassette, change, named, told};

/// A message that no recorder would have written.
const LEAK: &[u8] = b"{\"id\":1,\"method\":\"ping\",\"params\":{\"apiKey\":\"s3cret-value\"}}\n";

#[test]
fn what_may_not_be_on_a_tape_is_found_without_being_shown() {
    let scratch = tempfile::tempdir().unwrap();
    named(scratch.path(), "a");
    let leaky = cassettes::write_saying(scratch.path(), ("raw", LEAK), cassettes::exit_3());
    change(&leaky.join("manifest.json"), "\"raw\"", "\"codex\"");
    let arguments = ["audit", "a", "agent.cassette"];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let found = "a: ok\nagent.cassette: failed\n  \
        line 1 of connection-1: field at `$.params.apiKey` holds personal or secret content\n";
    assert_eq!(output, (Some(1), found.to_owned(), String::new()));
    let output = told(&cassette(scratch.path(), &["audit", "a", "--json"], b""));
    let expected = concat!(
        r#"{"schema":1,"command":"audit","cassettes":["#,
        r#"{"cassette":"a","verdict":"ok","problems":[]}]}"#,
        "\n"
    );
    assert_eq!(output, (Some(0), expected.to_owned(), String::new()));
}

#[test]
fn a_cassette_that_cannot_be_audited_is_unreadable() {
    let scratch = tempfile::tempdir().unwrap();
    let manifest = named(scratch.path(), "a").join("manifest.json");
    change(&manifest, "\"codex\"", "\"nobody\"");
    let output = told(&cassette(scratch.path(), &["audit", "a"], b""));
    let said = "a: unreadable\n  connection-1 has provider `nobody`, which is not registered\n  \
        hint: --descriptor FILE adds a provider that is not built in\n";
    assert_eq!(output, (Some(2), said.to_owned(), String::new()));
}

#[test]
fn that_nothing_is_looked_for_in_a_raw_connection_is_noted() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write_saying(scratch.path(), ("raw", LEAK), cassettes::exit_3());
    let output = told(&cassette(scratch.path(), &["audit", "agent.cassette"], b""));
    let note = "connection-1 is `raw`: nothing was looked for in it";
    let said = format!("agent.cassette: ok\n  {note}\n");
    assert_eq!(output, (Some(0), said, String::new()));
    let arguments = ["audit", "--json", "agent.cassette"];
    let (code, stdout, _) = told(&cassette(scratch.path(), &arguments, b""));
    let noted = format!(r#""verdict":"ok","problems":[],"note":"{note}""#);
    assert_eq!(code, Some(0));
    assert!(stdout.contains(&noted), "{stdout}");
}
