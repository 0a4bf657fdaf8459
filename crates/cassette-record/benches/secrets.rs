//! Nanoseconds a byte of looking for secrets where there are none, beside
//! SHA-256 of the same bytes.
//!
//! `cargo bench -p cassette-record --bench secrets [-- <operation>]`. The two are
//! measured by turns, so that a slow spell of the machine meets both.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::Instant;

use cassette_format::portable::Direction;
use cassette_format::schema::ConnectionId;
use cassette_record::{SecretFilter, SecretStream, Secrets, StreamedTexts};
use sha2::{Digest, Sha256};

const ROUNDS: usize = 15;
const BYTES_A_ROUND: usize = 2 << 20;

type Operation = Box<dyn FnMut(&[u8]) -> usize>;

fn main() {
    let only = std::env::args()
        .skip(1)
        .find(|word| !word.starts_with("--"));
    println!(
        "{:<8} {:<20} {:<22} {:>8} {:>8} {:>8} {:>8}",
        "secrets", "operation", "input", "min", "median", "sha256", "ratio"
    );
    for count in [1, 5, 20] {
        for (length, values) in [("8 B", keys(count, 8)), ("40 B", keys(count, 40))] {
            let start = Instant::now();
            let filter = filter(&values);
            println!("{count} of {length}: filter made in {:?}", start.elapsed());
            for (input, bytes) in inputs(&values) {
                for (operation, run) in operations(&filter) {
                    if only.as_ref().is_some_and(|only| only != operation) {
                        continue;
                    }
                    let (ours, hash) = measure(&bytes, run);
                    println!(
                        "{:<8} {operation:<20} {input:<22} {:>8.3} {:>8.3} {:>8.3} {:>8.2}",
                        format!("{count} {length}"),
                        ours[0],
                        ours[ROUNDS / 2],
                        hash[ROUNDS / 2],
                        ours[ROUNDS / 2] / hash[ROUNDS / 2],
                    );
                }
            }
        }
    }
}

fn operations(filter: &SecretFilter) -> Vec<(&'static str, Operation)> {
    let finding = filter.clone();
    let mut stream = SecretStream::new(filter);
    let mut single = SecretStream::new(filter);
    let mut texts = StreamedTexts::new(filter);
    let connection = ConnectionId::numbered(1);
    vec![
        ("find", Box::new(move |bytes| finding.find(bytes).count())),
        (
            "stream",
            Box::new(move |bytes| stream.push(bytes).hits.len()),
        ),
        (
            "stream, 1 B a push",
            Box::new(move |bytes| {
                bytes
                    .chunks(1)
                    .map(|byte| single.push(byte).hits.len())
                    .sum()
            }),
        ),
        (
            "streamed texts",
            Box::new(move |bytes| {
                texts.message(&connection, Direction::Inbound, bytes);
                texts.hits().len()
            }),
        ),
    ]
}

/// Sorted nanoseconds a byte of `run` and of SHA-256.
fn measure(bytes: &[u8], mut run: Operation) -> (Vec<f64>, Vec<f64>) {
    let repeat = (BYTES_A_ROUND / bytes.len()).max(1);
    let mut hash: Operation = Box::new(|bytes| usize::from(Sha256::digest(bytes)[0]));
    let mut figures = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (operation, figures) in [&mut run, &mut hash].into_iter().zip(&mut figures) {
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

fn filter(values: &[String]) -> SecretFilter {
    let mut secrets = Secrets::new();
    for (number, value) in values.iter().enumerate() {
        assert!(secrets.add(&format!("KEY_{number}"), value).is_ok());
    }
    let filter = SecretFilter::new(&secrets);
    assert!(filter.is_ok(), "a few keys fit");
    filter.unwrap_or_default()
}

/// Keys of letters, digits, `-` and `_`, the same in every run.
fn keys(count: usize, length: usize) -> Vec<String> {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut state = 88_172_645_463_325_252_u64;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(letters[(state % 64) as usize])
    };
    (0..count)
        .map(|_| (0..length).map(|_| letter()).collect())
        .collect()
}

fn inputs(values: &[String]) -> Vec<(&'static str, Vec<u8>)> {
    let deltas = |length: usize| {
        let mut bytes = Vec::new();
        let mut id = 0;
        while bytes.len() < length {
            bytes.extend(delta(id).into_bytes());
            id += 1;
        }
        bytes
    };
    // All but the last letter of each secret, over and over: nothing is found,
    // but nothing can be passed over either.
    let nearly: String = values
        .iter()
        .map(|value| &value[..value.len() - 1])
        .collect();
    let nearly = format!("[\"{}\"]", nearly.repeat(600_000 / nearly.len()));
    vec![
        (
            "60 B",
            br#"{"jsonrpc":"2.0","id":7,"result":{"stopReason":"end_turn"}}"#.to_vec(),
        ),
        ("250 B, delta", delta(1).into_bytes()),
        ("600 B", deltas(600)),
        ("6 kB", deltas(6_000)),
        (
            "600 kB",
            format!("[{}]", vec![delta(1); 2_400].join(",")).into_bytes(),
        ),
        (
            "600 kB, one string",
            format!("[\"{}\"]", "a few words that it says ".repeat(24_000)).into_bytes(),
        ),
        ("600 kB, near hits", nearly.into_bytes()),
    ]
}

fn delta(id: usize) -> String {
    format!(
        concat!(
            r#"{{"method":"item/agentMessage/delta","params":{{"threadId":"#,
            r#""0199a6a2-5f5c-7d51-a0f4-6c8f6a3c9a11","turnId":"0199a6a2-5f9e-7c33-9a3e-2d4f","#,
            r#""itemId":"msg_0a5f3c","delta":"a few words that the model says, "}},"#,
            r#""emittedAtMs":17{}}}"#,
        ),
        id
    )
}
