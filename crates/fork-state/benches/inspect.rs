//! Inspecting the records of a transcript, in bytes a second; reading and hashing its file is part
//! of it, and beside it as `sha256`.
//!
//! `cargo bench -p fork-state --bench inspect [-- PART OF A NAME]`.
#![expect(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use cassette_format::descriptor::TranscriptLayout;
use criterion::{BenchmarkId, Criterion, Throughput};
use fork_state::{Limits, inspect};
use sha2::{Digest as _, Sha256};

const FILE_BYTES: usize = 4 << 20;

fn main() {
    let criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    let mut criterion = criterion.configure_from_args();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rollout.jsonl");
    for (name, operation) in [("inspect", inspected as fn(&Path)), ("sha256", hashed)] {
        let mut group = criterion.benchmark_group(name);
        for (input, record) in records() {
            fs::write(&path, transcript(&record)).unwrap();
            let bytes = fs::metadata(&path).unwrap().len();
            group.throughput(Throughput::Bytes(bytes));
            group.bench_function(BenchmarkId::from_parameter(input), |bencher| {
                bencher.iter(|| operation(black_box(&path)));
            });
        }
        group.finish();
    }
    criterion.final_summary();
}

fn inspected(path: &Path) {
    let layout = TranscriptLayout::Rollouts {
        directories: vec!["sessions".to_owned()],
        traces: Vec::new(),
    };
    let report = inspect(path, &layout, &Limits::default()).unwrap();
    assert!(report.is_sound(), "{:?}", report.damages.first());
    black_box(report.sha256);
}

/// Reads as inspecting does.
fn hashed(path: &Path) {
    let mut file = File::open(path).unwrap();
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
