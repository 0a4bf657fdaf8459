//! `cassette record`.

use crate::cassettes::{self, ANSWER, COMPLAINT, QUESTION, cassette, conversation, told};

const SELF: &str = env!("CARGO_BIN_EXE_cassette");

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn record_passes_everything_through_and_ends_as_the_agent_ended() {
    let scratch = tempfile::tempdir().unwrap();
    let agent = cassettes::write(scratch.path(), cassettes::exit_3());
    let agent = agent.to_str().unwrap();
    let arguments = [
        "record",
        "-o",
        "new",
        "--",
        SELF,
        "replay",
        "--fast-forward",
        agent,
    ];
    let output = told(&cassette(scratch.path(), &arguments, QUESTION));
    let complaint = format!("{}cassette: recorded to new\n", text(COMPLAINT));
    assert_eq!(output, (Some(3), text(ANSWER).to_owned(), complaint));
    let mut said = conversation(&scratch.path().join("new"));
    // Two pipes: which of them is read first is not told.
    said[1..3].sort();
    let expected = [
        ("outbound", QUESTION, None),
        ("stderr", COMPLAINT, None),
        ("stdout", ANSWER, None),
        ("exit", b"", Some(3)),
    ];
    let expected = expected.map(|(kind, data, code)| (kind.to_owned(), data.to_vec(), code));
    assert_eq!(said, expected);
}

#[test]
fn what_was_recorded_replays() {
    let scratch = tempfile::tempdir().unwrap();
    let agent = cassettes::write(scratch.path(), cassettes::exit_3());
    let agent = agent.to_str().unwrap();
    let arguments = [
        "record",
        "-o",
        "new",
        "--",
        SELF,
        "replay",
        "--fast-forward",
        agent,
    ];
    cassette(scratch.path(), &arguments, QUESTION);
    let output = told(&cassette(
        scratch.path(),
        &["replay", "new", "app-server", "-x"],
        QUESTION,
    ));
    assert_eq!(
        output,
        (Some(3), text(ANSWER).to_owned(), text(COMPLAINT).to_owned())
    );
}

#[test]
fn record_leaves_a_cassette_that_is_there_untouched() {
    let scratch = tempfile::tempdir().unwrap();
    let agent = cassettes::write(scratch.path(), cassettes::exit_3());
    let before = conversation(&agent);
    let arguments = ["record", "-o", "agent.cassette", "--", SELF];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let error = "cassette: cannot begin a cassette: agent.cassette already holds a cassette\n\
        hint: give another directory with -o, or replace it with --replace\n";
    assert_eq!(output, (Some(2), String::new(), error.to_owned()));
    assert_eq!(conversation(&agent), before);
}

#[test]
fn a_command_that_does_not_start_leaves_no_cassette() {
    let scratch = tempfile::tempdir().unwrap();
    let arguments = ["record", "--", "no-such-command-anywhere"];
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!((code, stdout), (Some(2), String::new()));
    assert!(
        stderr.contains("command `no-such-command-anywhere` not found"),
        "{stderr}"
    );
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn replacing_keeps_the_old_cassette_until_the_new_one_is_recorded() {
    let scratch = tempfile::tempdir().unwrap();
    let old = cassettes::write(scratch.path(), cassettes::exit_3());
    let before = conversation(&old);
    let arguments = [
        "record",
        "--replace",
        "-o",
        "agent.cassette",
        "--",
        "no-such-command",
    ];
    assert_eq!(
        cassette(scratch.path(), &arguments, b"").status.code(),
        Some(2)
    );
    assert_eq!(conversation(&old), before);
    // It replays the very cassette that it replaces.
    let arguments = ["record", "--replace", "-o", "agent.cassette", "--"];
    let agent = [SELF, "replay", "--fast-forward", "agent.cassette"];
    let output = cassette(
        scratch.path(),
        &[&arguments[..], &agent[..]].concat(),
        QUESTION,
    );
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(conversation(&old).len(), before.len());
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
}
