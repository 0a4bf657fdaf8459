//! One run of one test binary, with a limit, its output in a file.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::descendants::kill_tree;
use super::outcome::Outcome;
use super::scenario::Scenario;

/// How often a running test is looked at.
const GLANCE: Duration = Duration::from_millis(20);
/// Lines of a failed test that are shown.
const SHOWN: usize = 30;

/// What came of a scenario.
#[derive(Debug)]
pub(crate) struct Trial {
    /// Which it was.
    pub(crate) name: &'static str,
    /// What its test was told.
    pub(crate) rounds: u64,
    /// How long it took.
    pub(crate) took: Duration,
    /// What came of it.
    pub(crate) outcome: Outcome,
    /// The end of what a failed test printed.
    pub(crate) printed: String,
}

/// Where and how long a test runs.
#[derive(Debug)]
pub(crate) struct Bounds<'a> {
    /// The test binary.
    pub(crate) binary: &'a Path,
    /// The folder of its package, as Cargo would run it there.
    pub(crate) folder: &'a Path,
    /// Gets what it prints.
    pub(crate) log: &'a Path,
    /// A test that takes longer is killed with all that it started.
    pub(crate) limit: Duration,
}

/// Runs the scenario's test.
pub(crate) fn run(scenario: &Scenario, rounds: u64, bounds: &Bounds<'_>) -> anyhow::Result<Trial> {
    let log = File::create(bounds.log)
        .with_context(|| format!("cannot create {}", bounds.log.display()))?;
    let started = Instant::now();
    let mut command = Command::new(bounds.binary);
    command
        .args(["--exact", scenario.test, "--nocapture"])
        .args(["--test-threads", "1"])
        .env("FAULT_ROUNDS", rounds.to_string())
        .current_dir(bounds.folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    let ended = end(&mut command, bounds.limit)?;
    let took = started.elapsed();
    let printed = String::from_utf8_lossy(&fs::read(bounds.log)?).into_owned();
    let outcome = match ended {
        Some(status) => Outcome::of(&printed, status.success()),
        None => Outcome::Failed(format!("killed after {} s", bounds.limit.as_secs())),
    };
    let lines: Vec<&str> = printed.lines().collect();
    Ok(Trial {
        name: scenario.name,
        rounds,
        took,
        outcome,
        printed: lines[lines.len().saturating_sub(SHOWN)..].join("\n"),
    })
}

/// How the command ended, unless it took too long.
fn end(command: &mut Command, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
    let started = Instant::now();
    let mut child = command.spawn().context("cannot start a test binary")?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > limit {
            kill_tree(&mut child)?;
            return Ok(None);
        }
        thread::sleep(GLANCE);
    }
}
