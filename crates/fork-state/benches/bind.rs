//! Seconds of the wall, and of all processors, that binding a rollout of 256 MB takes,
//! beside hashing, copying and syncing the same file; and how much memory a binding adds.
//!
//! `cargo bench -p fork-state --bench bind`. The two are measured by turns, so that a
//! slow spell of the machine meets both; `CASSETTE_ROUNDS` says how often, 11 times if
//! it says nothing. `CASSETTE_SCRATCH` names another directory to work in.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::fs::{self, File};
use std::io::{BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use cassette_format::descriptor::{
    Descriptor, Dialect, MessageFraming, Registry, TargetId, TranscriptLayout,
};
use cassette_format::schema::AgentSessionId;
use fork_state::{Binder, ForkRequest, GivenHomes, Outcome};
use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest, Sha256};

const FILE_BYTES: usize = 256 << 20;
const PLACE: &str = "sessions/2026/11/30/rollout-t2.jsonl";

fn main() {
    let within =
        std::env::var_os("CASSETTE_SCRATCH").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(within).unwrap();
    let source = folder.path().join("source").join(PLACE);
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    write_transcript(&source);

    let before = memory();
    bind(folder.path());
    println!("memory over the start: {} KiB", memory() - before);

    let rounds = std::env::var("CASSETTE_ROUNDS").ok();
    let rounds: usize = rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(11);
    let mut ratios = [Vec::new(), Vec::new()];
    let mut least = [[f64::INFINITY; 2]; 2];
    println!("round  bind: wall   cpu  plain: wall   cpu");
    for round in 0..rounds {
        let plain = measured(|| plain(folder.path(), &source));
        let bind = measured(|| bind(folder.path()));
        println!(
            "{round:>5} {:>11.3} {:>5.3} {:>12.3} {:>5.3}",
            bind[0], bind[1], plain[0], plain[1]
        );
        for at in 0..2 {
            ratios[at].push(bind[at] / plain[at]);
            least[at][0] = least[at][0].min(bind[at]);
            least[at][1] = least[at][1].min(plain[at]);
        }
    }
    for ((what, mut ratios), [bind, plain]) in ["wall", "cpu"].into_iter().zip(ratios).zip(least) {
        ratios.sort_by(f64::total_cmp);
        let middle = ratios[ratios.len() / 2];
        println!(
            "{what}: {middle:.2} times in the middle, {:.2} at best",
            bind / plain
        );
    }
}

/// Seconds of the wall and of all processors.
fn measured(act: impl FnOnce()) -> [f64; 2] {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    act();
    [start.elapsed().as_secs_f64(), cpu_seconds() - cpu]
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory that this process has had, in KiB; 0 where it is not told.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
    number.map_or(0, |number| number.trim().parse().unwrap())
}

fn bind(folder: &Path) {
    let target = folder.join("target");
    let id = AgentSessionId::from_recorded;
    let homes = [
        (id("one"), folder.join("source")),
        (id("two"), target.clone()),
    ];
    let (store, providers) = (GivenHomes::new(homes), providers());
    let request = ForkRequest {
        provider: "codex".parse().unwrap(),
        workspace: "app".into(),
        source_session: id("one"),
        target_session: id("two"),
        source_provider_session: "t1".parse().unwrap(),
        target_provider_session: "t2".parse().unwrap(),
        target_cwd: None,
    };
    let binding = Binder::new(&store, &providers).bind(&request).unwrap();
    assert_eq!(binding.outcome, Outcome::Copied);
    fs::remove_dir_all(target).unwrap();
}

/// Hashes the file, copies it, and syncs the copy and its directory.
fn plain(folder: &Path, source: &Path) {
    let mut buffer = vec![0; 256 * 1024];
    let mut hash = Sha256::new();
    let mut file = File::open(source).unwrap();
    loop {
        match file.read(&mut buffer).unwrap() {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    std::hint::black_box(hash.finalize());
    let copy = folder.join("copy");
    let mut from = File::open(source).unwrap();
    let mut to = File::create(&copy).unwrap();
    loop {
        match from.read(&mut buffer).unwrap() {
            0 => break,
            read => to.write_all(&buffer[..read]).unwrap(),
        }
    }
    to.sync_all().unwrap();
    File::open(folder).unwrap().sync_all().unwrap();
    fs::remove_file(copy).unwrap();
}

fn providers() -> Registry {
    let target = TargetId::named("local:codex");
    let provider = "codex".parse().unwrap();
    let mut codex = Descriptor::new(provider, target, MessageFraming::Lines, Dialect::JsonRpc);
    codex.session_home = Some("codex-home".into());
    codex.transcripts = Some(TranscriptLayout::Rollouts {
        directories: vec!["sessions".into()],
        traces: Vec::new(),
    });
    let mut providers = Registry::new();
    providers.register(codex).unwrap();
    providers
}

/// Records of 600 B to 20 kB, with an escape every hundred bytes, as real ones have them.
fn write_transcript(path: &Path) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let head = "{\"ordinal\":0,\"type\":\"session_meta\",\"payload\":{\"id\":\"t2\"}}\n";
    file.write_all(head.as_bytes()).unwrap();
    let text = "the quick brown fox jumps over the lazy dog, and goes on about it at some \
                length, as agents do that were asked for nothing but a word, until it has \
                said \\\"everything\\\" that there is to be said of foxes and dogs, and then some \
                more of both of them, and of their lines.\\n";
    let mut written = 0;
    for ordinal in 1.. {
        let text = text.repeat(2 + ordinal * 37 % 70);
        let record = format!(
            "{{\"timestamp\":\"2026-11-30T07:18:15.000Z\",\"ordinal\":{ordinal},\
             \"type\":\"response_item\",\"payload\":{{\"type\":\"message\",\
             \"role\":\"assistant\",\"content\":[{{\"type\":\"output_text\",\
             \"text\":\"{text}\"}}]}}}}\n"
        );
        file.write_all(record.as_bytes()).unwrap();
        written += record.len();
        if written >= FILE_BYTES {
            break;
        }
    }
    file.into_inner().unwrap().sync_all().unwrap();
}
