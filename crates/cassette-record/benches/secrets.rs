//! Looking for secrets where there are none, in bytes a second.
//!
//! `cargo bench -p cassette-record --bench secrets [-- PART OF A NAME]`.

use std::hint::black_box;
use std::time::Duration;

use cassette_format::portable::Direction;
use cassette_format::schema::ConnectionId;
use cassette_record::{SecretFilter, SecretStream, Secrets, StreamedTexts};
use criterion::{BenchmarkId, Criterion, Throughput};

type Operation = Box<dyn FnMut(&[u8]) -> usize>;

fn main() {
    let criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    let mut criterion = criterion.configure_from_args();
    for (count, length) in [(1, 40), (5, 40), (20, 40), (5, 8)] {
        let values = keys(count, length);
        let filter = filter(&values);
        for (name, mut operation) in operations(&filter) {
            let mut group = criterion.benchmark_group(format!("{name}, {count} of {length} B"));
            for (input, bytes) in inputs(&values) {
                group.throughput(Throughput::Bytes(bytes.len() as u64));
                group.bench_function(BenchmarkId::from_parameter(input), |bencher| {
                    bencher.iter(|| operation(black_box(&bytes)));
                });
            }
            group.finish();
        }
    }
    criterion.final_summary();
}

fn operations(filter: &SecretFilter) -> Vec<(&'static str, Operation)> {
    let finding = filter.clone();
    let mut stream = SecretStream::new(filter);
    let mut texts = StreamedTexts::new(filter);
    let connection = ConnectionId::numbered(1);
    vec![
        ("find", Box::new(move |bytes| finding.find(bytes).count())),
        (
            "stream",
            Box::new(move |bytes| stream.push(bytes).hits.len()),
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
        ("250 B, delta", delta(1).into_bytes()),
        ("600 B", deltas(600)),
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
