//! Where the edits of what the agent says stand, however it was cut into chunks.

use cassette_format::descriptor::MessageFraming;
use cassette_format::process::{Frame, FrameEvent};
use cassette_format::schema::ChunkKind;
use cassette_replay::{PlayOptions, Player};
use proptest::prelude::*;
use proptest::sample::Index;

use super::host::{CWD, Connection, descriptor, launch, registry};
use super::tape::Recording;

/// A piece of what the agent says, and what it is on this side.
type Piece = (String, String);

/// Pieces that stay, and pieces that become something else.
fn stays(text: &str) -> Piece {
    (text.to_owned(), text.to_owned())
}

fn becomes(recorded: &str, now: &str) -> Piece {
    (recorded.to_owned(), now.to_owned())
}

/// What the host sends first: it binds the id and an identity.
const RECORDED: &str =
    "{\"id\":1,\"method\":\"work\",\"params\":{\"turnId\":\"turn-old\",\"sessionId\":\"s-old\"}}";
const SENT: &str = "{\"id\":\"a much longer id\",\"method\":\"work\",\"params\":{\"turnId\":\"\",\"sessionId\":\"s\"}}";

/// What is recorded before that and not sent, and its answer, which is left out.
const PROBE: &str = "{\"id\":77,\"method\":\"probe\"}";
const ANSWER: &str = "{\"id\":77,\"result\":{\"cwd\":\"/\"}}";

/// Messages of every sort, in lines.
fn lines(token: &str) -> Vec<Piece> {
    // Of a path the token is the value that is mapped.
    let path = || becomes(token, CWD);
    vec![
        stays("{ \"path\" : \""),
        path(),
        stays("/é\\u0041.rs\",\"paths\":[\""),
        path(),
        stays("\" ,\""),
        path(),
        stays("/b\"],\"text\":\"${REPLAY_HOME} stays\"}\r\n\n \t\r\nno JSON "),
        stays(token),
        stays("\n"),
        becomes(&format!("{ANSWER}\r\n"), ""),
        stays("{\"jsonrpc\":\"2.0\",\"result\":{\"turnId\":"),
        becomes("\"turn-old\"", "\"turn-new\""),
        stays(",\"sessionId\":\"s-old\"},\"id\":"),
        becomes("1", "\"a much longer id\""),
        stays("}\n{\"id\":1,\"method\":\"ask\",\"params\":{\"turnId\":"),
        becomes("\"turn-old\"", "\"turn-new\""),
        stays("}}\n{\"cwd\":\""),
        path(),
        stays("/last\"}"),
    ]
}

/// The same as the agent logs it: no answer is left out.
fn logged(token: &str) -> Vec<Piece> {
    let mut pieces = lines(token);
    for (recorded, now) in &mut pieces {
        if now.is_empty() {
            now.clone_from(recorded);
        }
    }
    pieces
}

/// The same with headers, whose numbers change with what they count.
fn with_headers(token: &str) -> Vec<Piece> {
    let bodies = [
        vec![stays("{\"path\":\""), becomes(token, CWD), stays("/a\"}")],
        vec![stays("{\"method\":\"event\"}")],
        vec![
            stays("{\"id\":"),
            becomes("1", "\"a much longer id\""),
            stays(",\"result\":{\"turnId\":"),
            becomes("\"turn-old\"", "\"turn-new\""),
            stays("}}"),
        ],
    ];
    let mut pieces = Vec::new();
    for body in bodies {
        let recorded: usize = body.iter().map(|(recorded, _)| recorded.len()).sum();
        let now: usize = body.iter().map(|(_, now)| now.len()).sum();
        pieces.push(stays("Content-Type: x\r\ncontent-length:  "));
        pieces.push(becomes(&recorded.to_string(), &now.to_string()));
        pieces.push(stays(" \r\n\r\n"));
        pieces.extend(body);
    }
    let left_out = format!("Content-Length: {}\r\n\r\n{ANSWER}", ANSWER.len());
    pieces.insert(6, becomes(&left_out, ""));
    pieces
}

/// What each chunk has to be: a piece that changes stands where its first byte was.
fn expected(pieces: &[Piece], cuts: &[usize]) -> Vec<String> {
    let recorded: String = pieces.iter().map(|(recorded, _)| &**recorded).collect();
    let chunk_of = |at: usize| cuts.iter().filter(|cut| **cut <= at).count();
    let mut chunks = vec![Vec::new(); cuts.len() + 1];
    let mut at = 0;
    for (before, now) in pieces {
        if before == now {
            for byte in before.bytes() {
                chunks[chunk_of(at)].push(byte);
                at += 1;
            }
        } else {
            chunks[chunk_of(at)].extend(now.bytes());
            at += before.len();
        }
    }
    assert_eq!(at, recorded.len());
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    chunks.iter().map(text).collect()
}

/// Plays every way of cutting, each on a connection of its own.
fn check(
    framing: MessageFraming,
    kind: &ChunkKind,
    pieces: impl Fn(&str) -> Vec<Piece>,
    ways: &[Vec<usize>],
) {
    let framed = |text: &str| match framing {
        MessageFraming::ContentLength => format!("Content-Length: {}\r\n\r\n{text}", text.len()),
        _ => format!("{text}\n"),
    };
    let session = |way: usize| format!("session-{way}");
    let token = |way: usize| format!("${{SESSION_CWD:{}:1}}", session(way));
    let mut recording = Recording::default();
    for (way, cuts) in ways.iter().enumerate() {
        let name = session(way);
        recording = recording.connection(("test", &name, &name), 1);
        recording = recording.outbound(framed(PROBE)).outbound(framed(RECORDED));
        let recorded: Vec<u8> = pieces(&token(way))
            .iter()
            .flat_map(|(recorded, _)| recorded.bytes().collect::<Vec<_>>())
            .collect();
        let mut from = 0;
        for to in cuts.iter().copied().chain([recorded.len()]) {
            recording = recording.chunk(kind.clone(), recorded[from..to].to_vec());
            from = to;
        }
        recording = recording.exit(0);
    }
    let registry = registry([descriptor(framing)]);
    let player = Player::new(recording.tape(), registry, PlayOptions::fast_forward()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        for (way, cuts) in ways.iter().enumerate() {
            let connection = Connection(player.launch(&launch(&session(way))).unwrap());
            connection
                .send(framed(&SENT.replace("\"\"", "\"turn-new\"")))
                .await;
            let mut heard = vec![String::new(); cuts.len() + 1];
            let mut last = 0;
            while let Some(frame) = connection.0.recv().await.unwrap() {
                let Frame { event, stamp, .. } = frame;
                let chunk = usize::try_from(stamp.unwrap().chunk_seq.get()).unwrap();
                assert!(chunk > last, "in order, once each");
                last = chunk;
                if let FrameEvent::Stdout(bytes) | FrameEvent::Stderr(bytes) = event {
                    assert!(!bytes.is_empty());
                    heard[chunk - 3] = String::from_utf8_lossy(&bytes).into_owned();
                }
            }
            let pieces = pieces(&token(way));
            assert_eq!(heard, expected(&pieces, cuts), "cut at {cuts:?}");
        }
        player.verify_complete().unwrap();
    });
}

fn recorded_len(pieces: &[Piece]) -> usize {
    pieces.iter().map(|(recorded, _)| recorded.len()).sum()
}

/// As long as those of the ways that are checked: names have as many digits.
fn len_of(pieces: impl Fn(&str) -> Vec<Piece>) -> usize {
    recorded_len(&pieces("${SESSION_CWD:session-0:1}"))
}

#[test]
fn an_edit_stands_where_its_value_begins_wherever_lines_are_cut() {
    let ways: Vec<Vec<usize>> = (0..=len_of(lines)).map(|cut| vec![cut]).collect();
    check(MessageFraming::Lines, &ChunkKind::Stdout, lines, &ways);
}

#[test]
fn an_edit_stands_where_its_value_begins_wherever_messages_with_headers_are_cut() {
    let ways: Vec<Vec<usize>> = (0..=len_of(with_headers)).map(|cut| vec![cut]).collect();
    let framing = MessageFraming::ContentLength;
    check(framing, &ChunkKind::Stdout, with_headers, &ways);
}

#[test]
fn messages_of_single_bytes_are_edited_in_both_streams() {
    let way: Vec<usize> = (1..len_of(lines)).collect();
    let framing = MessageFraming::Lines;
    check(
        framing,
        &ChunkKind::Stdout,
        lines,
        std::slice::from_ref(&way),
    );
    check(framing, &ChunkKind::Stderr, logged, &[way]);
    let way: Vec<usize> = (1..len_of(with_headers)).collect();
    let framing = MessageFraming::ContentLength;
    check(framing, &ChunkKind::Stdout, with_headers, &[way]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn an_edit_stands_where_its_value_begins_in_any_chunks(
        ways in prop::collection::vec(prop::collection::vec(any::<Index>(), 1..12), 10),
        has_headers in any::<bool>(),
    ) {
        let pieces = if has_headers { with_headers } else { lines };
        let framing = if has_headers { MessageFraming::ContentLength } else { MessageFraming::Lines };
        let len = len_of(pieces);
        let ways: Vec<Vec<usize>> = ways
            .into_iter()
            .map(|cuts| {
                let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(len + 1)).collect();
                cuts.sort_unstable();
                cuts
            })
            .collect();
        check(framing, &ChunkKind::Stdout, pieces, &ways);
    }
}
