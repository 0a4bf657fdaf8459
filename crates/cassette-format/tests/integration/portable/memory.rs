//! How much memory the longest messages take at their peak, measured in
//! processes of their own.

use std::env;
use std::fs;
use std::hint::black_box;
use std::process::Command;

use cassette_format::descriptor::{Dialect, EnvironmentOfStart, Spelling};
use cassette_format::portable::Direction;

use super::side::Side;

/// Names the case to the process that runs it.
const CASE: &str = "CASSETTE_TEST_PORTABLE";

const MIB: usize = 1 << 20;

/// A message of 8 MiB and what is done to it.
struct Case {
    name: &'static str,
    start: &'static str,
    piece: &'static str,
    end: &'static str,
    does: fn(&[u8]) -> usize,
}

const CASES: [Case; 18] = [
    Case {
        name: "small objects",
        start: "[",
        piece: r#"{"a":0},"#,
        end: "0]",
        does: project,
    },
    Case {
        name: "lists in lists",
        start: "",
        piece: "[",
        end: "",
        does: project,
    },
    Case {
        name: "objects in objects",
        start: "",
        piece: r#"{"a":"#,
        end: "",
        does: project,
    },
    Case {
        name: "text and brackets",
        start: "",
        piece: "x{",
        end: "",
        does: project,
    },
    Case {
        name: "one string",
        start: r#"{"x":""#,
        piece: "text ",
        end: r#""}"#,
        does: project,
    },
    Case {
        name: "one path",
        start: r#"{"cwd":"/work/"#,
        piece: "text ",
        end: r#""}"#,
        does: project,
    },
    Case {
        name: "one escaped path",
        start: r#"{"cwd":"/work/"#,
        piece: r"\/\u0061",
        end: r#""}"#,
        does: project,
    },
    Case {
        name: "one path of no text",
        start: r#"{"cwd":"/work/"#,
        piece: "\u{1}\\x\\xé",
        end: r#""}"#,
        does: project,
    },
    Case {
        name: "one long name",
        start: r#"{"\u0061"#,
        piece: "é",
        end: r#"":1}"#,
        does: project,
    },
    Case {
        name: "one file uri",
        start: r#"{"cwd":"file:///work/"#,
        piece: "text%20%FF",
        end: r#""}"#,
        does: project_uris,
    },
    Case {
        name: "dots in a path",
        start: r#"{"cwd":"/work/"#,
        piece: "a/../b/",
        end: r#"."}"#,
        does: project,
    },
    Case {
        name: "many methods",
        start: "{",
        piece: r#""method":"","#,
        end: r#""cwd":"/work"}"#,
        does: project,
    },
    Case {
        name: "environments",
        start: r#"{"type":"start","payload":{"#,
        piece: r#""env":0,"a":0,"#,
        end: r#""a":0}}"#,
        does: project_typed,
    },
    Case {
        name: "e-mails",
        start: r#"{"id":1,"result":{"account":{"#,
        piece: r#""email":"someone@somewhere.example","#,
        end: r#""a":0}}}"#,
        does: project_answer,
    },
    Case {
        name: "audit of small objects",
        start: "[",
        piece: r#"{"a":0},"#,
        end: "0]",
        does: audit,
    },
    Case {
        name: "resolution of small objects",
        start: r#"["\\","#,
        piece: r#"{"a":0},"#,
        end: "0]",
        does: resolve,
    },
    Case {
        name: "resolution of lists in lists",
        start: r#"["\\","#,
        piece: "[",
        end: "",
        does: resolve,
    },
    Case {
        name: "resolution of one path",
        start: r#"{"cwd":"${REPLAY_HOME}/"#,
        piece: "text ",
        end: r#""}"#,
        does: resolve,
    },
];

/// What grows more than its limit of memory allows, since the result does.
const GROWING: [Case; 2] = [
    Case {
        name: "tiny paths",
        start: r#"{"cwd":["#,
        piece: r#""/work","#,
        end: r#"""]}"#,
        does: project,
    },
    Case {
        name: "tiny tokens",
        start: r#"{"cwd":["#,
        piece: r#""${REPLAY_HOME}","#,
        end: r#"""]}"#,
        does: resolve,
    },
];

/// What nothing is kept of but the message.
const SAYING_NOTHING: [Case; 4] = [
    Case {
        name: "duplicate methods",
        start: "{",
        piece: r#""method":"","#,
        end: r#""a":0}"#,
        does: project,
    },
    Case {
        name: "duplicate types",
        start: "{",
        piece: r#""type":"","#,
        end: r#""a":0}"#,
        does: project_stream,
    },
    Case {
        name: "duplicate subtypes",
        start: r#"{"type":"control_request","request":{"#,
        piece: r#""subtype":"","#,
        end: r#""a":0}}"#,
        does: project_stream,
    },
    Case {
        name: "broken members",
        start: "{",
        piece: r#""a" x "b":"\x" "#,
        end: "",
        does: project_typed,
    },
];

fn side() -> Side {
    Side::new("/work", &["/home/ada"])
}

fn project_stream(message: &[u8]) -> usize {
    let stream = side().described(|descriptor| descriptor.dialect = Dialect::StreamJson);
    let mut projection = stream.projection();
    let projected = projection.message(Direction::Outbound, message);
    projected.unwrap().len()
}

fn project(message: &[u8]) -> usize {
    let mut projection = side().projection();
    let projected = projection.message(Direction::Inbound, message);
    projected.unwrap().len()
}

fn project_uris(message: &[u8]) -> usize {
    let spelled = side().spelling(&[Spelling::FileUris, Spelling::ObjectKeys]);
    spelled.project(message).unwrap().len()
}

fn project_typed(message: &[u8]) -> usize {
    let typed = side().described(|descriptor| {
        descriptor.dialect = Dialect::TypedEnvelope;
        descriptor.environment_of_start = EnvironmentOfStart::Excluded;
    });
    let mut projection = typed.projection();
    projection
        .message(Direction::Outbound, message)
        .unwrap()
        .len()
}

fn project_answer(message: &[u8]) -> usize {
    let mut projection = side().projection();
    let request = br#"{"id":1,"method":"account/read"}"#;
    projection.message(Direction::Outbound, request).unwrap();
    projection
        .message(Direction::Inbound, message)
        .unwrap()
        .len()
}

fn resolve(message: &[u8]) -> usize {
    let resolution = side().resolution();
    resolution.message(message).bytes.len()
}

fn audit(message: &[u8]) -> usize {
    side().audit(message).unwrap();
    0
}

/// A figure of this process in bytes; `None` where the system does not say.
fn figure(name: &str) -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Not a test of its own: what the others run in a process of their own.
#[test]
fn runs_what_its_parent_names() {
    let Ok(name) = env::var(CASE) else { return };
    let mut cases = CASES.iter().chain(&GROWING).chain(&SAYING_NOTHING);
    let case = cases.find(|case| case.name == name).unwrap();
    // Once with little, so that code and stack are there.
    let little = [case.start, case.piece, case.end].concat();
    black_box((case.does)(little.as_bytes()));
    let before = figure("VmRSS:").unwrap();
    let mut message = Vec::with_capacity(8 * MIB);
    message.extend_from_slice(case.start.as_bytes());
    while message.len() + case.piece.len() + case.end.len() <= 8 * MIB {
        message.extend_from_slice(case.piece.as_bytes());
    }
    message.extend_from_slice(case.end.as_bytes());
    let length = (case.does)(&message);
    let peak = figure("VmHWM:").unwrap().saturating_sub(before);
    println!("message {} result {length} peak {peak}", message.len());
}

/// The message, the result and the peak of memory of a case, in bytes.
fn run_apart(case: &Case) -> [usize; 3] {
    let output = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "portable::memory::runs_what_its_parent_names",
            "--nocapture",
        ])
        .env(CASE, case.name)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    ["message", "result", "peak"].map(|name| {
        let at = words.iter().position(|word| *word == name);
        let at = at.unwrap_or_else(|| panic!("{}: {text}", case.name));
        words[at + 1].parse().unwrap()
    })
}

#[test]
fn the_longest_messages_take_at_most_two_and_a_half_times_their_length() {
    if figure("VmHWM:").is_none() {
        println!("skipped: this system does not say how much memory a process has had");
        return;
    }
    for case in &CASES {
        let [message, result, peak] = run_apart(case);
        let limit = message * 5 / 2 + MIB;
        println!(
            "{:<30} message {message} result {result} peak {peak} limit {limit}",
            case.name
        );
        assert!(peak <= limit, "{}: peak {peak}, limit {limit}", case.name);
    }
}

#[test]
fn messages_that_grow_take_little_more_than_both_lengths() {
    if figure("VmHWM:").is_none() {
        println!("skipped: this system does not say how much memory a process has had");
        return;
    }
    // A landing and an edit of 32 bytes each for each token that is resolved.
    for (case, edit) in GROWING.iter().zip([0, 64]) {
        let [message, result, peak] = run_apart(case);
        let edits = message / case.piece.len() * (edit + edit / 4);
        let limit = message + result * 5 / 4 + edits + MIB;
        println!(
            "{:<30} message {message} result {result} peak {peak} limit {limit}",
            case.name
        );
        assert!(peak <= limit, "{}: peak {peak}, limit {limit}", case.name);
    }
}

#[test]
fn of_messages_that_say_nothing_nothing_is_kept() {
    if figure("VmHWM:").is_none() {
        println!("skipped: this system does not say how much memory a process has had");
        return;
    }
    for case in &SAYING_NOTHING {
        let [message, result, peak] = run_apart(case);
        let limit = message * 5 / 4;
        println!(
            "{:<30} message {message} result {result} peak {peak} limit {limit}",
            case.name
        );
        assert!(peak <= limit, "{}: peak {peak}, limit {limit}", case.name);
    }
}
