//! The round trip of one line of JSON.

use std::io::{Read as _, Write as _};
use std::time::Instant;

use crate::launched::{Between, Launched, launch};

const VARIANTS: [Between; 5] = [
    Between::Nothing,
    Between::Threads,
    Between::Tasks,
    Between::Recorder("codex"),
    Between::Recorder("raw"),
];
const TRIPS: usize = 2_000;
const WARM_UP: usize = 100;
/// Bytes after which a new process is launched, as a recording is bounded.
const BYTES_A_LAUNCH: usize = 150_000_000;

/// Measures lines of several sizes, and prints a table.
pub(crate) fn measure(rounds: usize) {
    println!(
        "{:<10} {:<14} {:>12} {:>10} {:>11} {:>11} {:>11}",
        "line", "between", "median [us]", "p99 [us]", "added [us]", "least", "most"
    );
    for size in [60, 600, 6_000, 60_000] {
        let line = request(size);
        let mut times = [const { Vec::new() }; VARIANTS.len()];
        let mut medians = [const { Vec::new() }; VARIANTS.len()];
        for round in 0..rounds {
            for turn in 0..VARIANTS.len() {
                // No variant always comes behind the same one.
                let which = (turn + round) % VARIANTS.len();
                let took = trips(VARIANTS[which], &line);
                medians[which].push(quantile(&took, 50));
                times[which].extend(took);
            }
        }
        for (which, between) in VARIANTS.into_iter().enumerate() {
            let added = medians[which].iter().zip(&medians[0]);
            let added: Vec<f64> = added.map(|(ours, bare)| ours - bare).collect();
            println!(
                "{:<10} {:<14} {:>12.1} {:>10.1} {:>11.1} {:>11.1} {:>11.1}",
                format!("{size} B"),
                between.name(),
                quantile(&times[which], 50),
                quantile(&times[which], 99),
                quantile(&added, 50),
                quantile(&added, 0),
                quantile(&added, 100),
            );
        }
    }
}

/// Microseconds of each round trip.
fn trips(between: Between, line: &[u8]) -> Vec<f64> {
    let mut took = Vec::with_capacity(TRIPS);
    let most = (BYTES_A_LAUNCH / 2 / line.len()).min(TRIPS);
    while took.len() < TRIPS {
        let scratch = tempfile::tempdir().unwrap();
        let mut launched = launch(between, &["echo"], scratch.path());
        for trip in 0..most + WARM_UP {
            let start = Instant::now();
            round_trip(&mut launched, line);
            if trip >= WARM_UP && took.len() < TRIPS {
                took.push(start.elapsed().as_nanos() as f64 / 1e3);
            }
        }
        let Launched {
            mut child, input, ..
        } = launched;
        drop(input);
        assert!(child.wait().unwrap().success());
    }
    took
}

fn round_trip(launched: &mut Launched, line: &[u8]) {
    let mut buffer = [0; 64 * 1024];
    launched.input.write_all(line).unwrap();
    let mut got = 0;
    while got < line.len() {
        let count = launched.output.read(&mut buffer).unwrap();
        assert_ne!(count, 0, "the agent has ended");
        got += count;
    }
}

/// A request of this size.
fn request(size: usize) -> Vec<u8> {
    let head = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":[\"";
    let room = size.checked_sub(head.len() + 4).unwrap();
    let text = "some words of an agent, and more of them. ".repeat(room / 40 + 1);
    format!("{head}{}\"]}}\n", &text[..room]).into_bytes()
}

fn quantile(figures: &[f64], percent: usize) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    figures[(figures.len() - 1) * percent / 100]
}
