//! Many bytes one way: time, processor time and memory of what stands between.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::agent::{BLOCK, blocks, hex};
use crate::launched::{Between, Launched, launch};
use crate::sys::Taken;

const ROUNDS: usize = 3;
const VARIANTS: [Between; 4] = [
    Between::Threads,
    Between::Tasks,
    Between::Recorder("codex"),
    Between::Recorder("raw"),
];
/// What a recording has room for.
const RECORDED: usize = 200;

/// Which way the bytes go.
#[derive(Debug, Clone, Copy)]
enum Way {
    ToClient,
    ToAgent,
}

/// One measurement.
#[derive(Debug)]
struct Passed {
    /// Until the last byte was there.
    bytes: Duration,
    /// From there until the process had ended.
    end: Duration,
    taken: Taken,
    /// What the recorder said last.
    said: String,
}

/// Measures both ways, and `megabytes` to the client, and prints a table.
pub(crate) fn measure(megabytes: usize) {
    println!(
        "{:<20} {:<14} {:>10} {:>8} {:>9} {:>10} {:>10}",
        "bytes", "between", "wall [ms]", "x tokio", "cpu [ms]", "peak [kB]", "end [ms]"
    );
    row(Way::ToClient, RECORDED);
    row(Way::ToAgent, RECORDED);
    row(Way::ToClient, megabytes);
}

fn row(way: Way, megabytes: usize) {
    let bytes = megabytes * 1_000_000;
    let expected = blocks(bytes).fold(Sha256::new(), |hash, block| hash.chain_update(block));
    let expected = hex(expected);
    let mut passed = [const { Vec::new() }; VARIANTS.len()];
    for round in 0..ROUNDS {
        for turn in 0..VARIANTS.len() {
            let which = (turn + round) % VARIANTS.len();
            passed[which].push(pass(way, VARIANTS[which], (bytes, &expected)));
        }
    }
    let tasks = wall(&passed[1]);
    for (between, passed) in VARIANTS.into_iter().zip(&passed) {
        let last = &passed[ROUNDS - 1];
        println!(
            "{:<20} {:<14} {:>10.0} {:>8.2} {:>9.0} {:>10} {:>10.0}  {}",
            format!("{megabytes} MB {way:?}"),
            between.name(),
            wall(passed),
            wall(passed) / tasks,
            median(passed, |passed| passed.taken.cpu),
            passed
                .iter()
                .map(|passed| passed.taken.peak)
                .max()
                .unwrap_or(0),
            median(passed, |passed| passed.end),
            last.said,
        );
    }
}

fn pass(way: Way, between: Between, (bytes, expected): (usize, &str)) -> Passed {
    let scratch = tempfile::tempdir().unwrap();
    let text = bytes.to_string();
    let agent: &[&str] = match way {
        Way::ToClient => &["burst", &text],
        Way::ToAgent => &["sink"],
    };
    let launched = launch(between, agent, scratch.path());
    let process = launched.child.id();
    let has_ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watched = scope.spawn(|| watch(process, &has_ended));
        let (bytes, end) = match way {
            Way::ToClient => receive(launched, (bytes, expected)),
            Way::ToAgent => send(launched, (bytes, expected)),
        };
        has_ended.store(true, Ordering::SeqCst);
        Passed {
            bytes,
            end,
            taken: watched.join().unwrap(),
            said: last_line(&scratch.path().join("stderr")),
        }
    })
}

/// What the process had taken when it was last seen.
fn watch(process: u32, has_ended: &AtomicBool) -> Taken {
    let mut taken = Taken::default();
    while !has_ended.load(Ordering::SeqCst) {
        taken = Taken::by(process).unwrap_or(taken);
        std::thread::sleep(Duration::from_millis(10));
    }
    taken
}

fn receive(mut launched: Launched, (bytes, expected): (usize, &str)) -> (Duration, Duration) {
    let start = Instant::now();
    let mut hash = Sha256::new();
    let mut buffer = vec![0; BLOCK];
    let mut left = bytes;
    while left > 0 {
        let count = launched.output.read(&mut buffer).unwrap();
        assert_ne!(count, 0, "the agent has ended");
        left -= count;
        hash.update(&buffer[..count]);
    }
    let passed = start.elapsed();
    assert_eq!(hex(hash), expected);
    (passed, end(launched))
}

fn send(mut launched: Launched, (bytes, expected): (usize, &str)) -> (Duration, Duration) {
    let start = Instant::now();
    for block in blocks(bytes) {
        launched.input.write_all(&block).unwrap();
    }
    let Launched {
        child,
        input,
        mut output,
    } = launched;
    drop(input);
    let mut digest = String::new();
    BufReader::new(&mut output).read_line(&mut digest).unwrap();
    let passed = start.elapsed();
    assert_eq!(digest.trim_end(), expected);
    let closed = Instant::now();
    wait(child, output);
    (passed, closed.elapsed())
}

/// Ends the input of an agent that waits for it; how long it takes to end.
fn end(launched: Launched) -> Duration {
    let start = Instant::now();
    drop(launched.input);
    wait(launched.child, launched.output);
    start.elapsed()
}

fn wait(mut child: Child, mut output: ChildStdout) {
    let mut rest = Vec::new();
    output.read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty());
    assert!(child.wait().unwrap().success());
}

fn last_line(path: &Path) -> String {
    let said = std::fs::read_to_string(path).unwrap();
    said.lines().last().unwrap_or_default().to_owned()
}

/// Milliseconds until the last byte was there.
fn wall(passed: &[Passed]) -> f64 {
    median(passed, |passed| passed.bytes)
}

fn median(passed: &[Passed], figure: fn(&Passed) -> Duration) -> f64 {
    let mut figures: Vec<Duration> = passed.iter().map(figure).collect();
    figures.sort();
    figures[figures.len() / 2].as_secs_f64() * 1e3
}
