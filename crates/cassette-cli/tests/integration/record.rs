//! `cassette record`.

use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cassettes::{
    self, ANSWER, COMPLAINT, QUESTION, cassette, cassette_with, conversation, told,
};

const SELF: &str = env!("CARGO_BIN_EXE_cassette");

/// What is said of a command that is no agent that is known.
const UNKNOWN: &str = "cassette: nothing is known of what the command speaks: to replay, the \
    very same bytes are needed; --provider ID says what it speaks\n";
/// A message that may not be on a tape.
const LEAK: &[u8] = b"{\"id\":1,\"method\":\"ping\",\"params\":{\"apiKey\":\"s3cret-value\"}}\n";

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
    let complaint = format!("{UNKNOWN}{}cassette: recorded to new\n", text(COMPLAINT));
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
    assert!(
        stderr.ends_with("tells which agents are found\n"),
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

/// Records an agent that answers to the leak, as `codex`, with further options.
fn record_leak(scratch: &Path, options: &[&str]) -> (Option<i32>, String, String) {
    cassettes::write_saying(scratch, ("raw", LEAK), cassettes::exit_3());
    let arguments = ["record", "--provider", "codex", "-o", "new"];
    let agent = ["--", SELF, "replay", "--fast-forward", "agent.cassette"];
    let arguments = [&arguments[..], options, &agent].concat();
    told(&cassette(scratch, &arguments, LEAK))
}

const LEAKED: &str = "cassette: new is incomplete: the recording has failed: \
    message `ping` of connection-1 cannot be recorded: \
    field at `$.params.apiKey` holds personal or secret content\n\
    hint: credentials and account data are never recorded: log in before, or leave the field empty\n";

#[test]
fn a_failed_recording_disturbs_nothing_and_is_told_at_the_end() {
    let scratch = tempfile::tempdir().unwrap();
    let output = record_leak(scratch.path(), &[]);
    let complaint = format!("{}{LEAKED}", text(COMPLAINT));
    assert_eq!(output, (Some(3), text(ANSWER).to_owned(), complaint));
}

#[test]
fn failing_closed_a_message_that_cannot_be_recorded_is_not_passed_on() {
    let scratch = tempfile::tempdir().unwrap();
    let output = record_leak(scratch.path(), &["--fail-closed"]);
    assert_eq!(output, (Some(121), String::new(), LEAKED.to_owned()));
}

#[test]
fn where_a_complete_cassette_is_required_nothing_is_disturbed_and_the_exit_code_is_121() {
    let scratch = tempfile::tempdir().unwrap();
    let output = record_leak(scratch.path(), &["--require-complete"]);
    let complaint = format!("{}{LEAKED}", text(COMPLAINT));
    assert_eq!(output, (Some(121), text(ANSWER).to_owned(), complaint));

    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let arguments = ["record", "--require-complete", "-o", "new", "--"];
    let agent = [SELF, "replay", "--fast-forward", "agent.cassette"];
    let arguments = [&arguments[..], &agent].concat();
    let output = cassette(scratch.path(), &arguments, QUESTION);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn secrets_are_replaced_on_request_and_the_client_hears_them() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let arguments = ["record", "--redact-secrets", "--provider", "codex", "-o"];
    let agent = ["new", "--", SELF, "replay", "agent.cassette"];
    let arguments = [&arguments[..], &agent].concat();
    let variables = [("MY_KEY", text(COMPLAINT).trim())];
    let output = told(&cassette_with(
        scratch.path(),
        &variables,
        &arguments,
        QUESTION,
    ));
    let complaint = format!(
        "{}cassette: recorded to new, redacted MY_KEY: 1\n",
        text(COMPLAINT)
    );
    assert_eq!(output, (Some(3), text(ANSWER).to_owned(), complaint));
    let said = conversation(&scratch.path().join("new"));
    let complaints = said.iter().filter(|(kind, ..)| kind == "stderr");
    let complaints: Vec<&str> = complaints.map(|(_, data, _)| text(data)).collect();
    assert_eq!(complaints, ["${REDACTED:MY_KEY}\n"]);
}

#[test]
fn failing_closed_what_the_agent_says_and_cannot_be_recorded_is_not_passed_on() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let arguments = [
        "record",
        "--fail-closed",
        "--provider",
        "raw",
        "-o",
        "new",
        "--",
    ];
    let agent = [SELF, "replay", "--fast-forward", "agent.cassette"];
    let arguments = [&arguments[..], &agent].concat();
    let variables = [("MY_KEY", text(COMPLAINT).trim())];
    let output = told(&cassette_with(
        scratch.path(),
        &variables,
        &arguments,
        QUESTION,
    ));
    assert_eq!(output.0, Some(121));
    let error = "cassette: new is incomplete: the recording has failed: \
        payload of connection-1 holds the value of MY_KEY\n\
        hint: --redact-secrets records ${REDACTED:<NAME>} where the value stands\n";
    assert_eq!(output.2, error);
}

#[test]
fn a_recording_that_goes_well_ends_as_the_agent_also_failing_closed() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let arguments = [
        "record",
        "--fail-closed",
        "--provider",
        "codex",
        "-o",
        "new",
        "--",
    ];
    let agent = [SELF, "replay", "--fast-forward", "agent.cassette"];
    let arguments = [&arguments[..], &agent].concat();
    let output = told(&cassette(scratch.path(), &arguments, QUESTION));
    let complaint = format!("{}cassette: recorded to new\n", text(COMPLAINT));
    assert_eq!(output, (Some(3), text(ANSWER).to_owned(), complaint));
}

#[test]
fn secrets_that_are_not_looked_for_are_told() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let arguments = ["record", "--provider", "codex", "-o", "new", "--"];
    let agent = [SELF, "replay", "--fast-forward", "agent.cassette"];
    let arguments = [&arguments[..], &agent].concat();
    let variables = [("CI_TOKEN", "true")];
    let output = told(&cassette_with(
        scratch.path(),
        &variables,
        &arguments,
        QUESTION,
    ));
    let told = format!(
        "{}cassette: not looked for on the tape: value of CI_TOKEN has 4 bytes, \
         secrets must have 8 or more\ncassette: recorded to new\n",
        text(COMPLAINT)
    );
    assert_eq!((output.0, output.2), (Some(3), told));
}

#[test]
fn the_provider_is_guessed_from_the_command_and_told() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    // What stands behind the directory is nothing to a replay.
    let agent = [
        SELF,
        "replay",
        "--fast-forward",
        "agent.cassette",
        "--experimental-acp",
    ];
    let arguments = [&["record", "-o", "new", "--"], &agent[..]].concat();
    let (code, _, stderr) = told(&cassette(scratch.path(), &arguments, QUESTION));
    assert_eq!(code, Some(3));
    let guess = "cassette: the command looks like acp; if it is not, say --provider ID\n";
    assert!(stderr.starts_with(guess), "{stderr}");
    let manifest = std::fs::read_to_string(scratch.path().join("new/manifest.json")).unwrap();
    assert!(manifest.contains("\"provider\": \"acp\""), "{manifest}");
}

#[test]
fn an_unknown_provider_is_refused_with_a_hint_before_anything_starts() {
    let scratch = tempfile::tempdir().unwrap();
    let arguments = ["record", "--provider", "x", "--", SELF];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let error = "cassette: nothing was recorded: provider `x` is not registered\n\
        hint: `cassette providers` lists those that are, --descriptor FILE adds one\n";
    assert_eq!(output, (Some(2), String::new(), error.to_owned()));
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn a_path_outside_of_every_root_is_refused_by_name_and_recorded_below_a_root_that_is_given() {
    let scratch = tempfile::tempdir().unwrap();
    let asked = b"{\"id\":1,\"method\":\"open\",\"params\":{\"path\":\"/opt/data/x\"}}\n";
    cassettes::write_saying(scratch.path(), ("raw", asked), cassettes::exit_3());
    let agent = ["--", SELF, "replay", "--fast-forward", "agent.cassette"];
    let record = |options: &[&str]| {
        let arguments = [&["record", "--provider", "codex"], options, &agent].concat();
        told(&cassette(scratch.path(), &arguments, asked))
    };
    let error = "cassette: refused is incomplete: the recording has failed: \
        message `open` of connection-1 cannot be recorded: \
        field at `$.params.path` holds an absolute path\n\
        hint: start it in the directory that the path is in, or name that with --root DIR: \
        paths below it are recorded portably\n";
    let (code, _, stderr) = record(&["-o", "refused"]);
    assert_eq!(code, Some(3));
    assert!(stderr.ends_with(error), "{stderr}");

    record(&["-o", "new", "--root", "/opt/data"]);
    let said = conversation(&scratch.path().join("new"));
    assert!(
        text(&said[0].1).contains("\"${REPLAY_HOME}/x\""),
        "{said:?}"
    );
    let replay = |options: &[&str]| {
        let arguments = [&["replay"], options, &["new"]].concat();
        told(&cassette(scratch.path(), &arguments, asked))
    };
    let (code, _, stderr) = replay(&[]);
    assert_eq!(code, Some(120));
    assert!(stderr.contains("`cassette replay --root DIR`"), "{stderr}");
    assert_eq!(replay(&["--root", "/opt/data"]).0, Some(3));
}

#[test]
fn what_a_reader_does_not_take_at_once_comes_whole_and_in_order() {
    let scratch = tempfile::tempdir().unwrap();
    let (agent, answer) = cassettes::write_long(scratch.path());
    let agent = ["replay", "--fast-forward", agent.to_str().unwrap()];
    let record = |name| {
        let mut command = Command::new(SELF);
        command.args(["record", "-o", name, "--provider", "codex", "--", SELF]);
        command.args(agent).current_dir(scratch.path());
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        command
    };
    let ask = |mut command: Command| {
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(QUESTION).unwrap();
        child
    };

    let mut by_pipe = record("by-pipe");
    let by_pipe = ask({
        by_pipe.stdout(Stdio::piped());
        by_pipe
    });
    let by_pipe = by_pipe.wait_with_output().unwrap();
    assert_eq!(by_pipe.status.code(), Some(3));
    assert!(by_pipe.stdout == answer);

    let (mut ours, theirs) = UnixStream::pair().unwrap();
    // Less than a chunk, so that some are taken in part.
    rustix::net::sockopt::set_socket_send_buffer_size(&theirs, 20_000).unwrap();
    let mut by_socket = record("by-socket");
    let mut child = ask({
        by_socket.stdout(OwnedFd::from(theirs));
        by_socket
    });
    let mut said = Vec::new();
    ours.read_to_end(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(said == answer);
}

#[test]
fn where_the_command_says_nothing_the_first_message_says_what_it_speaks() {
    let scratch = tempfile::tempdir().unwrap();
    let asked = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","#,
        r#""params":{"protocolVersion":"2025-06-18"}}"#,
        "\n"
    );
    let asked = asked.as_bytes();
    cassettes::write_saying(scratch.path(), ("raw", asked), cassettes::exit_3());
    let agent = ["--", SELF, "replay", "--fast-forward", "agent.cassette"];
    let arguments = [&["record", "-o", "new"], &agent[..]].concat();
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &arguments, asked));
    assert_eq!((code, &stdout[..]), (Some(3), text(ANSWER)));
    let guess = "cassette: its first message looks like mcp; if it is not, say --provider ID\n";
    assert!(stderr.starts_with(guess), "{stderr}");
    let said = conversation(&scratch.path().join("new"));
    assert_eq!(said[0], ("outbound".to_owned(), asked.to_vec(), None));
    let manifest = std::fs::read_to_string(scratch.path().join("new/manifest.json")).unwrap();
    assert!(manifest.contains("\"provider\": \"mcp\""), "{manifest}");
}

#[test]
fn a_client_that_waits_for_the_agent_to_speak_is_heard_afterwards() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write_greeting(scratch.path());
    let mut command = Command::new(SELF);
    let agent = ["--", SELF, "replay", "--fast-forward", "agent.cassette"];
    command.args(["record", "-o", "new"]).args(agent);
    command.current_dir(scratch.path()).stderr(Stdio::null());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut greeting = [0; COMPLAINT.len()];
    output.read_exact(&mut greeting).unwrap();
    child.stdin.take().unwrap().write_all(QUESTION).unwrap();
    let mut answer = Vec::new();
    output.read_to_end(&mut answer).unwrap();
    assert_eq!((&greeting[..], &answer[..]), (COMPLAINT, ANSWER));
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

#[test]
fn a_beginning_without_end_is_passed_on_before_there_is_more() {
    let scratch = tempfile::tempdir().unwrap();
    let asked = b"no line";
    cassettes::write_saying(scratch.path(), ("raw", asked), cassettes::exit_3());
    let mut command = Command::new(SELF);
    let agent = ["--", SELF, "replay", "--fast-forward", "agent.cassette"];
    command.args(["record", "-o", "new"]).args(agent);
    command.current_dir(scratch.path()).stderr(Stdio::null());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(asked).unwrap();
    let mut answer = vec![0; ANSWER.len()];
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut answer).unwrap();
    assert_eq!(answer, ANSWER);
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

#[test]
fn a_directory_of_something_else_is_refused_and_so_is_a_file() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::create_dir(scratch.path().join("src")).unwrap();
    std::fs::write(scratch.path().join("src/main.rs"), "").unwrap();
    let refused = [
        (
            "src",
            "src is not empty, and no cassette\nhint: a cassette has its directory to itself: \
             give a new or an empty one with -o\n",
        ),
        (
            "src/main.rs",
            "src/main.rs is a file\nhint: -o names the directory of the cassette\n",
        ),
    ];
    for options in [&["record"][..], &["record", "--replace"]] {
        for (output, error) in refused {
            let arguments = [options, &["-o", output, "--", SELF]].concat();
            let said = told(&cassette(scratch.path(), &arguments, b""));
            let error = format!("cassette: cannot begin a cassette: {error}");
            assert_eq!(said, (Some(2), String::new(), error));
        }
    }
    let entries = std::fs::read_dir(scratch.path().join("src")).unwrap();
    assert_eq!(entries.count(), 1);
}

#[test]
fn what_may_not_be_executed_and_what_stands_before_the_separator_are_hinted_at() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("agent.py"), "").unwrap();
    let arguments = ["record", "--provider", "raw", "--", "./agent.py"];
    let (code, _, stderr) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!(code, Some(2));
    let hint =
        "hint: it is there, and may not be executed: `chmod +x` it, or name its interpreter\n";
    assert!(stderr.ends_with(hint), "{stderr}");
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &["record", "./agent.py"], b""));
    assert_eq!((code, stdout), (Some(2), String::new()));
    let hint = "hint: the command stands behind `--`: cassette record -o DIR -- CMD\n";
    assert!(stderr.ends_with(hint), "{stderr}");
    let (code, _, stderr) = told(&cassette(scratch.path(), &["record", "--help"], b""));
    assert_eq!((code, stderr), (Some(0), String::new()));
}
