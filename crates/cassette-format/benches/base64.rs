//! A line of a tape: written from a payload, and read back into one, in bytes of the payload a
//! second. Most of it is base64.
//!
//! `cargo bench -p cassette-format --bench base64 [-- PART OF A NAME]`.
#![expect(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::hint::black_box;
use std::time::Duration;

use cassette_format::schema::{Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq};
use cassette_format::store::{read_line, write_line};
use criterion::{BenchmarkId, Criterion, Throughput};

fn main() {
    let criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    let mut criterion = criterion.configure_from_args();
    write(&mut criterion);
    read(&mut criterion);
    criterion.final_summary();
}

fn write(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("write a line");
    for bytes in [60, 600, 6_000, 600_000] {
        let chunk = chunk(bytes);
        group.throughput(Throughput::Bytes(bytes));
        group.bench_with_input(
            BenchmarkId::from_parameter(bytes),
            &chunk,
            |bencher, chunk| {
                let mut line = Vec::new();
                bencher.iter(|| {
                    line.clear();
                    write_line(&mut line, black_box(chunk)).unwrap()
                });
            },
        );
    }
    group.finish();
}

fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read a line");
    for bytes in [60, 600, 6_000, 600_000] {
        let mut line = Vec::new();
        write_line(&mut line, &chunk(bytes)).unwrap();
        // Without its line feed.
        line.pop();
        group.throughput(Throughput::Bytes(bytes));
        group.bench_with_input(
            BenchmarkId::from_parameter(bytes),
            &line,
            |bencher, line| {
                bencher.iter(|| read_line(black_box(line)).unwrap());
            },
        );
    }
    group.finish();
}

/// A payload of so many bytes, all of which occur.
fn chunk(bytes: u64) -> Chunk {
    Chunk {
        connection_id: ConnectionId::numbered(1),
        chunk_seq: ChunkSeq::new(1),
        global_seq: GlobalSeq::new(1),
        elapsed: ElapsedMs::new(1234),
        kind: ChunkKind::Stdout,
        data: (0..bytes).map(|at| (at * 7).to_le_bytes()[0]).collect(),
        exit_code: None,
        message: String::new(),
    }
}
