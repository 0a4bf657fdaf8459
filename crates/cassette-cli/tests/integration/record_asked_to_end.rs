//! `cassette record` that is asked to end: by Ctrl-C, by its client, by its terminal.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Instant;

use cassette_format::store::{ReadOptions, Tape};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::cassettes::conversation;
use crate::supervised::{PATIENCE, tagged};

const SELF: &str = env!("CARGO_BIN_EXE_cassette");

/// A recording of a command that says nothing on standard output.
struct Recording {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Recording {
    fn start(dir: &Path, options: &[&str], agent: &[&str]) -> Self {
        let mut child = command(dir, options, agent)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    /// Its exit code and the rest of what it complains of.
    fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

fn command(dir: &Path, options: &[&str], agent: &[&str]) -> Command {
    let mut command = Command::new(SELF);
    command
        .current_dir(dir)
        .args(["record", "--provider", "raw", "-o", "outer"])
        .args(options)
        .arg("--")
        .args(agent)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

fn signal(child: &Child, name: &str) {
    let asked = Command::new("kill")
        .args(["-s", name, &child.id().to_string()])
        .status();
    assert!(asked.unwrap().success());
}

/// What a cassette says of the end of its agent.
fn end_of(cassette: &Path) -> (Option<i64>, String) {
    let tape = Tape::open(cassette, &ReadOptions::default()).unwrap();
    let last = tape.chunks().last().unwrap();
    let message = last.message();
    (last.exit_code(), message)
}

/// The agent is a recording too: it catches these signals, and has an agent that does not.
#[test]
fn an_agent_is_asked_by_the_same_signal_and_its_last_words_and_its_end_are_recorded() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3)] {
        for options in [&[][..], &["--supervised"]] {
            let scratch = tempfile::tempdir().unwrap();
            let dir = scratch.path();
            let agent = [SELF, "record", "-o", "inner", "--", "/bin/sleep", "600"];
            let mut recording = Recording::start(dir, options, &agent);
            // From here on the inner one catches signals.
            let ready = recording.line();

            signal(&recording.child, name);

            let said = "cassette: recorded to inner\n";
            let complaints = format!("{said}cassette: recorded to outer\n");
            assert_eq!(recording.end(), (Some(128 + number), complaints));
            let (code, message) = end_of(&dir.join("inner"));
            assert_eq!(code, Some(-1));
            let signalled = format!("signal: {number} (SIG{name})");
            assert!(message.starts_with(&signalled), "{message}");
            let heard: Vec<u8> = conversation(&dir.join("outer"))
                .into_iter()
                .flat_map(|(_, data, _)| data)
                .collect();
            assert_eq!(String::from_utf8(heard).unwrap(), ready + said);
            let ended = (Some(i64::from(128 + number)), String::new());
            assert_eq!(end_of(&dir.join("outer")), ended);
        }
    }
}

#[test]
fn asked_again_it_kills_an_agent_that_goes_on_and_says_so_to_a_terminal() {
    let scratch = tempfile::tempdir().unwrap();
    let (terminal, of_child) = terminal();
    let variable = "CASSETTE_TEST_ASKED_AGAIN";
    let tag = std::process::id().to_string();
    let mut child = command(scratch.path(), &[], &["nohup", "/bin/sleep", "600"])
        .env(variable, &tag)
        .stderr(of_child)
        .spawn()
        .unwrap();
    let tag = format!("{variable}={tag}");
    let began = Instant::now();
    // It ignores SIGHUP by then.
    while !tagged(&tag).iter().any(|name| name == "sleep") {
        assert!(began.elapsed() < PATIENCE, "{:?}", tagged(&tag));
    }
    let mut told = BufReader::new(terminal).lines();

    signal(&child, "HUP");
    let first = told.next().unwrap().unwrap();
    signal(&child, "HUP");
    let last = told.next().unwrap().unwrap();

    assert_eq!(
        [first, last],
        [
            "cassette: asked the agent to end; again to kill it",
            "cassette: recorded to outer"
        ]
    );
    assert_eq!(child.wait().unwrap().code(), Some(137));
    let killed = (Some(-1), "signal: 9 (SIGKILL)".to_owned());
    assert_eq!(end_of(&scratch.path().join("outer")), killed);
}

/// A terminal, and the end of it that a process writes to.
fn terminal() -> (File, File) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let terminal = openpt(flags).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let of_child = File::options()
        .write(true)
        .custom_flags(rustix::fs::OFlags::NOCTTY.bits().cast_signed())
        .open(name.to_str().unwrap());
    (File::from(terminal), of_child.unwrap())
}
