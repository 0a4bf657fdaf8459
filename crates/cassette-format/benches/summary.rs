//! Summarising a tape beside loading it, by size of message and of tape.
//!
//! `cargo bench -p cassette-format --bench summary [-- MEGABYTES [MESSAGE…]]`. Prints for
//! a tape of half the size and one of all of it what each takes: where the time is
//! linear, the second takes twice as long as the first. What is summarised is in memory.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints figures and may end"
)]

use std::hint::black_box;
use std::time::Instant;

use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, Registry};
use cassette_format::schema::{
    AgentSessionId, CaptureOrigin, CassetteStatus, Chunk, ChunkKind, ChunkSeq, ConnectionId,
    ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, LaunchOrdinal, Manifest,
    ProviderId, TapeLimits,
};
use cassette_format::store::{
    CassetteDir, ReadLimits, ReadOptions, Tape, replace_manifest, write_line,
};
use cassette_format::summary::Summary;
use sha2::{Digest, Sha256};

const RUNS: usize = 7;

fn main() {
    let mut numbers = std::env::args().filter_map(|argument| argument.parse::<usize>().ok());
    let megabytes = numbers.next().unwrap_or(100);
    let sizes: Vec<usize> = numbers.collect();
    let sizes = if sizes.is_empty() {
        vec![0, 400, 4_000, 400_000]
    } else {
        sizes
    };
    for size in sizes {
        for target in [megabytes * 500_000, megabytes * 1_000_000] {
            let scratch = tempfile::tempdir().expect("a scratch directory");
            let dir = CassetteDir::new(scratch.path().join("tape"));
            generate(&dir, target, size);
            measure(&dir, size);
        }
    }
}

/// Requests and answers in turn, each answer with a text of `size` bytes.
fn generate(dir: &CassetteDir, target: usize, size: usize) {
    let session = AgentSessionId::from_recorded("session");
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    manifest.connections.push(ConnectionRecord {
        connection_id: ConnectionId::numbered(1),
        provider: ProviderId::from_recorded("acp"),
        cwd_token: CwdToken::new(&session, LaunchOrdinal::FIRST),
        root_agent_session: session.clone(),
        agent_session: session,
        launch_ordinal: LaunchOrdinal::FIRST,
        capture_origin: CaptureOrigin::ProcessStart,
        unknown: Vec::new(),
    });
    let text = "lorem ipsum ".repeat(size.div_ceil(12));
    let mut frames = Vec::new();
    while frames.len() < target {
        let number = manifest.frame_count;
        let id = number / 2;
        let (kind, data) = if number.is_multiple_of(2) {
            let data = format!("{{\"id\":{id},\"method\":\"method/{}\"}}\n", id % 50);
            (ChunkKind::Outbound, data)
        } else {
            let data = format!(
                "{{\"id\":{id},\"result\":{{\"text\":\"{}\"}}}}\n",
                &text[..size]
            );
            (ChunkKind::Stdout, data)
        };
        let chunk = Chunk {
            connection_id: ConnectionId::numbered(1),
            chunk_seq: ChunkSeq::new(number + 1),
            global_seq: GlobalSeq::new(number + 1),
            elapsed: ElapsedMs::new(number * 7),
            kind,
            data: data.into_bytes(),
            exit_code: None,
            message: String::new(),
        };
        let stored = write_line(&mut frames, &chunk).expect("a line within limits");
        manifest.frame_count += 1;
        manifest.payload_bytes += chunk.payload_bytes();
        let stats = manifest.frames_by_kind.entry(chunk.kind.clone());
        stats.or_default().add(chunk.payload_bytes(), stored);
    }
    manifest.stored_bytes = frames.len() as u64;
    manifest.status = CassetteStatus::Complete;
    manifest.frames_sha256 = FramesDigest::from_bytes(Sha256::digest(&frames).into());
    drop(dir.create_frames().expect("a new directory"));
    std::fs::write(dir.frames_path(), frames).expect("room on the disk");
    replace_manifest(dir, &manifest).expect("a manifest");
}

fn measure(dir: &CassetteDir, size: usize) {
    let limits = ReadLimits {
        max_stored_bytes: u64::MAX,
        ..ReadLimits::default()
    };
    let options = ReadOptions::default().with_limits(limits);
    let open = || Tape::open(dir.path(), &options).expect("a sound tape");
    let (mut registry, tape) = (Registry::new(), open());
    let descriptor = Descriptor::new(
        "acp".parse().expect("a name"),
        "local:acp".parse().expect("a name"),
        MessageFraming::Lines,
        Dialect::JsonRpc,
    );
    registry.register(descriptor).expect("the first provider");
    let load = median(|| drop(black_box(open())));
    let summarise = median(|| drop(black_box(Summary::of(&tape, &registry))));
    let bytes = tape.manifest().stored_bytes as f64;
    println!(
        "texts of {size:>6} B, {:>7} frames, {:6.1} MB: load {:6.1} ms, summary {:6.1} ms, {:5.0} MB/s",
        tape.len(),
        bytes / 1e6,
        load * 1e3,
        summarise * 1e3,
        bytes / 1e6 / summarise,
    );
}

/// Seconds that the work takes, in the middle of some runs.
fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let begin = Instant::now();
            work();
            begin.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}
