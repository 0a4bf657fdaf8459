//! A recording process that is killed: at any moment, and at every system call of its
//! end.
//!
//! The test binary starts itself again as the process that records ([`recording`]);
//! `CRASH_ROUNDS` asks for more rounds.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use cassette_format::process::Frame;
use cassette_format::schema::CassetteStatus;
use cassette_format::store::{Ending, ReadOptions, Tape, TapePrefix};
use cassette_record::{RecordOptions, Recorder, RecoverMode, recover};

use crate::live::{launch, registry};

/// Where the process that records finds its directory; it does nothing without.
const DIRECTORY: &str = "CASSETTE_CRASH_DIRECTORY";
/// Frames after which it finishes; it goes on for ever without.
const FRAMES: &str = "CASSETTE_CRASH_FRAMES";

/// A message as it is sent, and as it stands on the tape.
fn message(number: usize) -> (String, String) {
    let of = |directory| format!("{{\"n\":{number},\"path\":\"{directory}/a\"}}\n");
    (of("/work"), of("${SESSION_CWD:session-1:1}"))
}

/// The process that records: says the number of each frame that was released.
#[test]
fn recording() {
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let frames = std::env::var(FRAMES)
        .ok()
        .and_then(|text| text.parse().ok());
    let recorder = Recorder::create(directory, registry(), RecordOptions::default()).unwrap();
    let tap = recorder.tap(&launch("session-1")).unwrap();
    let mut released = std::io::stderr();
    for number in 0..frames.unwrap_or(usize::MAX) {
        let (sent, _) = message(number);
        // Cut, so that there is something unfinished at any time.
        let (half, rest) = sent.split_at(sent.len() / 2);
        tap.inbound(&Frame::stdout(half)).unwrap();
        tap.inbound(&Frame::stdout(rest)).unwrap();
        writeln!(released, "released {number}").unwrap();
    }
    drop(tap);
    recorder.finish().unwrap();
}

fn command(directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "crash::recording", "--nocapture"])
        .env(DIRECTORY, directory);
    command
}

fn start(directory: &Path) -> Child {
    let mut command = command(directory);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// What is on disk is sound, holds all that was released and nothing unprojected.
fn check(directory: &Path, released: usize) {
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
}

#[test]
fn a_recorder_that_is_killed_at_any_moment_loses_no_released_frame() {
    let rounds = std::env::var("CRASH_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let rounds: u64 = rounds.unwrap_or(40);
    let mut most = 0;
    for round in 0..rounds {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("tape");
        let mut child = start(&directory);
        let said = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut released = 0;
        let mut said = said.map_while(Result::ok);
        // From the first frame on, at moments that spread over some milliseconds.
        assert_eq!(said.next().as_deref(), Some("released 0"));
        std::thread::sleep(Duration::from_micros(round * 37 % 5_000));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in said {
            // The last one may be cut off.
            if let Some(number) = line
                .strip_prefix("released ")
                .and_then(|it| it.parse().ok())
            {
                released = released.max(number);
            }
        }
        check(&directory, released);
        most = most.max(released);
    }
    println!("{rounds} kills, up to {most} frames released, none lost");
}

/// System calls by which a recording reaches the disk.
const CALLS: [&str; 9] = [
    "openat",
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat2",
    "close",
    "ftruncate",
    "unlink",
];

/// Records three frames and finishes, under `strace` with these arguments.
fn under_strace(directory: &Path, arguments: &[&str]) -> ExitStatus {
    let plain = command(directory);
    Command::new("strace")
        .arg("-f")
        .args(arguments)
        .arg(plain.get_program())
        .args(plain.get_args())
        .env(DIRECTORY, directory)
        .env(FRAMES, "3")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
}

/// How often a run makes this call.
fn count(call: &str) -> usize {
    let scratch = tempfile::tempdir().unwrap();
    let log = scratch.path().join("log");
    let trace = format!("trace={call}");
    let arguments = ["-e", &trace, "-o", log.to_str().unwrap()];
    assert!(under_strace(&scratch.path().join("tape"), &arguments).success());
    let log = std::fs::read_to_string(log).unwrap();
    log.lines()
        .filter(|line| line.contains(&format!("{call}(")))
        .count()
}

/// Has the fault happen at every call of a run, and looks at what is on disk each time.
/// Gives how many points that were.
fn at_every_call(faults: &[&str]) -> Option<usize> {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("SKIPPED: no strace here");
        return None;
    }
    let mut points = 0;
    for (call, fault) in CALLS
        .iter()
        .flat_map(|call| faults.iter().map(move |it| (call, it)))
    {
        for number in 1..=count(call) {
            let scratch = tempfile::tempdir().unwrap();
            let directory = scratch.path().join("tape");
            let (trace, inject) = (
                format!("trace={call}"),
                format!("inject={call}:{fault}:when={number}"),
            );
            let arguments = ["-o", "/dev/null", "-e", &trace, "-e", &inject];
            let ended = under_strace(&directory, &arguments);
            points += 1;
            if !directory.join("manifest.json").exists() {
                // There was no cassette yet.
                assert!(!ended.success(), "{call} {fault} {number}");
                continue;
            }
            let prefix = TapePrefix::open(&directory, &ReadOptions::default()).unwrap();
            let complete = prefix.manifest().status == CassetteStatus::Complete;
            if complete {
                Tape::open(&directory, &ReadOptions::default()).unwrap();
            }
            check(&directory, 0);
            assert!(complete || !ended.success(), "{call} {fault} {number}");
        }
    }
    Some(points)
}

#[test]
fn a_recorder_that_is_killed_at_any_system_call_leaves_a_whole_manifest() {
    if let Some(points) = at_every_call(&["signal=SIGKILL"]) {
        println!("killed at {points} system calls, the manifest whole each time");
    }
}

#[test]
fn an_error_at_any_system_call_leaves_no_false_complete_and_no_spliced_line() {
    if let Some(points) = at_every_call(&["error=ENOSPC", "error=EIO"]) {
        println!("failed at {points} system calls, the frames sound each time");
    }
}
