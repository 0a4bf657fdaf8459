//! Nanoseconds of a processor a byte of inspecting a transcript, beside reading and hashing the
//! same file: inspecting does that too, and the rest is what looking at its
//! records takes.
//!
//! `cargo bench -p fork-state --bench inspect`. `CASSETTE_TRANSCRIPT` names a
//! rollout to be measured too. The two are measured by turns, so that a slow
//! spell of the machine meets both.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Read;
use std::path::{Path, PathBuf};

use cassette_format::descriptor::TranscriptLayout;
use fork_state::{Limits, inspect};
use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest, Sha256};

const ROUNDS: usize = 15;
const FILE_BYTES: usize = 16 << 20;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    println!(
        "{:<28} {:>9} {:>8} {:>8} {:>8} {:>8}",
        "transcript", "bytes", "inspect", "sha256", "records", "ratio"
    );
    for (name, record) in records() {
        let path = folder.path().join("rollout.jsonl");
        fs::write(&path, transcript(&record)).unwrap();
        measure(&name, &path);
    }
    if let Some(path) = std::env::var_os("CASSETTE_TRANSCRIPT") {
        measure("CASSETTE_TRANSCRIPT", &PathBuf::from(path));
    }
}

/// Prints the least figures for the file at `path`.
fn measure(name: &str, path: &Path) {
    let size = fs::metadata(path).unwrap().len();
    let mut figures = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (run, figures) in [inspected as fn(&Path), hashed]
            .into_iter()
            .zip(&mut figures)
        {
            let start = cpu_nanos();
            run(path);
            figures.push((cpu_nanos() - start) / size as f64);
        }
    }
    let least = |figures: Vec<f64>| figures.into_iter().fold(f64::INFINITY, f64::min);
    let [ours, hash] = figures.map(least);
    println!(
        "{name:<28} {size:>9} {ours:>8.3} {hash:>8.3} {:>8.3} {:>8.2}",
        ours - hash,
        ours / hash
    );
}

/// What this thread has taken of a processor.
fn cpu_nanos() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn inspected(path: &Path) {
    let layout = TranscriptLayout::Rollouts {
        directories: vec!["sessions".to_owned()],
        traces: Vec::new(),
    };
    let report = inspect(black_box(path), &layout, &Limits::default()).unwrap();
    assert!(report.is_sound(), "{:?}", report.damages.first());
    black_box(report.sha256);
}

/// Reads as inspecting does.
fn hashed(path: &Path) {
    let mut file = File::open(black_box(path)).unwrap();
    let mut buffer = vec![0; 64 * 1024];
    let mut hash = Sha256::new();
    loop {
        match file.read(&mut buffer).unwrap() {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    black_box(hash.finalize());
}

/// Kinds of record.
fn records() -> Vec<(String, String)> {
    let text = "the quick brown fox\\n jumps over \\\"the lazy\\\" dog, ".to_owned();
    let plain = "the quick brown fox jumps over the lazy dog and says something, ".to_owned();
    let message = |text: &str| {
        format!(
            "{{\"timestamp\":\"2026-11-30T07:18:15.000Z\",\"ordinal\":7,\
             \"type\":\"response_item\",\"payload\":{{\"type\":\"message\",\
             \"role\":\"assistant\",\"content\":[{{\"type\":\"output_text\",\
             \"text\":\"{text}\"}}]}}}}"
        )
    };
    let usage = "{\"timestamp\":\"2026-11-30T07:18:15.000Z\",\"ordinal\":7,\
                 \"type\":\"event_msg\",\"payload\":{\"type\":\"token_count\",\"info\":\
                 {\"total\":{\"input\":1234,\"cached\":0,\"output\":56,\"reasoning\":0},\
                 \"last\":{\"input\":12,\"cached\":0,\"output\":5,\"reasoning\":0},\
                 \"window\":272000},\"limits\":[1,2,3,null,true]}}";
    vec![
        ("600 B, plain text".to_owned(), message(&plain.repeat(7))),
        (
            "600 B, text with escapes".to_owned(),
            message(&text.repeat(9)),
        ),
        ("20 kB, plain text".to_owned(), message(&plain.repeat(312))),
        (
            "20 kB, text with escapes".to_owned(),
            message(&text.repeat(400)),
        ),
        (
            "4 MB, one text".to_owned(),
            message(&"iVBORw0KGgoAAAANSUhEUgAA".repeat(170_000)),
        ),
        ("330 B, no text".to_owned(), usage.to_owned()),
    ]
}

fn transcript(record: &str) -> String {
    let head = "{\"type\":\"session_meta\",\"payload\":{\"id\":\"t\"}}\n";
    let mut transcript = head.to_owned();
    while transcript.len() < FILE_BYTES {
        transcript.push_str(record);
        transcript.push('\n');
    }
    transcript
}
