//! `cassette replay` that is asked to end, as clients ask agents that do not end by
//! themselves.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use cassette_format::process::{ExitCode, Frame, Launch, LaunchSpec, SessionContext};
use cassette_record::{Clock, RecordOptions, Recorder, Tap};

use crate::cassettes::{self, ANSWER, OTHER_QUESTION, QUESTION};

const A_DAY: u64 = 86_400;

/// Writes a cassette of a question, its answer, and a day later `end`.
fn write(dir: &Path, end: impl FnOnce(&Tap)) {
    let seconds = Arc::new(AtomicU64::new(0));
    let now = Arc::clone(&seconds);
    let clock = Clock::from_fn(move || Duration::from_secs(now.load(Relaxed)));
    let options = RecordOptions {
        clock: Some(clock),
        ..RecordOptions::default()
    };
    let registry = provider_adapters::builtin();
    let recorder = Recorder::create(dir.join("tape"), registry, options).unwrap();
    let session = SessionContext::new("codex".parse().unwrap(), "s".parse().unwrap());
    let launch = Launch::for_session(LaunchSpec::new(["agent"]), session);
    let tap = recorder.tap(&launch).unwrap();
    tap.outbound(QUESTION).unwrap();
    tap.inbound(&Frame::stdout(ANSWER)).unwrap();
    seconds.store(A_DAY, Relaxed);
    end(&tap);
    let killed = Frame::exit(ExitCode::SIGNALED).with_message("signal: 15 (SIGTERM)");
    tap.inbound(&killed).unwrap();
    drop(tap);
    recorder.finish().unwrap();
}

/// A replay that has answered the question.
struct Replay {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Replay {
    fn start(dir: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cassette"));
        command.args(["replay", "tape"]).current_dir(dir);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(QUESTION).unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = Vec::new();
        output.read_until(b'\n', &mut line).unwrap();
        assert_eq!(line, ANSWER);
        Self { child, output }
    }

    fn terminate(&self) {
        let pid = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(asked.unwrap().success());
    }

    /// The rest of its output, what it complained of, its exit code.
    fn end(mut self) -> (String, String, Option<i32>) {
        let (mut rest, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut errors).unwrap();
        (rest, errors, self.child.wait().unwrap().code())
    }
}

#[test]
fn asked_to_end_a_replay_says_at_once_what_is_left_and_ends_as_recorded() {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path(), |tap| {
        tap.inbound(&Frame::stdout(b"{\"method\":\"bye\"}\n"))
            .unwrap();
    });
    let replay = Replay::start(scratch.path());
    replay.terminate();
    let bye = "{\"method\":\"bye\"}\n".to_owned();
    assert_eq!(replay.end(), (bye, String::new(), Some(143)));
}

#[test]
fn asked_to_end_before_everything_was_asked_a_replay_says_that_too_little_was() {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path(), |tap| tap.outbound(OTHER_QUESTION).unwrap());
    let replay = Replay::start(scratch.path());
    replay.terminate();
    let (rest, error, exit_code) = replay.end();
    assert_eq!((rest, exit_code), (String::new(), Some(120)));
    assert!(error.contains("after 2 of 4 chunks"), "{error}");
}

#[test]
fn what_a_client_writes_before_it_asks_a_replay_to_end_counts() {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path(), |tap| tap.outbound(OTHER_QUESTION).unwrap());
    let mut replay = Replay::start(scratch.path());
    let input = replay.child.stdin.as_mut().unwrap();
    input.write_all(OTHER_QUESTION).unwrap();
    replay.terminate();
    assert_eq!(replay.end(), (String::new(), String::new(), Some(143)));
}

#[test]
fn a_replay_that_was_asked_twice_to_end_is_reported_as_interrupted() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write_long(scratch.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_cassette"));
    command.args(["replay", "--report", "report", "agent.cassette"]);
    command.current_dir(scratch.path()).stderr(Stdio::null());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(QUESTION).unwrap();
    // It speaks, and cannot go on as nobody reads the rest.
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0]).unwrap();
    let pid = child.id().to_string();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let asked = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(asked.unwrap().success());
    };
    assert_eq!(status.code(), Some(130));
    let report = std::fs::read_to_string(scratch.path().join("report")).unwrap();
    assert!(report.contains(r#""verdict":"interrupted""#), "{report}");
}
