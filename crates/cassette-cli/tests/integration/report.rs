//! The verdicts that `record` and `replay` write where `--report` or `CASSETTE_REPORT`
//! says.

use std::fs;
use std::path::Path;

use crate::cassettes::{self, QUESTION, cassette_with, conversation};

/// What is in the file after `cassette` ran, and the exit code.
fn reported(scratch: &Path, arguments: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let variables = [("CASSETTE_REPORT", "report.json")];
    let output = cassette_with(scratch, &variables, arguments, input);
    let report = fs::read_to_string(scratch.join("report.json")).unwrap();
    (output.status.code(), report)
}

#[test]
fn a_replay_that_went_well_is_reported() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let arguments = ["replay", "--fast-forward", "agent.cassette"];
    let expected = concat!(
        r#"{"schema":1,"command":"replay","cassette":"agent.cassette","verdict":"played","#,
        r#""exitCode":3,"error":null,"mismatch":null}"#,
        "\n"
    );
    let report = reported(scratch.path(), &arguments, QUESTION);
    assert_eq!(report, (Some(3), expected.to_owned()));
}

#[test]
fn a_mismatch_is_reported_with_its_place() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let arguments = ["replay", "agent.cassette"];
    let other = b"{\"id\":2,\"method\":\"pong\"}\n";
    let (code, report) = reported(scratch.path(), &arguments, other);
    assert_eq!(code, Some(120));
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["verdict"], "mismatch");
    assert_eq!(report["exitCode"], 120);
    let error = report["error"].as_str().unwrap();
    assert!(error.starts_with("replay failed: message 1 to"), "{error}");
    assert_eq!(
        report["mismatch"],
        serde_json::json!({
            "connectionId": "connection-1",
            "message": 1,
            "line": 1,
            "expected": "request \"ping\" with id 1",
            "sent": "request \"pong\" with id 2",
        })
    );
}

#[test]
fn what_did_not_begin_is_reported_too() {
    let scratch = tempfile::tempdir().unwrap();
    let expected = concat!(
        r#"{"schema":1,"command":"replay","cassette":"nowhere","verdict":"error","#,
        r#""exitCode":2,"error":"nowhere/manifest.json does not exist","mismatch":null}"#,
        "\n"
    );
    let report = reported(scratch.path(), &["replay", "nowhere"], b"");
    assert_eq!(report, (Some(2), expected.to_owned()));
}

#[test]
fn a_recording_is_reported() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let agent = [
        env!("CARGO_BIN_EXE_cassette"),
        "replay",
        "--fast-forward",
        "agent.cassette",
    ];
    let arguments = [&["record", "-o", "new", "--"], &agent[..]].concat();
    let expected = concat!(
        r#"{"schema":1,"command":"record","cassette":"new","verdict":"recorded","#,
        r#""exitCode":3,"error":null,"mismatch":null}"#,
        "\n"
    );
    let report = reported(scratch.path(), &arguments, QUESTION);
    assert_eq!(report, (Some(3), expected.to_owned()));
    assert_eq!(conversation(&scratch.path().join("new")).len(), 4);
}

#[test]
fn a_report_that_cannot_be_written_changes_nothing_else() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let arguments = ["replay", "--fast-forward", "agent.cassette"];
    let variables = [("CASSETTE_REPORT", "no/such/place")];
    let output = cassette_with(scratch.path(), &variables, &arguments, QUESTION);
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("cassette: cannot write the report no/such/place: "),
        "{stderr}"
    );
}

#[test]
fn the_recorded_command_is_not_told_to_write_a_report() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let agent = [
        env!("CARGO_BIN_EXE_cassette"),
        "replay",
        "--fast-forward",
        "agent.cassette",
    ];
    let arguments = [&["record", "-o", "new", "--"], &agent[..]].concat();
    let variables = [("CASSETTE_REPORT", "no/such/place")];
    let output = cassette_with(scratch.path(), &variables, &arguments, QUESTION);
    // The recorded command would complain as its recorder does.
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        stderr.matches("cannot write the report").count(),
        1,
        "{stderr}"
    );
}

#[test]
fn the_option_goes_before_the_variable() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let options = ["--fast-forward", "--report", "option.json"];
    let variables = [("CASSETTE_REPORT", "variable.json")];
    let replay = [&["replay"], &options[..], &["agent.cassette"]].concat();
    cassette_with(scratch.path(), &variables, &replay, QUESTION);
    let report = fs::read_to_string(scratch.path().join("option.json")).unwrap();
    assert!(report.contains(r#""command":"replay""#), "{report}");
    assert!(!scratch.path().join("variable.json").exists());

    let record = ["record", "-o", "new", "--report", "option.json", "--"];
    let agent = [env!("CARGO_BIN_EXE_cassette"), "replay", "agent.cassette"];
    cassette_with(
        scratch.path(),
        &[],
        &[&record[..], &agent].concat(),
        QUESTION,
    );
    let report = fs::read_to_string(scratch.path().join("option.json")).unwrap();
    assert!(report.contains(r#""verdict":"recorded""#), "{report}");
}
