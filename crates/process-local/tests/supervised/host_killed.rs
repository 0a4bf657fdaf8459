//! The host is killed: nothing of any agent survives.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::verified::program::Stage;

/// Names the descendants of a host, which inherit it.
const VARIABLE: &str = "PROCESS_LOCAL_TEST";
/// Longer than anything here takes; only a survivor reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A name, and the arguments of an agent that says `ready` at last.
const AGENTS: [(&str, &str); 10] = [
    ("ignores its input", "say ready sleep"),
    ("ignores SIGTERM", "ignore-term say ready sleep"),
    ("is stopped", "say ready stop"),
    (
        "has a child",
        "hold-pipes ignore-term sleep ; say ready sleep",
    ),
    (
        "has a child in a session of its own",
        "chain 1 say ready sleep",
    ),
    (
        "has a daemon",
        "daemonise ignore-term sleep ; say ready sleep",
    ),
    (
        "has descendants that flee",
        "daemonise flee 20000 ; daemonise flee 20000 ; daemonise flee 20000 ; say ready sleep",
    ),
    (
        "has a long chain of sessions",
        "chain 30 daemonise sleep ; ignore-term say ready sleep",
    ),
    (
        "has its pipes held by a daemon's brother",
        "hold-input hold-pipes ignore-term sleep ; daemonise sleep ; say ready sleep",
    ),
    (
        "left its group",
        "join-parents-group hold-pipes sleep ; ignore-term say ready sleep",
    ),
];

/// How often each is tried: 2, or as the environment says.
fn rounds() -> usize {
    let rounds = std::env::var("FAULT_ROUNDS").ok();
    rounds.map_or(2, |rounds| rounds.parse().unwrap())
}

#[test]
fn a_host_that_is_killed_leaves_nobody() {
    let mut of_all = Duration::ZERO;
    for (name, arguments) in AGENTS {
        let mut longest = Duration::ZERO;
        for round in 0..rounds() {
            let tag = format!("{VARIABLE}={}-{round}-{name}", std::process::id());
            let arguments = arguments.split(' ');
            let arguments = [crate::HOST, "killed"].into_iter().chain(arguments);
            longest = longest.max(kill_host_of(arguments, &tag));
        }
        println!("{:<42} {:>3} rounds, at most {longest:.1?}", name, rounds());
        of_all = of_all.max(longest);
    }
    let kills = rounds() * AGENTS.len();
    println!("faults: {kills} hosts killed, 0 survivors, all gone after at most {of_all:.1?}");
}

#[test]
fn a_host_that_is_killed_leaves_no_verified_process() {
    let agent = [
        env!("CARGO_BIN_EXE_fake-agent"),
        "ignore-term",
        "say",
        "ready",
        "sleep",
    ];
    for round in 0..rounds() {
        let tag = format!("{VARIABLE}={}-{round}-verified", std::process::id());
        kill_host_of([crate::VERIFYING_HOST].into_iter().chain(agent), &tag);
    }
    println!("faults: {} hosts killed, 0 survivors", rounds());
}

/// The order to a supervisor holds the lease, so that nobody writes to the file before the
/// supervisor has executed it or knows better.
#[test]
fn a_killed_host_leaves_its_lease_to_the_supervisor() {
    let stage = Stage::new();
    let tag = format!("{VARIABLE}={}-leased", std::process::id());
    let (variable, value) = tag.split_once('=').unwrap();
    let mut host = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
        .args(["supervised-leased".as_ref(), stage.file.as_path()])
        .env(variable, value)
        .env("HESITANT", stage.scratch.path())
        .current_dir(stage.scratch.path())
        .spawn()
        .unwrap();
    while !stage.scratch.path().join("hesitates").exists() {
        assert!(host.try_wait().unwrap().is_none(), "the host has ended");
    }
    let write = || {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK;
        rustix::fs::open(&stage.file, flags, Mode::empty()).map(drop)
    };

    host.kill().unwrap();
    host.wait().unwrap();
    let written = write();
    fs::write(stage.scratch.path().join("go-on"), "").unwrap();
    while !tagged(&tag).is_empty() {}

    assert_eq!((written, write()), (Err(Errno::AGAIN), Ok(())));
    assert!(!stage.has_run("good"));
}

/// How long it takes until nobody is left.
fn kill_host_of(arguments: impl Iterator<Item = &'static str>, tag: &str) -> Duration {
    let (variable, value) = tag.split_once('=').unwrap();
    let mut host = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
        .args(arguments)
        .env(variable, value)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(host.stdout.take().unwrap()).lines();
    while lines.next().unwrap().unwrap() != "ready" {}
    // Host, supervisor and agent at least.
    assert!(tagged(tag).len() >= 3, "{:?}", tagged(tag));

    let killed = Instant::now();
    host.kill().unwrap();
    host.wait().unwrap();
    while !tagged(tag).is_empty() {
        assert!(killed.elapsed() < PATIENCE, "{:?} survive", tagged(tag));
    }
    killed.elapsed()
}

/// The processes with this in their environment. Of one that is about to start its program
/// the environment is that of its parent.
fn tagged(tag: &str) -> Vec<String> {
    let has_tag = |environment: Vec<u8>| {
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| variable == tag.as_bytes())
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| fs::read(entry.path().join("environ")).is_ok_and(has_tag))
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}
