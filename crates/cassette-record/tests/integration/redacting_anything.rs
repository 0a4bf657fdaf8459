//! Tapes of any kind with secrets in them, and what their cleaned copies hold, byte for
//! byte.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cassette_format::process::{ExitCode, Frame};
use cassette_format::schema::Chunk;
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{
    Clock, RecordOptions, Recorder, RedactOptions, SecretFilter, Secrets, Tap, redact,
};
use proptest::prelude::*;

use crate::live::{launch, registry};

/// Which connection, and which of [`KINDS`].
type StreamKey = (usize, usize);

const KINDS: [&str; 3] = ["outbound", "stdout", "stderr"];
const NAMES: [&str; 3] = ["A", "B", "C"];

#[derive(Debug, Clone)]
enum Segment {
    Filler(String),
    Secret(usize),
    /// The first two secrets overlapping by so many letters.
    Overlap,
}

#[derive(Debug, Clone)]
struct Said {
    stream: StreamKey,
    segments: Vec<Segment>,
    cuts: Vec<usize>,
    spelling: u8,
    shape: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Lines,
    Framed,
    Raw,
}

#[derive(Debug, Clone)]
struct Plan {
    cut: Cut,
    secrets: Vec<String>,
    said: Vec<Said>,
    bystanders: Vec<(usize, StreamKey)>,
    order: Vec<usize>,
    chunks: Vec<usize>,
    exits: bool,
}

const BYSTANDERS: [&str; 8] = [
    r#"{"a":1e999,"a":-0,"a":1.50e2, "b" : "\ud800 \/ \u00e9"}"#,
    r#"[ {"method":"x"},{"id":123456789012345678901234567890} ]"#,
    "no json at all ${REDACTED:A} {",
    r#"{"method":"delta","params":{"itemId":"9","text":""}}"#,
    "",
    r#"{"id":"${REDACTED:A}","result":{"path":"${SESSION_CWD:session-1:1}/a"}}"#,
    "\u{1f511}\u{2028}",
    r#"{"deep":[[[[[[["x"]]]]]],"K9"}"#,
];

fn secret() -> impl Strategy<Value = String> {
    r#"[A-Z][A-Za-z0-9é🔑"\\/<>]{6,20}[0-9]"#.prop_map(|inner| format!("K{inner}Z"))
}

fn segment() -> impl Strategy<Value = Segment> {
    prop_oneof![
        "[a-z ,é]{0,12}".prop_map(Segment::Filler),
        (0_usize..3).prop_map(Segment::Secret),
        Just(Segment::Overlap),
    ]
}

fn stream() -> impl Strategy<Value = StreamKey> {
    (0_usize..2, 0_usize..2)
}

fn said() -> impl Strategy<Value = Said> {
    (
        stream(),
        prop::collection::vec(segment(), 1..5),
        prop::collection::vec(1_usize..9, 1..20),
        0_u8..4,
        0_u8..10,
    )
        .prop_map(|(stream, segments, cuts, spelling, shape)| Said {
            stream,
            segments,
            cuts,
            spelling,
            shape,
        })
}

fn plan() -> impl Strategy<Value = Plan> {
    (
        prop_oneof![Just(Cut::Lines), Just(Cut::Framed), Just(Cut::Raw)],
        prop::collection::vec(secret(), 3),
        prop::collection::vec(said(), 1..5),
        prop::collection::vec((0..BYSTANDERS.len(), (0_usize..2, 0_usize..3)), 0..8),
        prop::collection::vec(0_usize..1000, 1..40),
        prop::collection::vec(1_usize..60, 1..30),
        any::<bool>(),
    )
        .prop_map(
            |(cut, mut secrets, said, bystanders, order, chunks, exits)| {
                // The second begins with the end of the first.
                let tail: String = secrets[0]
                    .chars()
                    .skip(secrets[0].chars().count() - 4)
                    .collect();
                secrets[1] = format!("{tail}{}", secrets[1]);
                Plan {
                    cut,
                    secrets,
                    said,
                    bystanders,
                    order,
                    chunks,
                    exits,
                }
            },
        )
}

fn spell(piece: &str, spelling: u8) -> String {
    let units = |letter: char| {
        let mut units = [0; 2];
        letter
            .encode_utf16(&mut units)
            .iter()
            .map(|unit| format!("\\u{unit:04X}"))
            .collect::<String>()
    };
    piece
        .chars()
        .enumerate()
        .map(|(at, letter)| match (spelling, letter) {
            (1, _) => units(letter),
            (2, '/') => "\\/".to_owned(),
            (2, letter) if at % 3 == 0 => units(letter),
            (_, '"') => "\\\"".to_owned(),
            (_, '\\') => "\\\\".to_owned(),
            (3, letter) if !letter.is_ascii() => units(letter).to_lowercase(),
            (_, letter) => letter.to_string(),
        })
        .collect()
}

/// A message with a piece of an item's text, in one of the ways in which agents tell
/// texts apart that they write in turns.
fn shape(shape: u8, (item, piece): (usize, usize), text: &str) -> String {
    let (session, part) = (item / 2, item % 2);
    match shape {
        0 => format!(r#"{{"method":"delta","params":{{"itemId":"{item}","text":"{text}"}}}}"#),
        1 => format!(
            r#"{{"type":"event" , "id":"{item}","content":[{{"type":"text","text":"{text}"}}]}}"#
        ),
        2 => format!(r#"{{"n":1,"n":2e0,"text":"{text}","messageId":"{item}"}}"#),
        3 => format!(r#"{{"itemId": {item},"numbered":"{text}"}}"#),
        4 => format!(r#"{{"type":"delta","output_index":{item},"indexed":{{"text":"{text}"}}}}"#),
        5 => format!(
            r#"{{"sessionId":"{session}","itemId":"{part}","number":{piece},"paired":"{text}"}}"#
        ),
        6 => format!(r#"{{"method":"output","stream":"std-{item}","streamed":"{text}"}}"#),
        7 => format!(r#"{{"parts":[{}"{text}"]}}"#, r#""","#.repeat(item)),
        8 => format!(
            r#"{{{}"again":"{text}"}}"#,
            r#""again":"","#.repeat(item + 1)
        ),
        _ => format!(r#"{{"type":"kind {piece}","text{item}":"{text}"}}"#),
    }
}

#[derive(Debug, Clone)]
struct Sent {
    stream: StreamKey,
    content: String,
    /// Of which text, and whether a secret touches it.
    piece: Option<(usize, bool)>,
}

/// All messages in order.
fn messages(plan: &Plan) -> (Vec<Sent>, Vec<String>) {
    let mut queues: Vec<VecDeque<Sent>> = Vec::new();
    let mut fillers = Vec::new();
    for (item, said) in plan.said.iter().enumerate() {
        let mut letters: Vec<(char, bool)> = Vec::new();
        let mut filler = String::new();
        for segment in &said.segments {
            let mut add =
                |text: &str, is_secret: bool| letters.extend(text.chars().map(|c| (c, is_secret)));
            match segment {
                Segment::Filler(text) => {
                    add(text, false);
                    filler.push_str(text);
                }
                Segment::Secret(index) => add(&plan.secrets[*index], true),
                Segment::Overlap => {
                    add(&plan.secrets[0], true);
                    let rest: String = plan.secrets[1].chars().skip(4).collect();
                    add(&rest, true);
                }
            }
        }
        fillers.push(filler);
        let mut queue: VecDeque<Sent> = VecDeque::new();
        let mut rest = &letters[..];
        for length in said.cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*length).min(rest.len()));
            rest = after;
            let text: String = piece.iter().map(|(letter, _)| *letter).collect();
            queue.push_back(Sent {
                stream: said.stream,
                content: shape(
                    said.shape,
                    (item, queue.len()),
                    &spell(&text, said.spelling),
                ),
                piece: Some((item, piece.iter().any(|(_, secret)| *secret))),
            });
        }
        queues.push(queue);
    }
    for (index, stream) in &plan.bystanders {
        // Lines of no JSON have a text of their own that runs on.
        queues.push(
            [Sent {
                stream: *stream,
                content: BYSTANDERS[*index].to_owned(),
                piece: None,
            }]
            .into(),
        );
    }
    let mut all = Vec::new();
    for pick in plan.order.iter().cycle() {
        queues.retain(|queue| !queue.is_empty());
        if queues.is_empty() {
            break;
        }
        let at = pick % queues.len();
        all.extend(queues[at].pop_front());
    }
    (all, fillers)
}

fn framed(content: &str, is_framed: bool) -> String {
    if is_framed {
        format!("Content-Length: {}\r\n\r\n{content}", content.len())
    } else {
        format!("{content}\n")
    }
}

/// Own cutting of a stream, independent of the library's.
fn cut(mut bytes: &[u8], is_framed: bool) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let end = if is_framed {
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
            let digits: String = text["Content-Length: ".len()..]
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            "Content-Length: ".len() + digits.len() + 4 + digits.parse::<usize>().unwrap()
        } else {
            bytes
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(bytes.len(), |at| at + 1)
        };
        let (message, rest) = bytes.split_at(end);
        all.push(message.to_vec());
        bytes = rest;
    }
    all
}

fn chunks(dir: &Path) -> Vec<Chunk> {
    let tape = Tape::open(dir, &ReadOptions::default()).unwrap();
    tape.chunks()
        .map(|view| Chunk {
            connection_id: view.connection_id().clone(),
            chunk_seq: view.chunk_seq(),
            global_seq: view.global_seq(),
            elapsed: view.elapsed(),
            kind: view.kind(),
            data: view.data().unwrap(),
            exit_code: view.exit_code(),
            message: view.message(),
        })
        .collect()
}

type Streams = BTreeMap<(String, String), Vec<(usize, Vec<u8>)>>;

fn streams(chunks: &[Chunk]) -> Streams {
    let mut all = Streams::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let key = (
            chunk.connection_id.to_string(),
            chunk.kind.as_str().to_owned(),
        );
        all.entry(key)
            .or_default()
            .push((index, chunk.data.clone()));
    }
    all
}

/// Where the messages belong: changed ones whole in the chunk in which they end.
fn placed(chunks: &[(usize, Vec<u8>)], before: &[Vec<u8>], after: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut placed: Vec<Vec<u8>> = vec![Vec::new(); chunks.len()];
    let ends: Vec<usize> = chunks
        .iter()
        .scan(0, |end, (_, data)| {
            *end += data.len();
            Some(*end)
        })
        .collect();
    let of = |at: usize| ends.iter().position(|end| at < *end).unwrap();
    let mut at = 0;
    for (old, new) in before.iter().zip(after) {
        if old == new {
            for (offset, byte) in old.iter().enumerate() {
                placed[of(at + offset)].push(*byte);
            }
        } else {
            placed[of(at + old.len() - 1)].extend(new);
        }
        at += old.len();
    }
    placed
}

fn without_tokens(text: &str) -> String {
    let mut rest = text.to_owned();
    for name in NAMES {
        rest = rest.replace(&format!("${{REDACTED:{name}}}"), "");
    }
    rest
}

/// What the host and its agents do, recorded.
fn record(plan: &Plan, sent: &[Sent], dir: &Path) {
    let ticks = AtomicU64::new(0);
    let clock = Clock::from_fn(move || Duration::from_millis(ticks.fetch_add(3, Ordering::SeqCst)));
    let options = RecordOptions {
        clock: Some(clock),
        ..RecordOptions::default()
    };
    let recorder = Recorder::create(dir, registry(), options).unwrap();
    let taps = ["session-1", "session-2"].map(|session| {
        let mut launch = launch(session);
        let provider = match plan.cut {
            Cut::Lines => "test",
            Cut::Framed => "framed",
            Cut::Raw => "raw",
        };
        launch.session.as_mut().unwrap().provider = provider.parse().unwrap();
        recorder.tap(&launch).unwrap()
    });
    say_in_chunks(plan, sent, &taps);
    if plan.exits {
        let remark = format!("died of {}", plan.secrets[2]);
        let exit = Frame::exit(ExitCode::new(3)).with_message(remark);
        taps[0].inbound(&exit).unwrap();
    }
    for tap in &taps {
        tap.close().unwrap();
    }
    recorder.finish().unwrap();
}

fn say_in_chunks(plan: &Plan, sent: &[Sent], taps: &[Tap; 2]) {
    let mut pending: BTreeMap<StreamKey, Vec<u8>> = BTreeMap::new();
    let mut lengths = plan.chunks.iter().copied().cycle();
    for message in sent {
        let whole = framed(
            &message.content,
            plan.cut == Cut::Framed && KINDS[message.stream.1] != "stderr",
        );
        let waiting = pending.entry(message.stream).or_default();
        waiting.extend(whole.into_bytes());
        let length = lengths.next().unwrap();
        if waiting.len() > length {
            let rest = waiting.split_off(length);
            let chunk = std::mem::replace(waiting, rest);
            say(taps, message.stream, chunk);
        }
    }
    for (stream, mut waiting) in pending {
        while !waiting.is_empty() {
            let length = 4 * lengths.next().unwrap();
            let rest = waiting.split_off(length.min(waiting.len()));
            say(taps, stream, waiting);
            waiting = rest;
        }
    }
}

fn say(taps: &[Tap; 2], (connection, kind): StreamKey, bytes: Vec<u8>) {
    let tap = &taps[connection];
    match KINDS[kind] {
        "outbound" => tap.outbound(&bytes).unwrap(),
        "stdout" => drop(tap.inbound(&Frame::stdout(bytes)).unwrap()),
        _ => drop(tap.inbound(&Frame::stderr(bytes)).unwrap()),
    }
}

fn secrets_of(plan: &Plan) -> Secrets {
    let mut secrets = Secrets::new();
    for (name, value) in NAMES.iter().zip(&plan.secrets) {
        secrets.add(name, value).unwrap();
    }
    secrets
}

/// The text that a message brings of an item.
fn text_of(message: &[u8], item: usize) -> String {
    let message = std::str::from_utf8(message).unwrap();
    let body = message
        .split_once("\r\n\r\n")
        .map_or(message, |(_, body)| body);
    let value: serde_json::Value = serde_json::from_str(body).unwrap();
    let places = [
        "/params/text",
        "/content/0/text",
        "/text",
        "/numbered",
        "/indexed/text",
        "/paired",
        "/streamed",
        &format!("/parts/{item}"),
        "/again",
        &format!("/text{item}"),
    ];
    let text = places.iter().find_map(|place| value.pointer(place));
    text.unwrap().as_str().unwrap().to_owned()
}

fn joined(chunks: &[(usize, Vec<u8>)]) -> Vec<u8> {
    chunks.iter().flat_map(|(_, data)| data.clone()).collect()
}

/// Messages that a secret touches have changed, the others have not, and each is where it
/// belongs. Gives what the texts say now.
fn check_streams(plan: &Plan, sent: &[Sent], [old, new]: [&[Chunk]; 2]) -> BTreeMap<usize, String> {
    let filter = SecretFilter::new(&secrets_of(plan)).unwrap();
    let (old, new) = (streams(old), streams(new));
    let mut texts: BTreeMap<usize, String> = BTreeMap::new();
    for ((connection, kind), after_chunks) in &new {
        let before_chunks = &old[&(connection.clone(), kind.clone())];
        let (before, after) = (joined(before_chunks), joined(after_chunks));
        assert_eq!(filter.find(&after).count(), 0);
        let Some(number) = KINDS.iter().position(|known| known == kind) else {
            assert_eq!(before, after);
            continue;
        };
        let stream = (usize::from(connection != "connection-1"), number);
        let is_framed = plan.cut == Cut::Framed && kind != "stderr";
        let (before, after) = (cut(&before, is_framed), cut(&after, is_framed));
        let said: Vec<&Sent> = sent.iter().filter(|it| it.stream == stream).collect();
        assert_eq!((said.len(), said.len()), (before.len(), after.len()));
        for ((sent, old), new) in said.iter().zip(&before).zip(&after) {
            let touched = sent.piece.is_some_and(|(_, touched)| touched);
            assert_eq!(touched, old != new, "{}", String::from_utf8_lossy(new));
            if let Some((item, _)) = sent.piece {
                texts.entry(item).or_default().push_str(&text_of(new, item));
            }
        }
        // Without messages it is bytes that keep their places.
        if plan.cut != Cut::Raw {
            let found: Vec<Vec<u8>> = after_chunks.iter().map(|(_, data)| data.clone()).collect();
            assert_eq!(placed(before_chunks, &before, &after), found);
        }
    }
    texts
}

fn at_least(cases: u32) -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig {
        cases: asked.cases.max(cases),
        failure_persistence: None,
        ..asked
    }
}

proptest! {
    #![proptest_config(at_least(256))]

    #[test]
    fn a_cleaned_copy_lacks_the_secrets_and_nothing_else(plan in plan()) {
        let scratch = tempfile::tempdir().unwrap();
        let (from, to) = (scratch.path().join("tape"), scratch.path().join("clean"));
        let (sent, fillers) = messages(&plan);
        record(&plan, &sent, &from);
        let files = ["frames.jsonl", "manifest.json"].map(|file| from.join(file));
        let source = files.clone().map(|file| fs::read(file).unwrap());

        let options = RedactOptions {
            secrets: secrets_of(&plan),
            registry: registry(),
            read: ReadOptions::default(),
        };
        let report = redact(&from, &to, &options).unwrap();

        prop_assert!(source == files.map(|file| fs::read(file).unwrap()), "the source changed");
        let (old, new) = (chunks(&from), chunks(&to));
        prop_assert_eq!((report.frames as usize, old.len()), (new.len(), new.len()));
        for (old, new) in old.iter().zip(&new) {
            let cleaned = Chunk {
                data: new.data.clone(),
                message: old.message.replace(&plan.secrets[2], "${REDACTED:C}"),
                ..old.clone()
            };
            prop_assert_eq!(&cleaned, new);
        }
        for (item, text) in check_streams(&plan, &sent, [&old, &new]) {
            prop_assert_eq!(&without_tokens(&text), &fillers[item], "text {}", item);
        }
    }
}
