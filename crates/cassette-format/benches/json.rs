//! The JSON scanner, editor and framer over messages of several shapes, in bytes a second.
//!
//! `cargo bench -p cassette-format --bench json [-- PART OF A NAME]`.

use std::hint::black_box;
use std::time::Duration;

use cassette_format::json::{
    Framer, Framing, FramingLimits, Scanner, Splicer, TokenKind, string_eq, write_string,
};
use criterion::{BenchmarkId, Criterion, Throughput};

type Operation = fn(&[u8]) -> usize;

const OPERATIONS: [(&str, Operation); 4] = [
    ("tokens", tokens),
    ("skip", skip),
    ("rewrite", rewrite),
    ("lines", lines),
];

fn main() {
    let criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    let mut criterion = criterion.configure_from_args();
    for (name, operation) in OPERATIONS {
        let mut group = criterion.benchmark_group(name);
        for (input, bytes) in inputs() {
            group.throughput(Throughput::Bytes(bytes.len() as u64));
            group.bench_with_input(
                BenchmarkId::from_parameter(input),
                &bytes,
                |bencher, bytes| {
                    bencher.iter(|| operation(black_box(bytes)));
                },
            );
        }
        group.finish();
    }
    criterion.final_summary();
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
