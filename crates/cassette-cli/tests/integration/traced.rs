//! The command under `strace`, which kills it at a system call or has the call fail.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A command and what there is before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    /// Makes the scratch directory that it runs in.
    pub(crate) make: fn() -> TempDir,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) variables: &'static [(&'static str, &'static str)],
}

/// How many faults there were.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) tried: usize,
    /// At as many there could have been.
    pub(crate) all: usize,
}

impl Scene {
    /// Runs it; the tracer writes the calls to `log` and does what is asked.
    pub(crate) fn traced(&self, scratch: &Path, asked: &[&str]) -> Option<Output> {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "log"]).args(asked);
        command
            .arg(env!("CARGO_BIN_EXE_cassette"))
            .args(self.arguments);
        command.current_dir(scratch).stdin(Stdio::null());
        command.envs(self.variables.iter().copied());
        // Where a test runner has the loader look for libraries is no part of this.
        command.env_remove("LD_LIBRARY_PATH");
        command.output().ok()
    }

    /// How often each call is made, where there is a tracer that may trace; elsewhere that
    /// is told.
    pub(crate) fn calls(&self) -> Option<BTreeMap<String, usize>> {
        let scratch = (self.make)();
        let output = self.traced(scratch.path(), &[]);
        if !output.is_some_and(|output| output.status.success()) {
            println!("faults: skipped: there is no strace, or it may not trace");
            return None;
        }
        let log = fs::read_to_string(scratch.path().join("log")).unwrap();
        let mut calls = BTreeMap::new();
        for line in log.lines() {
            let call = line.split_once(' ').unwrap().1.trim_start();
            if let Some((name, _)) = call.split_once('(') {
                *calls.entry(name.to_owned()).or_insert(0) += 1;
            }
        }
        Some(calls)
    }
}

/// Does each of `asked` at each of the calls that are `wanted`. `before` looks at the scratch
/// directory before each run, `after` at what came of it.
pub(crate) fn at_each<T>(
    scenes: &[Scene],
    (asked, wanted): (&[&str], impl Fn(&str) -> bool),
    before: impl Fn(&Path) -> T,
    mut after: impl FnMut(T, (&Path, &Output), &str),
) -> Option<Account> {
    let mut points = Vec::new();
    for scene in scenes {
        let calls = scene.calls()?.into_iter();
        for (call, count) in calls.filter(|(call, _)| wanted(call)) {
            let faults = (1..=count).flat_map(|at| asked.iter().map(move |fault| (at, *fault)));
            points.extend(faults.map(|(at, fault)| (scene, call.clone(), at, fault)));
        }
    }
    let all = points.len();
    let points = spread(points);
    for (scene, call, at, fault) in &points {
        let when = format!("{}, {call} {at}, {fault}", scene.name);
        let scratch = (scene.make)();
        let seen = before(scratch.path());
        let fault = format!("inject={call}:{fault}:when={at}");
        let output = scene.traced(scratch.path(), &["-e", &fault]).unwrap();
        after(seen, (scratch.path(), &output), &when);
    }
    Some(Account {
        tried: points.len(),
        all,
    })
}

/// Whether every call is asked for: `FAULT_ROUNDS` says at how many points at most.
pub(crate) fn is_in_full() -> bool {
    std::env::var_os("FAULT_ROUNDS").is_some()
}

/// As many of the points as are asked for, evenly spread.
fn spread<T>(points: Vec<T>) -> Vec<T> {
    let asked = std::env::var("FAULT_ROUNDS").ok();
    let wanted = asked.map_or(u64::MAX, |asked| asked.parse().unwrap());
    let all = points.len() as u64;
    if wanted >= all {
        return points;
    }
    let is_wanted = |number: u64| number * wanted / all != (number + 1) * wanted / all;
    let numbered = (0..).zip(points);
    let chosen = numbered.filter(|(number, _)| is_wanted(*number));
    chosen.map(|(_, point)| point).collect()
}
