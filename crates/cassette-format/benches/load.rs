//! Loading and verifying a tape beside SHA-256 of the same bytes, by turns.
//!
//! `cargo bench -p cassette-format --bench load [-- MEGABYTES [PAYLOAD…]]`. Prints wall and
//! CPU time of each, their ratios pair by pair, and the peak memory of a load
//! of a process that does nothing else. Linux only: memory comes from `/proc`.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints figures and may end"
)]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use cassette_format::schema::{
    AgentSessionId, CaptureOrigin, CassetteStatus, Chunk, ChunkKind, ChunkSeq, ConnectionId,
    ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, LaunchOrdinal, Manifest,
    ProviderId, TapeLimits,
};
use cassette_format::store::{
    CassetteDir, ReadLimits, ReadOptions, Tape, replace_manifest, write_line,
};
use sha2::{Digest, Sha256};

const PAIRS: usize = 11;
const CONNECTIONS: u64 = 4;

fn main() {
    if let Some(dir) = std::env::args()
        .skip_while(|argument| argument != "--peak-of")
        .nth(1)
    {
        return print_peak(Path::new(&dir));
    }
    let mut numbers = std::env::args().filter_map(|argument| argument.parse::<usize>().ok());
    let megabytes = numbers.next().unwrap_or(200) as u64;
    let payloads: Vec<usize> = numbers.collect();
    let payloads = if payloads.is_empty() {
        vec![60, 600, 6_000, 600_000]
    } else {
        payloads
    };
    for payload in payloads {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let dir = CassetteDir::new(scratch.path().join("tape"));
        let (bytes, frames) = generate(&dir, megabytes * 1_000_000, payload);
        measure(&dir, payload, (bytes, frames));
    }
}

/// Writes a tape of about `target` bytes whose payloads have `payload` bytes.
fn generate(dir: &CassetteDir, target: u64, payload: usize) -> (u64, u64) {
    let mut frames = BufWriter::new(dir.create_frames().expect("a new directory"));
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    for number in 1..=CONNECTIONS {
        let session = AgentSessionId::from_recorded(format!("session-{number}"));
        manifest.connections.push(ConnectionRecord {
            connection_id: ConnectionId::numbered(number),
            provider: ProviderId::from_recorded("codex"),
            cwd_token: CwdToken::new(&session, LaunchOrdinal::FIRST),
            root_agent_session: session.clone(),
            agent_session: session,
            launch_ordinal: LaunchOrdinal::FIRST,
            capture_origin: CaptureOrigin::ProcessStart,
            unknown: Vec::new(),
        });
    }
    let mut hash = Sha256::new();
    let mut line = Vec::new();
    let mut seed = 1_u64;
    while manifest.stored_bytes < target {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let data = (0..payload)
            .map(|at| (seed >> (at % 56)).to_le_bytes()[0])
            .collect();
        let number = manifest.frame_count;
        let chunk = Chunk {
            connection_id: ConnectionId::numbered(number % CONNECTIONS + 1),
            chunk_seq: ChunkSeq::new(number / CONNECTIONS + 1),
            global_seq: GlobalSeq::new(number + 1),
            elapsed: ElapsedMs::new(number / 10),
            kind: if number.is_multiple_of(16) {
                ChunkKind::Outbound
            } else {
                ChunkKind::Stdout
            },
            data,
            exit_code: None,
            message: String::new(),
        };
        line.clear();
        let stored = write_line(&mut line, &chunk).expect("a line within limits");
        hash.update(&line);
        frames.write_all(&line).expect("room on the disk");
        manifest.frame_count += 1;
        manifest.payload_bytes += chunk.payload_bytes();
        manifest.stored_bytes += stored;
        let stats = manifest
            .frames_by_kind
            .entry(chunk.kind.clone())
            .or_default();
        stats.add(chunk.payload_bytes(), stored);
    }
    frames.flush().expect("room on the disk");
    manifest.status = CassetteStatus::Complete;
    manifest.frames_sha256 = FramesDigest::from_bytes(hash.finalize().into());
    replace_manifest(dir, &manifest).expect("a manifest");
    (manifest.stored_bytes, manifest.frame_count)
}

fn measure(dir: &CassetteDir, payload: usize, (bytes, frames): (u64, u64)) {
    let load = || load(dir.path());
    black_box(load());
    let (mut loads, mut hashes) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        loads.push(timed(|| drop(black_box(load()))));
        // The limit: the same bytes, already in memory, hashed and nothing else.
        let content = fs::read(dir.frames_path()).expect("the frames");
        hashes.push(timed(|| _ = black_box(Sha256::digest(&content))));
    }
    // In a process of its own, where nothing was allocated before.
    let own = std::env::current_exe().expect("this program");
    let child = Command::new(own)
        .arg("--peak-of")
        .arg(dir.path())
        .output()
        .expect("this program");
    let peak = String::from_utf8_lossy(&child.stdout);
    let peak: u64 = peak.trim().parse().expect("a number");
    println!(
        "{frames} frames of {payload} B, {:.1} MB",
        bytes as f64 / 1e6
    );
    for (what, pick) in [("wall", 0), ("cpu", 1)] {
        let column = |rows: &[[f64; 2]]| median(rows.iter().map(|row| row[pick]).collect());
        let ratios = loads
            .iter()
            .zip(&hashes)
            .map(|(load, hash)| load[pick] / hash[pick]);
        let mut ratios: Vec<f64> = ratios.collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "  {what:<5} load {:7.1} ms  sha256 {:7.1} ms  ratio min {:.2} median {:.2} max {:.2}",
            column(&loads) * 1e3,
            column(&hashes) * 1e3,
            ratios[0],
            ratios[PAIRS / 2],
            ratios[PAIRS - 1],
        );
    }
    let beyond = (peak as f64 - bytes as f64) / bytes as f64 * 100.0;
    println!(
        "  peak memory {:.1} MB: the tape and {beyond:.1} %",
        peak as f64 / 1e6
    );
}

/// Wall and CPU seconds.
fn timed(work: impl FnOnce()) -> [f64; 2] {
    let (wall, cpu) = (Instant::now(), cpu_seconds());
    work();
    [wall.elapsed().as_secs_f64(), cpu_seconds() - cpu]
}

fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn load(dir: &Path) -> Tape {
    let limits = ReadLimits {
        max_stored_bytes: u64::MAX,
        ..ReadLimits::default()
    };
    let options = ReadOptions::default().with_limits(limits);
    Tape::open(dir, &options).expect("a sound tape")
}

/// Loads the tape and prints what that took beyond the memory of an idle process.
fn print_peak(dir: &Path) {
    let before = peak_memory();
    let tape = load(dir);
    println!("{}", peak_memory() - before);
    drop(tape);
}

/// Peak memory of this process, in bytes.
fn peak_memory() -> u64 {
    let mut status = String::new();
    let path = Path::new("/proc/self/status");
    File::open(path)
        .and_then(|mut file| file.read_to_string(&mut status))
        .expect("Linux");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("Linux");
    let kilobytes: u64 = line
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .expect("a number");
    kilobytes * 1024
}
