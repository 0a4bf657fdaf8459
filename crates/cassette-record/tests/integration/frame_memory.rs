//! What the largest frames take on their way to the tape, beside themselves: measured in
//! processes of their own, where every large block is given back at once.

use std::env;
use std::fs;
use std::process::Command;

use cassette_format::process::Frame;

use super::live::Live;

/// Names the case to the process that records it.
const CASE: &str = "CASSETTE_TEST_FRAME";

const MIB: usize = 1 << 20;

/// One message, and how it comes.
struct Case {
    name: &'static str,
    start: &'static str,
    filling: &'static str,
    end: &'static str,
    bytes: usize,
    piece: usize,
}

const WHOLE: Case = Case {
    name: "",
    start: "",
    filling: "",
    end: "",
    bytes: 8 * MIB - 256,
    piece: 8 * MIB,
};

const CASES: [Case; 5] = [
    Case {
        name: "one string",
        start: "{\"x\":\"",
        filling: "text ",
        end: "\"}\n",
        ..WHOLE
    },
    Case {
        name: "one path",
        start: "{\"cwd\":\"/work/",
        filling: "text ",
        end: "\"}\n",
        ..WHOLE
    },
    Case {
        name: "small objects",
        start: "[",
        filling: "{\"a\":0},",
        end: "0]\n",
        ..WHOLE
    },
    Case {
        name: "lists in lists",
        start: "",
        filling: "[",
        end: "\n",
        ..WHOLE
    },
    Case {
        name: "a line in pieces",
        start: "{\"x\":\"",
        filling: "text ",
        end: "\"}\n",
        bytes: 12 * MIB,
        piece: 64 * 1024,
    },
];

/// A figure of this process in bytes; `None` where the system does not say.
fn figure(name: &str) -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

fn frames(case: &Case) -> Vec<Frame> {
    let mut message = Vec::with_capacity(case.bytes + 64);
    message.extend_from_slice(case.start.as_bytes());
    while message.len() + case.filling.len() + case.end.len() <= case.bytes {
        message.extend_from_slice(case.filling.as_bytes());
    }
    message.extend_from_slice(case.end.as_bytes());
    let pieces = message.chunks(case.piece);
    pieces.map(|piece| Frame::stdout(piece.to_vec())).collect()
}

/// Not a test of its own: what the next one runs in a process of its own.
#[test]
fn records_what_its_parent_names() {
    let Some(case) = env::var_os(CASE) else {
        return;
    };
    let case = CASES.iter().find(|it| it.name == case).unwrap();
    let frames = frames(case);
    let live = Live::new();
    let before = figure("VmRSS:").unwrap();
    for frame in &frames {
        live.tap.inbound(frame).unwrap();
    }
    println!("peak {}", figure("VmHWM:").unwrap() - before);
}

#[test]
fn the_largest_frames_take_at_most_two_and_a_half_times_their_length() {
    if figure("VmHWM:").is_none() {
        println!("skipped: this system does not say how much memory a process has had");
        return;
    }
    for case in CASES {
        let output = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "frame_memory::records_what_its_parent_names",
                "--nocapture",
            ])
            .env(CASE, case.name)
            // The C library keeps no block of this size for later.
            .env("MALLOC_MMAP_THRESHOLD_", "131072")
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut words = text.split_whitespace().skip_while(|word| *word != "peak");
        let peak = words.nth(1).unwrap_or_else(|| panic!("{text}"));
        let peak: usize = peak.parse().unwrap();
        println!("{}: {} bytes, peak {peak}", case.name, case.bytes);
        assert!(
            peak <= case.bytes * 5 / 2 + MIB,
            "{}: {} bytes, peak {peak}",
            case.name,
            case.bytes
        );
    }
}
