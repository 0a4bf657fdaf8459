//! Connections that are recorded at once, each from a thread of its own.

use std::collections::BTreeMap;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};

use cassette_format::process::Frame;
use cassette_format::schema::{ChunkSeq, ConnectionId};
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{RecordOptions, Recorder, Tap};

use crate::live::{launch, registry};

const CONNECTIONS: usize = 8;
const ROUNDS: usize = 60;

/// When a chunk was handed over and when that had returned, by a clock that ticks with
/// each question.
type Times = BTreeMap<(ConnectionId, ChunkSeq), (u64, u64)>;

/// Of a round a request and an answer, as one of them is said in `directory`.
fn messages(connection: usize, round: usize, directory: &str) -> [String; 2] {
    let filler = "x".repeat((connection * 31 + round * 17) % 200);
    [
        format!("{{\"id\":{round},\"method\":\"open\",\"cwd\":\"{directory}/{filler}\"}}\n"),
        format!("{{\"id\":{round},\"result\":{{\"paths\":[\"{directory}\",\"{filler}\"]}}}}\n"),
    ]
}

/// Three pieces, cut at places that differ each time.
fn pieces(message: &str, number: usize) -> [&str; 3] {
    let first = 1 + number % (message.len() / 2);
    let second = first + 1 + number * 7 % (message.len() - first - 1);
    [
        &message[..first],
        &message[first..second],
        &message[second..],
    ]
}

/// One conversation; gives when its chunks were handed over.
fn talk(tap: &Tap, connection: usize, clock: &AtomicU64) -> Times {
    let tick = || clock.fetch_add(1, Ordering::SeqCst);
    let mut times = Times::new();
    let mut chunk = ChunkSeq::new(0);
    let mut took = |begun| {
        chunk = chunk.next();
        times.insert((tap.connection_id().clone(), chunk), (begun, tick()));
    };
    for round in 0..ROUNDS {
        let [request, answer] = messages(connection, round, "/work");
        for piece in pieces(&request, round + connection) {
            let begun = tick();
            tap.outbound(piece.as_bytes()).unwrap();
            took(begun);
            // Others have their turn while this one is unfinished.
            std::thread::yield_now();
        }
        for piece in pieces(&answer, round * connection) {
            let begun = tick();
            tap.inbound(&Frame::stdout(piece)).unwrap();
            took(begun);
            std::thread::yield_now();
        }
    }
    times
}

#[test]
fn conversations_at_once_are_each_exact_and_in_the_order_of_their_causes() {
    let scratch = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(scratch.path(), registry(), RecordOptions::default()).unwrap();
    let taps: Vec<Tap> = (0..CONNECTIONS)
        .map(|number| recorder.tap(&launch(&format!("session-{number}"))).unwrap())
        .collect();
    let (clock, start) = (AtomicU64::new(0), Barrier::new(CONNECTIONS));
    let times: Times = std::thread::scope(|scope| {
        let talks: Vec<_> = taps
            .iter()
            .enumerate()
            .map(|(number, tap)| {
                let (clock, start) = (&clock, &start);
                scope.spawn(move || {
                    start.wait();
                    talk(tap, number, clock)
                })
            })
            .collect();
        let times = talks.into_iter().map(|talk| talk.join().unwrap());
        times.flatten().collect()
    });
    assert_eq!(recorder.held().chunks, 0);
    drop(taps);
    recorder.finish().unwrap();

    let tape = Tape::open(scratch.path(), &ReadOptions::default()).unwrap();
    assert_eq!(tape.len(), CONNECTIONS * ROUNDS * 6);
    for (number, record) in tape.manifest().connections.iter().enumerate() {
        let of = |kind: &str| {
            let mine = tape.chunks().filter(|chunk| {
                *chunk.connection_id() == record.connection_id && chunk.kind().as_str() == kind
            });
            let data = mine.flat_map(|chunk| chunk.data().unwrap());
            String::from_utf8(data.collect()).unwrap()
        };
        let token = format!("${{SESSION_CWD:session-{number}:1}}");
        let rounds = (0..ROUNDS).map(|round| messages(number, round, &token));
        let (requests, answers): (Vec<_>, Vec<_>) =
            rounds.map(|[request, answer]| (request, answer)).unzip();
        assert_eq!(of("outbound"), requests.concat());
        assert_eq!(of("stdout"), answers.concat());
    }

    // What had returned before something else began stands before that.
    let mut latest_begun = 0;
    let mut held_behind_others = 0;
    let mut before: Option<ConnectionId> = None;
    for chunk in tape.chunks() {
        let id = chunk.connection_id().clone();
        let (begun, returned) = times[&(id.clone(), chunk.chunk_seq())];
        assert!(latest_begun < returned, "{:?}", chunk.global_seq());
        latest_begun = latest_begun.max(begun);
        held_behind_others += usize::from(before.is_some_and(|before| before != id));
        before = Some(id);
    }
    // Or the test shows nothing.
    assert!(held_behind_others > CONNECTIONS, "{held_behind_others}");
}
