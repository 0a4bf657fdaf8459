//! What `cassette record` costs beside the bare agent and beside proxies that do nothing
//! but copy: the round trip of a line, and many bytes one way.
//!
//! `cargo bench -p cassette-cli --bench proxy [-- [ROUNDS] [MEGABYTES] [trips] [volume]]`: 11
//! rounds and 1000 MB to the client unless told; `trips` and `volume` choose one of the two.
//! All variants are measured by turns in each round, so that a slow spell of the machine
//! meets all of them; what counts are differences and ratios within a round. This program
//! is its own agent and its own copying proxies. Figures of processes are Linux only.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints figures and may end"
)]

mod agent;
mod copier;
mod launched;
mod sys;
mod trips;
mod volume;

/// How often everything is measured unless told.
const ROUNDS: usize = 11;
/// Megabytes to the client unless told.
const MEGABYTES: usize = 1000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["agent", "echo"] => agent::echo(),
        ["agent", "burst", bytes] => agent::burst(bytes.parse().unwrap()),
        ["agent", "sink"] => agent::sink(),
        ["proxy", "threads", command @ ..] => copier::threads(command),
        ["proxy", "tokio", command @ ..] => copier::tasks(command),
        words => measure(words),
    }
}

fn measure(words: &[&str]) {
    let mut numbers = words.iter().filter_map(|word| word.parse().ok());
    let rounds = numbers.next().unwrap_or(ROUNDS);
    let megabytes = numbers.next().unwrap_or(MEGABYTES);
    let chosen = |name| {
        let all = !words.contains(&"trips") && !words.contains(&"volume");
        all || words.contains(&name)
    };
    if chosen("trips") {
        trips::measure(rounds);
    }
    if chosen("volume") {
        volume::measure(megabytes);
    }
}
