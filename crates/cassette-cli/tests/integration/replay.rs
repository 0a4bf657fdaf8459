//! `cassette replay`.

use cassette_format::process::{ExitCode, Frame};

use crate::cassettes::{
    self, ANSWER, COMPLAINT, OTHER_QUESTION, QUESTION, cassette, change, conversation, named, told,
};

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn replay_ends_with_128_and_the_signal_of_an_agent_that_a_signal_ended() {
    let scratch = tempfile::tempdir().unwrap();
    let exit = Frame::exit(ExitCode::SIGNALED).with_message("signal: 9 (SIGKILL)");
    cassettes::write(scratch.path(), exit);
    let output = cassette(
        scratch.path(),
        &["replay", "--fast-forward", "agent.cassette"],
        QUESTION,
    );
    assert_eq!(output.status.code(), Some(137));
}

#[test]
fn a_mismatch_is_told_and_ends_with_120() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let other = b"{\"id\":2,\"method\":\"pong\"}\n";
    let output = told(&cassette(
        scratch.path(),
        &["replay", "agent.cassette"],
        other,
    ));
    let error = "cassette: replay failed: \
        message 1 to connection-1 is not the recorded one (chunk 1, line 1 of frames.jsonl)\n  \
        recorded: request \"ping\" with id 1\n  \
        sent:     request \"pong\" with id 2\n    \
        $.method: expected \"ping\", found \"pong\"\n  \
        no other recorded message is like what was sent\n\
        hint: `cassette show DIR` shows what was recorded; if the client is right, record it anew\n";
    assert_eq!(output, (Some(120), String::new(), error.to_owned()));
}

#[test]
fn input_that_ends_too_early_is_told_and_ends_with_120() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let output = told(&cassette(
        scratch.path(),
        &["replay", "agent.cassette"],
        b"",
    ));
    let error = "cassette: replay failed: input of connection-1 ended where \
        request \"ping\" with id 1 was recorded next (line 1 of frames.jsonl), after 0 of 4 chunks\n\
        hint: `cassette show DIR` shows what was recorded; if the client is right, record it anew\n";
    assert_eq!(output, (Some(120), String::new(), error.to_owned()));
}

#[test]
fn a_cassette_that_is_not_there_is_named_and_ends_with_2() {
    let scratch = tempfile::tempdir().unwrap();
    let output = told(&cassette(scratch.path(), &["replay", "nowhere"], b""));
    let error = "cassette: nowhere/manifest.json does not exist\n\
        hint: a cassette is a directory that holds manifest.json and frames.jsonl; `cassette record -o DIR -- CMD` makes one\n";
    assert_eq!(output, (Some(2), String::new(), error.to_owned()));
}

#[test]
fn more_input_than_was_recorded_is_told_and_ends_with_120() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let more = [QUESTION, b"and more\n"].concat();
    let arguments = ["replay", "--fast-forward", "agent.cassette"];
    let (code, _, stderr) = told(&cassette(scratch.path(), &arguments, &more));
    assert_eq!(code, Some(120));
    assert!(
        stderr.contains("8 more bytes were sent on connection-1 after everything was played: 8 bytes that are neither request nor answer"),
        "{stderr}"
    );
}

#[test]
fn days_of_waiting_are_cut_short_on_request() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write_slow(scratch.path());
    for options in [
        &["--fast-forward"][..],
        &["--idle-cap", "0s"],
        &["--idle-cap", "1ms", "--speed", "4"],
    ] {
        let arguments = [&["replay"], options, &["agent.cassette"]].concat();
        let output = cassette(scratch.path(), &arguments, QUESTION);
        assert_eq!(output.stdout, ANSWER);
        assert_eq!(output.status.code(), Some(3));
    }
}

#[test]
fn what_stands_behind_the_directory_is_ignored() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let ignored = [
        "--help",
        "--speed",
        "7",
        "-x",
        "app-server",
        "--",
        "--connection",
    ];
    let arguments = [&["replay", "agent.cassette"], &ignored[..]].concat();
    let output = told(&cassette(scratch.path(), &arguments, QUESTION));
    let complaint = "cassette: `--speed` behind the directory is ignored, \
        as the agent's arguments are\n"
        .to_owned()
        + text(COMPLAINT);
    assert_eq!(output, (Some(3), text(ANSWER).to_owned(), complaint));
}

#[test]
fn a_speed_or_pause_that_is_none_is_wrong_usage() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let refused: [(&[&str], &str); 3] = [
        (
            &["--speed", "3"],
            "speed 3 is not supported: 0.25, 0.5, 1, 2 and 4 are",
        ),
        (&["--idle-cap", "3"], "`3` is no duration"),
        (&["--fast-forward", "--speed", "2"], "cannot be used with"),
    ];
    for (options, reason) in refused {
        let arguments = [&["replay"], options, &["agent.cassette"]].concat();
        let (code, stdout, stderr) = told(&cassette(scratch.path(), &arguments, QUESTION));
        assert_eq!((code, stdout), (Some(2), String::new()));
        assert!(stderr.contains(reason), "{stderr}");
    }
}

#[test]
fn of_several_connections_the_named_one_is_played() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write_two(scratch.path());
    for (id, question, other) in [
        ("connection-1", QUESTION, OTHER_QUESTION),
        ("connection-2", OTHER_QUESTION, QUESTION),
    ] {
        let arguments = ["replay", "--connection", id, "agent.cassette"];
        let output = cassette(scratch.path(), &arguments, question);
        assert_eq!(
            (output.status.code(), &output.stdout[..]),
            (Some(3), ANSWER)
        );
        let output = cassette(scratch.path(), &arguments, other);
        assert_eq!(output.status.code(), Some(120));
    }
}

#[test]
fn which_of_several_connections_has_to_be_said() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write_two(scratch.path());
    let output = told(&cassette(
        scratch.path(),
        &["replay", "agent.cassette"],
        b"",
    ));
    let error = "cassette: agent.cassette holds 2 connections, --connection says which is played: \
        connection-1 connection-2\n";
    assert_eq!(output, (Some(2), String::new(), error.to_owned()));
    let arguments = ["replay", "--connection", "x", "agent.cassette"];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let error = "cassette: agent.cassette has no `x`, but connection-1 connection-2\n";
    assert_eq!(output, (Some(2), String::new(), error.to_owned()));
}

#[test]
fn an_agent_whose_end_was_not_recorded_ends_with_the_input() {
    let scratch = tempfile::tempdir().unwrap();
    let tape = cassettes::write_endless(scratch.path());
    let last = conversation(&tape).pop().unwrap();
    assert_eq!(last.1, COMPLAINT);
    let arguments = ["replay", "agent.cassette"];
    let output = told(&cassette(scratch.path(), &arguments, QUESTION));
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert_eq!(output, (Some(0), text(ANSWER), text(COMPLAINT)));
    for input in [&b""[..], OTHER_QUESTION, &[QUESTION, QUESTION].concat()] {
        let output = cassette(scratch.path(), &arguments, input);
        assert_eq!(output.status.code(), Some(120));
    }
}

#[test]
fn a_cassette_that_was_changed_or_is_incomplete_is_refused_with_the_way_out() {
    let scratch = tempfile::tempdir().unwrap();
    let frames = named(scratch.path(), "changed").join("frames.jsonl");
    change(&frames, "\"elapsedMs\":0", "\"elapsedMs\":7");
    let manifest = named(scratch.path(), "incomplete").join("manifest.json");
    change(&manifest, "complete", "incomplete");
    let refused = [
        (
            "changed",
            "cassette: changed/frames.jsonl has digest ",
            "hint: the frames were changed after they were recorded, by hand, by a merge, or by an \
             editor's or git's line ends: get them back, record anew, or take them as they are now: \
             `cassette recover FROM TO --mode tail`\n",
        ),
        (
            "incomplete",
            "cassette: incomplete/manifest.json has status `incomplete`, only `complete` is played\n",
            "hint: `cassette recover FROM TO` makes a complete cassette of what is there\n",
        ),
    ];
    for (tape, error, hint) in refused {
        let output = told(&cassette(scratch.path(), &["replay", tape], QUESTION));
        let (code, stdout, stderr) = output;
        assert_eq!((code, stdout), (Some(2), String::new()));
        assert!(
            stderr.starts_with(error) && stderr.ends_with(hint),
            "{stderr}"
        );
    }
}

#[test]
fn of_a_raw_tape_that_differs_a_provider_is_hinted_at() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write_saying(scratch.path(), ("raw", QUESTION), cassettes::exit_3());
    let output = cassette(
        scratch.path(),
        &["replay", "agent.cassette"],
        OTHER_QUESTION,
    );
    let (code, _, stderr) = told(&output);
    assert_eq!(code, Some(120));
    let hint = "hint: it was recorded as `raw`, so the very same bytes are needed: \
        recorded with --provider ID, messages are compared\n";
    assert!(stderr.ends_with(hint), "{stderr}");
}
