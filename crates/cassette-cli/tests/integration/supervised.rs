//! `cassette record --supervised`.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::cassettes::{self, ANSWER, QUESTION, cassette};

const SELF: &str = env!("CARGO_BIN_EXE_cassette");
/// Names the descendants of a command, which inherit it.
const VARIABLE: &str = "CASSETTE_TEST_SUPERVISED";
/// Longer than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_supervised_agent_says_and_ends_as_any_other() {
    let scratch = tempfile::tempdir().unwrap();
    let agent = cassettes::write(scratch.path(), cassettes::exit_3());
    let agent = agent.to_str().unwrap();
    let arguments = ["record", "--supervised", "-o", "new", "--"];
    let arguments: Vec<&str> = arguments
        .into_iter()
        .chain([SELF, "replay", "--fast-forward", agent])
        .collect();

    let output = cassette(scratch.path(), &arguments, QUESTION);

    assert_eq!(
        (output.status.code(), &output.stdout[..]),
        (Some(3), ANSWER)
    );
    let verified = cassette(scratch.path(), &["verify", "new"], b"");
    assert_eq!(verified.status.code(), Some(0));
}

#[test]
fn a_supervised_command_that_cannot_be_started_is_told_as_any_other() {
    let scratch = tempfile::tempdir().unwrap();
    let run = |options: &[&str]| {
        let arguments = [&["record"], options, &["--", "/no/such/agent"]].concat();
        cassette(scratch.path(), &arguments, b"")
    };

    let (supervised, other) = (run(&["--supervised"]), run(&[]));

    assert_eq!(
        (supervised.status.code(), supervised.stderr),
        (other.status.code(), other.stderr)
    );
}

#[test]
fn nobody_survives_a_supervised_recording_that_is_killed() {
    let scratch = tempfile::tempdir().unwrap();
    let tag = format!("{VARIABLE}={}", std::process::id());
    let mut recording = Command::new(SELF)
        .current_dir(scratch.path())
        .args(["record", "--supervised", "-o", "new", "--"])
        .args(["/bin/sleep", "600"])
        .env(VARIABLE, std::process::id().to_string())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    // Recorder, supervisor, agent.
    while !tagged(&tag).iter().any(|name| name == "sleep") {
        assert!(began.elapsed() < PATIENCE, "{:?}", tagged(&tag));
    }
    let mut names = tagged(&tag);
    names.sort();
    assert_eq!(names, ["cassette", "sleep", "supervisor"]);

    recording.kill().unwrap();
    recording.wait().unwrap();

    let killed = Instant::now();
    while !tagged(&tag).is_empty() {
        assert!(killed.elapsed() < PATIENCE, "{:?} survive", tagged(&tag));
    }
}

/// The names of the processes with this in their environment.
pub(crate) fn tagged(tag: &str) -> Vec<String> {
    let has_tag = |environment: Vec<u8>| {
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| variable == tag.as_bytes())
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| fs::read(entry.path().join("environ")).is_ok_and(has_tag))
        .filter_map(|entry| fs::read_to_string(entry.path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .collect()
}
