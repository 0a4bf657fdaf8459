//! Any tape that the format allows, spelled in any way that JSON allows: what
//! went in comes out, and nothing broken gets through.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cassette_format::schema::{
    CaptureOrigin, Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq, LaunchOrdinal,
};
use cassette_format::store::OpenError;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::prefix::{left_of, whole_lines_before};
use crate::tape_files::{Draft, DraftLine, OnDisk, Seen, connection, seen_in};
use crate::violations::{Broken, IN_ORDER, error_of, plant};

/// What a chunk says, before it is numbered.
#[derive(Debug, Clone)]
struct Said {
    connection: Index,
    kind: ChunkKind,
    data: Vec<u8>,
    undecodable: Option<String>,
    exit_code: Option<i64>,
    message: String,
    elapsed: u64,
    spelling: Spelling,
}

/// How a line is written.
#[derive(Debug, Clone)]
enum Spelling {
    /// As a recorder does.
    Recorded,
    /// With members in another order, white space, further members, escapes.
    Free {
        order: Vec<Index>,
        blank: String,
        extra: Vec<(String, String)>,
        escapes: Escapes,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    None,
    Slash,
    Digits,
    LineBreaks,
    Keys,
}

fn kind() -> impl Strategy<Value = ChunkKind> {
    prop_oneof![
        4 => Just(ChunkKind::Stdout),
        3 => Just(ChunkKind::Outbound),
        1 => Just(ChunkKind::Stderr),
        1 => Just(ChunkKind::Exit),
        1 => "[a-zA-Z\"\\\\ é]{0,6}".prop_map(|name| ChunkKind::named(&name)),
    ]
}

fn undecodable() -> impl Strategy<Value = Option<String>> {
    const TEXTS: &[&str] = &[
        "!",
        "====",
        "QUJD=",
        "QUI",
        "QU=D",
        "QUJD QUJD",
        "QUJD-_==",
        "\u{e9}",
        "QQ",
        "Q===",
    ];
    proptest::option::weighted(0.1, proptest::sample::select(TEXTS).prop_map(str::to_owned))
}

fn spelling() -> impl Strategy<Value = Spelling> {
    let extra_value = prop_oneof![
        Just("null"),
        Just("{\"data\":[1,{}]}"),
        Just("\"\\ud800\""),
        Just("-1e999"),
        Just("[[],{}]"),
    ];
    let extra = (
        "(x[a-z]{0,4}|é|data2|)",
        extra_value.prop_map(str::to_owned),
    );
    let escapes = proptest::sample::select(vec![
        Escapes::None,
        Escapes::Slash,
        Escapes::Digits,
        Escapes::LineBreaks,
        Escapes::Keys,
    ]);
    let free = (
        proptest::collection::vec(any::<Index>(), 12),
        "[ \t\r]{0,2}",
        proptest::collection::vec(extra, 0..3),
        escapes,
    );
    prop_oneof![
        2 => Just(Spelling::Recorded),
        3 => free.prop_map(|(order, blank, extra, escapes)| Spelling::Free { order, blank, extra, escapes }),
    ]
}

fn said(largest: usize) -> impl Strategy<Value = Said> {
    let data = prop_oneof![
        2 => proptest::collection::vec(any::<u8>(), 0..largest),
        1 => Just(vec![0xff; 12]),
        1 => Just(Vec::new()),
    ];
    let message =
        prop_oneof![3 => Just(String::new()), 1 => ".{0,4}", 1 => Just("a\"b\\\n\u{1}".to_owned())];
    let exit_code = proptest::option::weighted(0.3, any::<i64>());
    let elapsed = prop_oneof![0..100_000_u64, Just(ElapsedMs::MAX.get())];
    (
        any::<Index>(),
        kind(),
        data,
        undecodable(),
        exit_code,
        (message, elapsed),
        spelling(),
    )
        .prop_map(
            |(connection, kind, data, undecodable, exit_code, (message, elapsed), spelling)| Said {
                connection,
                kind,
                data,
                undecodable,
                exit_code,
                message,
                elapsed,
                spelling,
            },
        )
}

fn identity() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,3}", "[ -~]{0,5}", ".{0,3}"]
}

/// A sound tape of at least `connections` connections and `lines` lines; its
/// last connection says the first two things at least.
pub(crate) fn tape(
    connections: usize,
    lines: usize,
    largest: usize,
) -> impl Strategy<Value = Draft> {
    let identities =
        proptest::collection::vec((identity(), any::<bool>(), 1..u64::MAX), connections..5);
    let said = proptest::collection::vec(said(largest), lines..14);
    (identities, said, any::<bool>()).prop_map(|(identities, said, ends_with_line_feed)| {
        let connections: Vec<_> = identities
            .iter()
            .zip(1..)
            .map(|((name, attached, ordinal), number)| {
                let mut record = connection(number, ["codex", "Claude-Code "][number as usize % 2]);
                // The number makes it unique however it is trimmed.
                record.connection_id = ConnectionId::from_recorded(format!("{name}{number}"));
                record.launch_ordinal = LaunchOrdinal::new(*ordinal);
                if *attached {
                    record.capture_origin = CaptureOrigin::AttachedLiveConnection;
                }
                record
            })
            .collect();
        let mut sequences = vec![0; connections.len()];
        let lines = said
            .iter()
            .enumerate()
            .filter(|_| !connections.is_empty())
            .map(|(at, said)| {
                let last = connections.len() - 1;
                let of = if at < 2 {
                    last
                } else {
                    said.connection.index(connections.len())
                };
                sequences[of] += 1;
                said.line(&connections[of].connection_id, sequences[of], at as u64 + 1)
            });
        let lines = lines.collect();
        let mut draft = Draft::new(connections, lines);
        draft.ends_with_line_feed = ends_with_line_feed || draft.lines.is_empty();
        draft.seal();
        draft
    })
}

impl Said {
    fn line(&self, connection_id: &ConnectionId, chunk_seq: u64, global_seq: u64) -> DraftLine {
        let global_seq = GlobalSeq::new(global_seq);
        let chunk = Chunk {
            connection_id: connection_id.clone(),
            chunk_seq: ChunkSeq::new(chunk_seq),
            global_seq,
            elapsed: ElapsedMs::new(self.elapsed),
            kind: self.kind.clone(),
            data: self.data.clone(),
            exit_code: self.exit_code,
            message: self.message.clone(),
        };
        let Spelling::Free {
            order,
            blank,
            extra,
            escapes,
        } = &self.spelling
        else {
            return DraftLine::recorded(chunk);
        };
        let mut seen = Seen::from(chunk.clone());
        let mut data = STANDARD.encode(&chunk.data);
        if let Some(text) = &self.undecodable {
            data.clone_from(text);
            seen.data = Err(global_seq);
        }
        let json = |text: &str| serde_json::to_string(text).unwrap();
        let data = match escapes {
            Escapes::Slash => json(&data).replace('/', "\\/"),
            Escapes::Digits => json(&data).replace('A', "\\u0041").replace('=', "\\u003D"),
            Escapes::LineBreaks if data.len() > 4 => format!(
                "\"{}\\r\\n{}\\n\"",
                &json(&data[..4]).trim_matches('"'),
                json(&data[4..]).trim_matches('"')
            ),
            _ => json(&data),
        };
        let mut members = vec![
            ("connectionId".to_owned(), json(connection_id.as_str())),
            ("chunkSeq".to_owned(), chunk_seq.to_string()),
            ("globalSeq".to_owned(), global_seq.to_string()),
            ("elapsedMs".to_owned(), self.elapsed.to_string()),
            ("kind".to_owned(), json(self.kind.as_str())),
            ("data".to_owned(), data),
            (
                "exitCode".to_owned(),
                self.exit_code
                    .map_or("null".to_owned(), |code| code.to_string()),
            ),
            ("message".to_owned(), json(&self.message)),
        ];
        members.extend(extra.iter().cloned());
        let mut shuffled = Vec::new();
        for at in order {
            if !members.is_empty() {
                shuffled.push(members.remove(at.index(members.len())));
            }
        }
        let members: Vec<String> = shuffled
            .iter()
            .map(|(key, value)| {
                let key = match escapes {
                    Escapes::Keys => json(key).replace('e', "\\u0065"),
                    _ => json(key),
                };
                format!("{blank}{key}{blank}:{blank}{value}{blank}")
            })
            .collect();
        let text = format!("{blank}{{{}}}{blank}", members.join(","));
        DraftLine {
            text: text.into(),
            seen,
        }
    }
}

fn is_digest(error: &OpenError) -> bool {
    matches!(error, OpenError::Digest { .. })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_tape_gives_back_exactly_the_chunks_that_went_in(draft in tape(0, 0, 40)) {
        let tape = draft.on_disk().open().map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        prop_assert_eq!(seen_in(&tape), draft.seen());
        prop_assert_eq!(tape.manifest(), &draft.manifest);
        prop_assert_eq!(tape.inexact_sums(), []);
        let mut by_connection = 0;
        for record in &draft.manifest.connections {
            for (chunk, number) in tape.connection_chunks(&record.connection_id).zip(1..) {
                prop_assert_eq!(chunk.chunk_seq(), ChunkSeq::new(number));
                by_connection += 1;
            }
        }
        prop_assert_eq!(by_connection, tape.len());
        for chunk in tape.chunks() {
            prop_assert_eq!(chunk.line(), &*draft.lines[chunk.global_seq().get() as usize - 1].text);
        }
    }

    #[test]
    fn any_tape_cut_anywhere_leaves_its_whole_lines(draft in tape(1, 1, 40), cuts in proptest::collection::vec(any::<Index>(), 4)) {
        let (disk, frames) = (draft.on_disk(), draft.frames());
        for cut in cuts.iter().map(|cut| cut.index(frames.len())).chain([0, frames.len() - 1]) {
            std::fs::write(disk.frames(), &frames[..cut]).unwrap();
            prop_assert_eq!(left_of(&disk.prefix()), whole_lines_before(&draft, cut));
            let refusal = disk.refusal();
            prop_assert!(is_digest(&refusal), "{refusal:?}");
        }
    }

    #[test]
    fn any_tape_with_one_byte_changed_is_refused(draft in tape(1, 1, 40), at in any::<Index>(), bits in 1..=255_u8) {
        let mut frames = draft.frames();
        let at = at.index(frames.len());
        frames[at] ^= bits;
        let disk = draft.on_disk();
        std::fs::write(disk.frames(), &frames).unwrap();
        let refusal = disk.refusal();
            prop_assert!(is_digest(&refusal), "{refusal:?}");
        // Whatever stands there, reading what is left neither fails nor panics.
        let left = left_of(&disk.prefix());
        let before = frames[..at].iter().filter(|byte| **byte == b'\n').count();
        prop_assert_eq!(&left.seen[..before], &draft.seen()[..before]);
    }

    #[test]
    fn any_bytes_with_the_right_digest_load_or_are_refused_without_panic(frames in proptest::collection::vec(any::<u8>(), 0..200), lines in proptest::collection::vec("[\\{\\}\\[\\]:,\"a1\\\\ \n-]{0,20}", 0..10)) {
        for frames in [frames, lines.concat().into_bytes()] {
            let mut draft = Draft::conversation();
            draft.manifest.frames_sha256 = crate::tape_files::digest(&frames);
            let disk = OnDisk::of(cassette_format::store::write_manifest(&draft.manifest), &frames);
            prop_assert!(disk.open().is_err());
            prop_assert_eq!(disk.prefix().good_bytes(), 0);
        }
    }

    #[test]
    fn each_single_violation_in_any_tape_is_refused_with_its_own_error(draft in tape(3, 7, 20), violation in proptest::sample::select(&IN_ORDER[..])) {
        // Planting rewrites lines as a recorder would; what the manifest says of
        // an ordinal must leave room for a duplicate.
        let broken: Broken = plant(draft, &[violation]);
        let error = broken.disk.open_with(&broken.options).expect_err("a violation is planted");
        prop_assert_eq!(format!("{error:?}"), format!("{:?}", error_of(violation, &broken)));
    }
}
