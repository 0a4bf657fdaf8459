//! The command under a limit of the size of files: that is a failed write, not the signal that
//! would end it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use cassette_format::schema::CassetteStatus;
use cassette_format::store::{Ending, ReadOptions, TapePrefix};

use crate::cassettes::{self, QUESTION, told};
use crate::homes;

/// Runs the command where files have at most 64 blocks; an agent that answers at length.
fn limited(scratch: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -f 64; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_cassette"))
        .args(arguments)
        .current_dir(scratch)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

#[test]
fn a_limit_of_the_size_of_files_fails_the_recording_and_the_agent_goes_on() {
    let scratch = tempfile::tempdir().unwrap();
    let (agent, answer) = cassettes::write_long(scratch.path());
    let agent = agent.to_str().unwrap();
    let cassette = env!("CARGO_BIN_EXE_cassette");
    let arguments = [
        "record",
        "-o",
        "new",
        "--",
        cassette,
        "replay",
        "--fast-forward",
        agent,
    ];

    let (code, answered, said) = told(&limited(scratch.path(), &arguments, QUESTION));

    // The agent's own code, and all that it said.
    assert_eq!(code, Some(3), "{said}");
    assert!(answered.as_bytes() == answer);
    assert!(said.contains("File too large"), "{said}");
    let new = scratch.path().join("new");
    let prefix = TapePrefix::open(new, &ReadOptions::default()).unwrap();
    assert_eq!(prefix.manifest().status, CassetteStatus::Incomplete);
    assert!(matches!(prefix.ending(), Ending::Whole));
    println!("faults: recording failed and said so, the agent ended with its own code");
}

#[test]
fn a_limit_of_the_size_of_files_fails_whatever_else_writes() {
    for arguments in [
        &["recover", "agent.cassette", "new"][..],
        &["redact", "--secret", "PATH", "agent.cassette", "new"],
    ] {
        let scratch = tempfile::tempdir().unwrap();
        cassettes::write_long(scratch.path());

        let (code, _, said) = told(&limited(scratch.path(), arguments, b""));

        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains("File too large"), "{said}");
        assert!(!scratch.path().join("new/manifest.json").exists());
    }
    let scratch = homes::source();
    let fork = scratch.path().join("one").join(homes::FORK);
    let record = "{\"ordinal\":4,\"type\":\"event_msg\",\"payload\":{}}\n";
    let mut file = fs::File::options().append(true).open(fork).unwrap();
    file.write_all(record.repeat(3000).as_bytes()).unwrap();

    let (code, _, said) = told(&limited(scratch.path(), &homes::BIND, b""));

    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("File too large"), "{said}");
    assert_eq!(homes::files(&scratch.path().join("two")), BTreeMap::new());
    println!("faults: recovering, redacting and binding failed and said so, nothing left");
}
