//! Playing a large tape at once: frames a second, processor time a frame, and memory.
//!
//! `cargo bench -p cassette-replay --bench play [-- FRAMES]`. Eight connections, payloads of 600
//! bytes, one in sixteen sent by the host. `raw` compares bytes; `json-rpc` has other
//! request ids and another directory in every message. Peak memory is that of a process
//! that loads and plays and does nothing else. Linux only: memory comes from `/proc`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints figures and may end"
)]

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, Registry};
use cassette_format::process::{
    FrameEvent, Inheritance, Launch, LaunchSpec, ProcessTransport, SessionContext,
};
use cassette_format::schema::{
    AgentSessionId, CaptureOrigin, CassetteStatus, Chunk, ChunkKind, ChunkSeq, ConnectionId,
    ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, LaunchOrdinal, Manifest,
    TapeLimits,
};
use cassette_format::store::{CassetteDir, ReadOptions, Tape, replace_manifest, write_line};
use cassette_replay::{PlayOptions, Player};
use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest, Sha256};

const CONNECTIONS: u64 = 8;
const PAYLOAD: usize = 600;
/// One message of the host, then so many of the agent.
const RUN: u64 = 16;
const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|it| it == "--peak-of") {
        let (provider, dir) = (&arguments[at + 1], Path::new(&arguments[at + 2]));
        play(dir, provider);
        println!("{}", peak());
        return;
    }
    let frames = arguments.iter().find_map(|it| it.parse::<u64>().ok());
    // As many as a tape holds, nearly.
    let frames = frames.unwrap_or(290_000);
    println!(
        "{:<10} {:>9} {:>12} {:>14} {:>16} {:>24}",
        "provider", "frames", "frames/s", "CPU a frame", "load", "peak over the tape"
    );
    for provider in ["raw", "json-rpc"] {
        let scratch = tempfile::tempdir().unwrap();
        let dir = CassetteDir::new(scratch.path().join("tape"));
        let bytes = generate(&dir, provider, frames);
        let mut rounds: Vec<Round> = (0..ROUNDS).map(|_| play(dir.path(), provider)).collect();
        rounds.sort_by_key(|round| round.wall);
        let median = &rounds[ROUNDS / 2];
        let peak = peak_of(dir.path(), provider);
        println!(
            "{provider:<10} {:>9} {:>12.0} {:>11.2} µs {:>13.0} ms {:>10.1} MiB, {:.2} x + 16",
            median.frames,
            median.frames as f64 / median.wall.as_secs_f64(),
            median.cpu.as_secs_f64() * 1e6 / median.frames as f64,
            median.load.as_secs_f64() * 1e3,
            (peak as f64 - bytes as f64) / f64::from(1 << 20),
            (peak as f64 - f64::from(16 << 20)) / bytes as f64,
        );
    }
}

struct Round {
    frames: u64,
    load: Duration,
    wall: Duration,
    cpu: Duration,
}

fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        now.tv_sec.unsigned_abs(),
        u32::try_from(now.tv_nsec).unwrap(),
    )
}

/// Loads a tape and plays all of its connections, each in a task of its own.
fn play(dir: &Path, provider: &str) -> Round {
    let began = Instant::now();
    let tape = Tape::open(dir, &ReadOptions::default()).unwrap();
    let load = began.elapsed();
    let frames = tape.manifest().frame_count;
    let player = Player::new(tape, registry(), PlayOptions::fast_forward()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let (began, before) = (Instant::now(), cpu());
    runtime.block_on(async {
        let tasks: Vec<_> = (1..=CONNECTIONS)
            .map(|number| {
                let (player, provider) = (player.clone(), provider.to_owned());
                let groups = frames / CONNECTIONS / RUN;
                tokio::spawn(async move { client(&player, &provider, (number, groups)).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    player.verify_complete().unwrap();
    Round {
        frames,
        load,
        wall: began.elapsed(),
        cpu: cpu() - before,
    }
}

async fn client(player: &Player, provider: &str, (number, groups): (u64, u64)) {
    let session = SessionContext::new(
        provider.parse().unwrap(),
        format!("session-{number}").parse().unwrap(),
    );
    let mut spec = LaunchSpec::new(["agent"]).in_directory("/elsewhere/work");
    spec.inheritance = Inheritance::Clear;
    let connection = player
        .start(Launch::for_session(spec, session))
        .await
        .unwrap();
    for group in 0..groups {
        let request = payload(provider, group, 0, ("/elsewhere/work", 7_000_000));
        connection.send(&request).await.unwrap();
        for _ in 1..RUN {
            let frame = connection.recv().await.unwrap().unwrap();
            assert!(matches!(frame.event, FrameEvent::Stdout(_)));
        }
    }
}

fn registry() -> Registry {
    let mut registry = Registry::new();
    for (id, framing, dialect) in [
        ("raw", MessageFraming::Raw, Dialect::Opaque),
        ("json-rpc", MessageFraming::Lines, Dialect::JsonRpc),
    ] {
        let target = format!("local:{id}").parse().unwrap();
        let descriptor = Descriptor::new(id.parse().unwrap(), target, framing, dialect);
        registry.register(descriptor).unwrap();
    }
    registry
}

/// The message number `at` of a group, the first of which is the host's.
fn payload(provider: &str, group: u64, at: u64, (cwd, first_id): (&str, u64)) -> Vec<u8> {
    if provider == "raw" {
        return (0..PAYLOAD)
            .map(|byte| (group as usize + byte).to_le_bytes()[0])
            .collect();
    }
    let id = first_id + group;
    let mut message = match at {
        0 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"turn/start\",\"params\":{{\"cwd\":\"{cwd}\","
        ),
        15 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"cwd\":\"{cwd}/a\","),
        _ => format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"item/updated\",\"params\":{{\"path\":\"{cwd}/src/lib.rs\",\"seq\":{at},"
        ),
    };
    message.push_str("\"item\":{\"kind\":\"text\",\"done\":false,\"tokens\":[1,2,3]},\"text\":\"");
    // Some 600 bytes with what is before it.
    message.push_str(&"seven x ".repeat(55));
    message.push_str("\"}}\n");
    message.into_bytes()
}

/// Writes a tape; gives its bytes.
fn generate(dir: &CassetteDir, provider: &str, frames: u64) -> u64 {
    let mut file = BufWriter::new(dir.create_frames().unwrap());
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    let mut tokens = Vec::new();
    for number in 1..=CONNECTIONS {
        let session = AgentSessionId::from_recorded(format!("session-{number}"));
        let cwd_token = CwdToken::new(&session, LaunchOrdinal::FIRST);
        tokens.push(cwd_token.as_str().to_owned());
        manifest.connections.push(ConnectionRecord {
            connection_id: ConnectionId::numbered(number),
            provider: provider.parse().unwrap(),
            cwd_token,
            root_agent_session: session.clone(),
            agent_session: session,
            launch_ordinal: LaunchOrdinal::FIRST,
            capture_origin: CaptureOrigin::ProcessStart,
            unknown: Vec::new(),
        });
    }
    let (mut hash, mut line) = (Sha256::new(), Vec::new());
    let groups = frames / CONNECTIONS / RUN;
    for number in 0..groups * RUN * CONNECTIONS {
        let (connection, seq) = (number % CONNECTIONS, number / CONNECTIONS);
        let (group, at) = (seq / RUN, seq % RUN);
        let token = &tokens[usize::try_from(connection).unwrap()];
        let chunk = Chunk {
            connection_id: ConnectionId::numbered(connection + 1),
            chunk_seq: ChunkSeq::new(seq + 1),
            global_seq: GlobalSeq::new(number + 1),
            elapsed: ElapsedMs::new(number / 10),
            kind: if at == 0 {
                ChunkKind::Outbound
            } else {
                ChunkKind::Stdout
            },
            data: payload(provider, group, at, (token, 1)),
            exit_code: None,
            message: String::new(),
        };
        line.clear();
        let stored = write_line(&mut line, &chunk).unwrap();
        hash.update(&line);
        file.write_all(&line).unwrap();
        manifest.frame_count += 1;
        manifest.payload_bytes += chunk.payload_bytes();
        manifest.stored_bytes += stored;
        let stats = manifest
            .frames_by_kind
            .entry(chunk.kind.clone())
            .or_default();
        stats.add(chunk.payload_bytes(), stored);
    }
    file.flush().unwrap();
    manifest.status = CassetteStatus::Complete;
    manifest.frames_sha256 = FramesDigest::from_bytes(hash.finalize().into());
    replace_manifest(dir, &manifest).unwrap();
    manifest.stored_bytes
}

/// Peak memory in bytes of a process of its own that plays the tape.
fn peak_of(dir: &Path, provider: &str) -> u64 {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--peak-of", provider])
        .arg(dir)
        .output()
        .unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.unwrap().trim().trim_end_matches(" kB");
    kibibytes.parse::<u64>().unwrap() * 1024
}
