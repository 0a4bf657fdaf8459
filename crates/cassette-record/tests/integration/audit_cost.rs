//! What an audit takes: time in proportion to the tape, and little memory beside it.

use std::env;
use std::fs;
use std::process::Command;
use std::time::Duration;

use cassette_format::portable::Rules;
use cassette_format::schema::ChunkKind::{Outbound, Stdout};
use cassette_format::store::ReadOptions;
use cassette_record::audit;
use rustix::time::{ClockId, clock_gettime};

use super::unverified_tape::{UnverifiedTape, registry};

/// Names the cassette to the process that audits it.
const AUDIT: &str = "CASSETTE_TEST_AUDIT";

const MIB: usize = 1 << 20;

/// A tape of about `bytes` bytes in chunks of `data`, by turns of two connections.
fn tape_of(bytes: usize, data: &str) -> UnverifiedTape {
    let mut tape = UnverifiedTape::of(&["lines", "headers"]);
    for at in 0..bytes / (data.len() * 4 / 3 + 100) {
        let body = format!("Content-Length: {}\r\n\r\n{data}", data.len());
        tape = match at % 3 {
            0 => tape.line(1, Stdout, data),
            1 => tape.line(1, Outbound, data),
            _ => tape.line(2, Stdout, body),
        };
    }
    tape
}

/// The least time of the processor that an audit takes of three times: what else
/// runs on the machine does not count.
fn shortest(tape: &UnverifiedTape) -> Duration {
    let dir = tape.on_disk();
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    };
    let time = |()| {
        let start = now();
        audit(dir, &registry(), &ReadOptions::default(), &Rules::default()).unwrap();
        now() - start
    };
    [(); 3].map(time).into_iter().min().unwrap()
}

#[test]
fn an_audit_takes_time_in_proportion_to_the_tape() {
    for (what, data) in [
        (
            "whole messages",
            "{\"method\":\"x\",\"params\":{\"a\":[1,2,3]}}\n",
        ),
        ("one message that never ends", "[1,2,"),
        ("what cannot be read", "x{x["),
    ] {
        // Quadratic work takes 256 times as long for 16 times the tape.
        let [small, large] = [MIB / 8, MIB * 2].map(|bytes| shortest(&tape_of(bytes, data)));
        assert!(large < small * 70, "{what}: {small:?}, then {large:?}");
    }
}

/// A figure of this process in bytes; `None` where the system does not say.
fn figure(name: &str) -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Not a test of its own: what the next one runs in a process of its own.
#[test]
fn audits_what_its_parent_names() {
    let Some(dir) = env::var_os(AUDIT) else {
        return;
    };
    let before = figure("VmRSS:").unwrap();
    let found = audit(dir, &registry(), &ReadOptions::default(), &Rules::default());
    assert_eq!(found.unwrap(), []);
    println!("peak {}", figure("VmHWM:").unwrap().saturating_sub(before));
}

#[test]
fn a_tape_of_fifty_megabytes_takes_little_more_memory_than_its_length() {
    if figure("VmHWM:").is_none() {
        println!("skipped: this system does not say how much memory a process has had");
        return;
    }
    let message = format!(
        "{{\"method\":\"x\",\"params\":{{\"text\":\"{}\"}}}}\n",
        "word ".repeat(100)
    );
    let tape = tape_of(50_000_000, &message);
    let output = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "audit_cost::audits_what_its_parent_names",
            "--nocapture",
        ])
        .env(AUDIT, tape.on_disk())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut words = text.split_whitespace().skip_while(|word| *word != "peak");
    let peak: usize = words
        .nth(1)
        .unwrap_or_else(|| panic!("{text}"))
        .parse()
        .unwrap();
    let size = fs::metadata(tape.on_disk().join("frames.jsonl"))
        .unwrap()
        .len() as usize;
    println!("tape {size}, peak {peak}");
    assert!(
        peak <= size + size / 10 + 4 * MIB,
        "tape {size}, peak {peak}"
    );
}
