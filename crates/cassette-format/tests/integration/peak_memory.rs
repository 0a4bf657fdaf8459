//! How much memory loading takes at its peak, measured in a process of its own.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use cassette_format::schema::{
    CassetteStatus, Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq, KindStats,
    Manifest, TapeLimits,
};
use cassette_format::store::{ReadOptions, Tape, write_line, write_manifest};

use crate::tape_files::{OnDisk, connection, digest};

/// Names the cassette to the process that loads it.
const LOAD: &str = "CASSETTE_TEST_LOAD";

const MIB: u64 = 1024 * 1024;

/// A tape of about `bytes` bytes in chunks of `payload` bytes.
fn tape_of(bytes: u64, payload: usize) -> OnDisk {
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    manifest.connections = vec![connection(1, "codex")];
    let mut frames = Vec::new();
    let mut stats = KindStats::default();
    while (frames.len() as u64) < bytes {
        let number = stats.frame_count + 1;
        let chunk = Chunk {
            connection_id: ConnectionId::numbered(1),
            chunk_seq: ChunkSeq::new(number),
            global_seq: GlobalSeq::new(number),
            elapsed: ElapsedMs::new(number),
            kind: ChunkKind::Stdout,
            data: vec![number as u8; payload],
            exit_code: None,
            message: String::new(),
        };
        let stored = write_line(&mut frames, &chunk).unwrap();
        stats.add(chunk.payload_bytes(), stored);
    }
    manifest.status = CassetteStatus::Complete;
    manifest.frame_count = stats.frame_count;
    manifest.payload_bytes = stats.payload_bytes;
    manifest.stored_bytes = stats.stored_bytes;
    manifest.frames_by_kind.insert(ChunkKind::Stdout, stats);
    manifest.frames_sha256 = digest(&frames);
    OnDisk::of(write_manifest(&manifest), frames)
}

/// The most memory that this process has had, in bytes; `None` where the system
/// does not say.
fn peak_of_this_process() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Not a test of its own: what the others run in a process of their own.
#[test]
fn loads_what_its_parent_names() {
    let Some(dir) = env::var_os(LOAD) else { return };
    let tape = Tape::open(dir, &ReadOptions::default()).unwrap();
    println!(
        "chunks {} peak {}",
        tape.len(),
        peak_of_this_process().unwrap()
    );
}

/// Loads the cassette in another process: its chunks, its peak memory.
fn load_apart(dir: &Path) -> (u64, u64) {
    let output = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "peak_memory::loads_what_its_parent_names",
            "--nocapture",
        ])
        .env(LOAD, dir)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    let after = |name: &str| {
        let at = words
            .iter()
            .position(|word| *word == name)
            .unwrap_or_else(|| panic!("{text}"));
        words[at + 1].parse().unwrap()
    };
    (after("chunks"), after("peak"))
}

fn assert_peak_is_bounded(payload: usize) {
    if peak_of_this_process().is_none() {
        println!("skipped: this system does not say how much memory a process has had");
        return;
    }
    let disk = tape_of(64 * MIB, payload);
    let size = fs::metadata(disk.frames()).unwrap().len();
    let (chunks, peak) = load_apart(disk.dir());
    let limit = size + size / 5 + 16 * MIB;
    println!("{chunks} chunks of {payload} bytes: tape {size}, peak {peak}, limit {limit}");
    assert!(
        chunks > 0 && peak <= limit,
        "tape {size}, peak {peak}, limit {limit}"
    );
}

#[test]
fn loading_chunks_of_usual_length_takes_little_more_memory_than_the_tape() {
    assert_peak_is_bounded(600);
}

#[test]
fn loading_the_shortest_chunks_takes_little_more_memory_than_the_tape() {
    assert_peak_is_bounded(0);
}
