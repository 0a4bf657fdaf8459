//! A recording process that is killed at any moment, and one whose disk loses frames. At
//! every system call it is killed in `tests/faults` of the workspace.
//!
//! The test binary starts itself again as the process that records ([`recording`]);
//! `FAULT_ROUNDS` says how many kills.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use cassette_format::process::Frame;
use cassette_format::schema::CassetteStatus;
use cassette_format::store::{Ending, ReadOptions, Tape, TapePrefix};
use cassette_record::{FinishError, RecordOptions, Recorder, RecoverMode, recover};

use crate::live::{launch, registry};
use crate::rounds::rounds;

/// Where the process that records finds its directory; it does nothing without.
const DIRECTORY: &str = "CASSETTE_CRASH_DIRECTORY";

/// A message as it is sent, and as it stands on the tape.
fn message(number: usize) -> (String, String) {
    let of = |directory| format!("{{\"n\":{number},\"path\":\"{directory}/a\"}}\n");
    (of("/work"), of("${SESSION_CWD:session-1:1}"))
}

/// The process that records: says how many messages were released, after each.
#[test]
fn recording() {
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let recorder = Recorder::create(directory, registry(), RecordOptions::default()).unwrap();
    let tap = recorder.tap(&launch("session-1")).unwrap();
    let mut released = std::io::stderr();
    for number in 0.. {
        let (sent, _) = message(number);
        // Cut, so that there is something unfinished at any time.
        let (half, rest) = sent.split_at(sent.len() / 2);
        tap.inbound(&Frame::stdout(half)).unwrap();
        tap.inbound(&Frame::stdout(rest)).unwrap();
        writeln!(released, "released {}", number + 1).unwrap();
    }
}

/// How many messages were released, by what the process said. The last line may be cut
/// off, which says no more than is true.
fn most_released(said: &str) -> usize {
    let numbers = said.lines().filter_map(|line| {
        let number = line.strip_prefix("released ")?;
        number.parse().ok()
    });
    numbers.max().unwrap_or(0)
}

fn command(directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "crash::recording", "--nocapture"])
        .arg("--test-threads=1")
        .env(DIRECTORY, directory);
    command
}

fn start(directory: &Path) -> Child {
    let mut command = command(directory);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// What is on disk is sound, holds all that was released and nothing unprojected. Gives how
/// it ends.
fn check(directory: &Path, released: usize) -> Ending {
    let frames = std::fs::read(directory.join("frames.jsonl")).unwrap();
    let prefix = TapePrefix::open(directory, &ReadOptions::default()).unwrap();
    assert!(
        !matches!(prefix.ending(), Ending::Bad { .. }),
        "{:?}",
        prefix.ending()
    );
    let text: Vec<u8> = prefix
        .chunks()
        .flat_map(|chunk| chunk.data().unwrap())
        .collect();
    let text = String::from_utf8(text).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert!(
        lines.len() >= released,
        "{} of {released} frames",
        lines.len()
    );
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(*line, message(number).1);
    }
    assert!(memchr::memmem::find(&frames, b"/work").is_none());

    let recovered = directory.with_extension("recovered");
    let report = recover(
        directory,
        &recovered,
        RecoverMode::Tail,
        &ReadOptions::default(),
    );
    assert!(report.unwrap().kept_frames as usize >= 2 * released);
    Tape::open(&recovered, &ReadOptions::default()).unwrap();
    prefix.split_ending().1
}

#[test]
fn a_recorder_that_is_killed_at_any_moment_loses_no_released_frame() {
    let rounds = rounds(40);
    let (mut all, mut torn) = (0, 0);
    for round in 0..rounds {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("tape");
        let mut child = start(&directory);
        let mut says = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        // From the first frame on, at moments that spread over some milliseconds.
        says.read_line(&mut said).unwrap();
        assert_eq!(said, "released 1\n");
        std::thread::sleep(Duration::from_micros(round * 37 % 5_000));
        child.kill().unwrap();
        child.wait().unwrap();
        says.read_to_string(&mut said).unwrap();
        let released = most_released(&said);
        torn += u64::from(matches!(check(&directory, released), Ending::Torn { .. }));
        all += released;
    }
    println!("faults: {rounds} kills, {all} messages released, 0 lost, {torn} torn tails");
}

/// Has a test of this file work in `tape` below `scratch`, under `strace` with these
/// arguments. It logs each call with the paths of its files.
fn under_strace(scratch: &Path, test: &str, arguments: &[&str]) -> ExitStatus {
    let ended = Command::new("strace")
        .args(["-f", "-y", "-o"])
        .arg(scratch.join("log"))
        .args(arguments)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(DIRECTORY, scratch.join("tape"))
        .stdout(Stdio::null())
        .status();
    ended.unwrap()
}

fn logged(scratch: &Path, call: &str) -> Vec<String> {
    let log = std::fs::read_to_string(scratch.join("log")).unwrap();
    let calls = log
        .lines()
        .filter(|line| line.contains(&format!("{call}(")));
    calls.map(str::to_owned).collect()
}

/// The process whose disk loses the frames.
#[test]
fn finishing_again_and_again() {
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let recorder = Recorder::create(directory, registry(), RecordOptions::default()).unwrap();
    let tap = recorder.tap(&launch("session-1")).unwrap();
    tap.inbound(&Frame::stdout(message(0).0)).unwrap();
    drop(tap);
    let synced = recorder.finish();
    assert!(
        matches!(synced, Err(FinishError::Sync { .. })),
        "{synced:?}"
    );
    for _ in 0..2 {
        let again = recorder.finish();
        assert!(matches!(again, Err(FinishError::Failed(_))), "{again:?}");
    }
    assert!(recorder.tap(&launch("session-1")).is_err());
    recorder.abort().unwrap();
    assert_eq!(recorder.finish().unwrap(), CassetteStatus::Incomplete);
}

/// Asked again, the operating system says that all is well.
#[test]
fn frames_that_could_not_be_synced_once_are_never_complete() {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("faults: skipped: no strace here");
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path().join("tape");
    let frames = directory.join("frames.jsonl");
    // The first of this file alone.
    let arguments = [
        "-P",
        frames.to_str().unwrap(),
        "-e",
        "trace=fsync",
        "-e",
        "inject=fsync:error=EIO:when=1",
    ];

    let ended = under_strace(
        scratch.path(),
        "crash::finishing_again_and_again",
        &arguments,
    );

    assert!(ended.success());
    let synced = logged(scratch.path(), "fsync");
    assert_eq!(synced.len(), 2, "{synced:?}");
    assert!(synced[0].contains("EIO") && synced[1].contains("= 0"));
    let prefix = TapePrefix::open(&directory, &ReadOptions::default()).unwrap();
    let status = &prefix.manifest().status;
    assert_eq!((status, prefix.len()), (&CassetteStatus::Incomplete, 1));
}
