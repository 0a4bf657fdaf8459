//! Nanoseconds a byte of the JSON scanner beside SHA-256 of the same bytes.
//!
//! `cargo bench -p cassette-format --bench json_scan`. The two are measured by
//! turns, so that a slow spell of the machine meets both.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::Instant;

use cassette_format::json::{
    Framer, Framing, FramingLimits, Scanner, Splicer, TokenKind, string_eq, write_string,
};
use sha2::{Digest, Sha256};

const ROUNDS: usize = 31;
const BYTES_A_ROUND: usize = 4 << 20;

fn main() {
    println!(
        "{:<26} {:<10} {:>8} {:>8} {:>8} {:>8}",
        "input", "operation", "min", "median", "sha256", "ratio"
    );
    for (input, bytes) in inputs() {
        for (operation, run) in operations() {
            let (ours, hash) = measure(&bytes, run);
            println!(
                "{input:<26} {operation:<10} {:>8.3} {:>8.3} {:>8.3} {:>8.2}",
                ours[0],
                ours[ROUNDS / 2],
                hash[ROUNDS / 2],
                ours[ROUNDS / 2] / hash[ROUNDS / 2],
            );
        }
    }
}

type Operation = fn(&[u8]) -> usize;

fn operations() -> [(&'static str, Operation); 5] {
    [
        ("tokens", tokens),
        ("skip", skip),
        ("rewrite", rewrite),
        ("lines", lines),
        ("utf8", utf8),
    ]
}

/// Sorted nanoseconds a byte of `run` and of SHA-256.
fn measure(bytes: &[u8], run: Operation) -> (Vec<f64>, Vec<f64>) {
    let repeat = (BYTES_A_ROUND / bytes.len()).max(1);
    let hash: Operation = |bytes| usize::from(Sha256::digest(bytes)[0]);
    let mut figures = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (operation, figures) in [run, hash].into_iter().zip(&mut figures) {
            let start = Instant::now();
            for _ in 0..repeat {
                black_box(operation(black_box(bytes)));
            }
            let nanos = start.elapsed().as_nanos() as f64;
            figures.push(nanos / (repeat * bytes.len()) as f64);
        }
    }
    let [mut ours, mut hash] = figures;
    ours.sort_by(f64::total_cmp);
    hash.sort_by(f64::total_cmp);
    (ours, hash)
}

fn tokens(bytes: &[u8]) -> usize {
    let mut scanner = Scanner::new(bytes);
    let mut count = 0;
    while let Ok(Some(token)) = scanner.next_token() {
        count += token.span.end;
    }
    count
}

fn skip(bytes: &[u8]) -> usize {
    let mut scanner = Scanner::new(bytes);
    let mut count = 0;
    while let Ok(Some(value)) = scanner.skip_value() {
        count += value.span.end;
    }
    count
}

/// Puts a token in the place of each string under a path key.
fn rewrite(bytes: &[u8]) -> usize {
    let mut scanner = Scanner::new(bytes);
    let mut splicer = Splicer::new(bytes);
    let mut is_path = false;
    while let Ok(Some(token)) = scanner.next_token() {
        match token.kind {
            TokenKind::Key => {
                is_path = ["cwd", "path"]
                    .iter()
                    .any(|key| string_eq(bytes, token.span, key));
            }
            TokenKind::String if is_path => {
                let landed = splicer.replace(token.span, b"\"${REPLAY_HOME}\"");
                assert!(landed.is_ok(), "tokens come in order");
            }
            _ => {}
        }
    }
    splicer.finish().len()
}

fn lines(bytes: &[u8]) -> usize {
    let mut framer = Framer::new(Framing::Lines, FramingLimits::new(usize::MAX));
    let mut count = 0;
    for chunk in bytes.chunks(8192) {
        framer.push(chunk);
        while let Ok(Some(message)) = framer.next_message() {
            count += message.bytes.len();
        }
    }
    framer.finish();
    count
        + framer
            .next_message()
            .map_or(0, |last| last.map_or(0, |last| last.bytes.len()))
}

fn utf8(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or(0, str::len)
}

fn inputs() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("600 B message", message(0)),
        ("1 MB of small objects", small_objects()),
        ("1 MB of messages", many_messages()),
        (
            "1 MB one ascii string",
            one_string("let total = items.len() + 1;    "),
        ),
        (
            "1 MB one string, escapes",
            one_string("let x = \"a\\b\";\n    let total = y;\n"),
        ),
        (
            "1 MB one string, accents",
            one_string("Das Gerät heißt „Prüfstand“ – 日本語. "),
        ),
        ("1 MB of [{\"a\":0},…]", array_of("{\"a\":0}")),
        ("1 MB of numbers", array_of("-12.5e3,1234567,0")),
    ]
}

fn message(id: usize) -> Vec<u8> {
    format!(
        concat!(
            r#"{{"jsonrpc":"2.0","id":{},"method":"session/update","params":{{"sessionId":"#,
            r#""0d3c5d1e-5b8a-4f0e-9a55-1f1f3f0d7c11","cwd":"/home/ada/project","update":{{"#,
            r#""sessionUpdate":"tool_call_update","toolCallId":"call_001","status":"completed","#,
            r#""kind":"edit","rawInput":{{"path":"/home/ada/project/src/main.rs","limit":200,"#,
            r#""offset":null,"force":false}},"content":[{{"type":"content","content":{{"type":"#,
            r#""text","text":"fn main() {{\n    println!(\"hello\");\n}}\n"}}}},{{"type":"diff","#,
            r#""path":"/home/ada/project/src/lib.rs","oldText":null,"newText":"pub mod a;\n"}}],"#,
            r#""usage":{{"input":1204,"output":88,"cost":0.0123}}}}}}}}"#,
        ),
        id
    )
    .into_bytes()
}

fn many_messages() -> Vec<u8> {
    let mut bytes = Vec::new();
    for id in 0..1_000_000 / message(0).len() {
        bytes.extend(message(id));
        bytes.push(b'\n');
    }
    bytes
}

fn small_objects() -> Vec<u8> {
    let mut bytes = Vec::from(b"[");
    for id in 0.. {
        if bytes.len() > 1_000_000 {
            break;
        }
        let object = format!(
            r#"{{"id":{id},"name":"item {id}","path":"/home/ada/project/{id}","on":true,"tags":["a","b"],"at":{{"line":{id},"column":7}}}},"#
        );
        bytes.extend(object.into_bytes());
    }
    bytes.extend(b"null]");
    bytes
}

fn one_string(text: &str) -> Vec<u8> {
    let mut bytes = Vec::from(br#"{"text":"#);
    write_string(&mut bytes, &text.repeat(1_000_000 / text.len()));
    bytes.push(b'}');
    bytes
}

fn array_of(element: &str) -> Vec<u8> {
    let count = 1_000_000 / (element.len() + 1);
    format!("[{}]", vec![element; count].join(",")).into_bytes()
}
