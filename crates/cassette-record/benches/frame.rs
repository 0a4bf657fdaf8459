//! What recording a frame costs beside the least that it can: base64, SHA-256 and one
//! write of the same bytes, by turns and in CPU time of the thread.
//!
//! `cargo bench -p cassette-record --bench frame`. Projection is on and five secrets
//! are looked for; every tenth message names a path. Linux only.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints figures and may end"
)]

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, Registry};
use cassette_format::process::{Frame, Inheritance, Launch, LaunchSpec, SessionContext};
use cassette_record::{Clock, RecordOptions, Recorder, Tap};
use sha2::{Digest, Sha256};

const PAIRS: usize = 21;
const BYTES_A_ROUND: usize = 3_000_000;

fn main() {
    println!(
        "{:<24} {:>12} {:>12} {:>7} {:>7} {:>7}",
        "payload", "least [us]", "ours [us]", "min", "median", "max"
    );
    for size in [60, 600, 6_000, 600_000] {
        for (name, pieces) in [("whole", 1), ("in three pieces", 3)] {
            let (least, ours) = measure(size, pieces);
            report(&format!("{size} B, {name}"), &least, &ours);
        }
    }
    endless();
}

/// CPU microseconds a message of both.
fn measure(size: usize, pieces: usize) -> (Vec<f64>, Vec<f64>) {
    let messages = messages(size);
    let (mut least, mut ours) = (Vec::new(), Vec::new());
    for pair in 0..=PAIRS {
        let scratch = tempfile::tempdir().unwrap();
        let least_took = cpu(|| write_least(scratch.path(), &messages, pieces));
        let tap = tap(&scratch.path().join("tape"));
        let ours_took = cpu(|| record(&tap, &messages, pieces));
        if pair > 0 {
            least.push(least_took / messages.len() as f64);
            ours.push(ours_took / messages.len() as f64);
        }
    }
    (least, ours)
}

fn record(tap: &Tap, messages: &[Vec<u8>], pieces: usize) {
    for message in messages {
        for piece in message.chunks(message.len().div_ceil(pieces)) {
            tap.inbound(&Frame::stdout(piece)).unwrap();
        }
    }
}

fn write_least(dir: &Path, messages: &[Vec<u8>], pieces: usize) {
    let mut file = File::create(dir.join("least")).unwrap();
    let mut hash = Sha256::new();
    let mut line = String::new();
    for message in messages {
        for piece in message.chunks(message.len().div_ceil(pieces)) {
            line.clear();
            STANDARD.encode_string(piece, &mut line);
            line.push('\n');
            hash.update(line.as_bytes());
            file.write_all(line.as_bytes()).unwrap();
        }
    }
    assert_ne!(hash.finalize()[..], [0; 32]);
}

/// Time for a line that comes in ever more pieces and does not end: must grow as they do.
fn endless() {
    for pieces in [10_000, 40_000] {
        let scratch = tempfile::tempdir().unwrap();
        let tap = tap(&scratch.path().join("tape"));
        let took = cpu(|| {
            for _ in 0..pieces {
                tap.inbound(&Frame::stdout(vec![b'x'; 100])).unwrap();
            }
        });
        let each = took / f64::from(pieces);
        println!("a line of {pieces} pieces that does not end: {each:.3} us a piece");
    }
}

fn tap(dir: &Path) -> Tap {
    let options = RecordOptions {
        clock: Some(Clock::from_fn(|| Duration::from_millis(1234))),
        ..RecordOptions::default()
    };
    let recorder = Recorder::create(dir, registry(), options).unwrap();
    let session = SessionContext::new("codex".parse().unwrap(), "session-1".parse().unwrap());
    let mut spec = LaunchSpec::new(["codex"])
        .in_directory("/home/ada/work")
        .with_variable("HOME", "/home/ada");
    spec.inheritance = Inheritance::Clear;
    for (name, value) in ["A", "B", "C", "D", "E"].into_iter().zip(1..) {
        spec = spec.with_variable(
            format!("{name}_API_KEY"),
            format!("sk-{value}f9a7b3c1d5e8f0a2b4c6d8e0f1a3b5c7"),
        );
    }
    recorder.tap(&Launch::for_session(spec, session)).unwrap()
}

fn registry() -> Registry {
    let mut codex = Descriptor::new(
        "codex".parse().unwrap(),
        "local:codex".parse().unwrap(),
        MessageFraming::Lines,
        Dialect::JsonRpc,
    );
    codex.credential_methods = vec!["account/login/start".into(), "account/logout".into()];
    let mut registry = Registry::new();
    registry.register(codex).unwrap();
    registry
}

/// Notifications of about this size, every tenth with a path.
fn messages(size: usize) -> Vec<Vec<u8>> {
    let count = (BYTES_A_ROUND / size).max(5);
    let message = |number: usize| {
        let path = if number.is_multiple_of(10) {
            ",\"path\":\"/home/ada/work/src/main.rs\""
        } else {
            ""
        };
        let head =
            format!("{{\"method\":\"item/delta\",\"params\":{{\"n\":{number}{path},\"delta\":\"");
        let text = "some words of an agent, \\\"quoted\\\" and not. ".repeat(size / 40 + 1);
        let room = size.saturating_sub(head.len() + 4).max(1);
        let mut text: String = text.chars().take(room).collect();
        while text.ends_with('\\') {
            text.pop();
        }
        format!("{head}{text}\"}}}}\n").into_bytes()
    };
    (0..count).map(message).collect()
}

/// Microseconds of this thread's processor time.
fn cpu(work: impl FnOnce()) -> f64 {
    let now = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
    };
    let start = now();
    work();
    now() - start
}

fn report(what: &str, least: &[f64], ours: &[f64]) {
    let mut ratios: Vec<f64> = ours
        .iter()
        .zip(least)
        .map(|(ours, least)| ours / least)
        .collect();
    ratios.sort_by(f64::total_cmp);
    let median = |figures: &[f64]| {
        let mut figures = figures.to_vec();
        figures.sort_by(f64::total_cmp);
        figures[PAIRS / 2]
    };
    println!(
        "{what:<24} {:>12.2} {:>12.2} {:>7.2} {:>7.2} {:>7.2}",
        median(least),
        median(ours),
        ratios[0],
        ratios[PAIRS / 2],
        ratios[PAIRS - 1],
    );
}
