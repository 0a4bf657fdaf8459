//! What a loaded tape gives back, and that loading takes time in proportion to
//! what is loaded.

use std::time::{Duration, Instant};

use cassette_format::schema::{
    AgentSessionId, Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq, ProviderId,
};
use cassette_format::store::{InexactSum, OpenError, ReadLimits, ReadOptions, Sum};

use crate::tape_files::{Draft, DraftLine, Seen, connection, seen_in};

#[test]
fn a_tape_gives_back_what_went_in() {
    let draft = Draft::conversation();
    let tape = draft.on_disk().open().unwrap();
    assert_eq!(seen_in(&tape), draft.seen());
    assert_eq!(tape.manifest(), &draft.manifest);
    assert_eq!(
        (tape.len(), tape.is_empty(), tape.chunks().len()),
        (9, false, 9)
    );
    for (line, chunk) in draft.lines.iter().zip(tape.chunks()) {
        assert_eq!(chunk.line(), line.text);
    }
}

#[test]
fn chunks_of_a_connection_come_in_their_order() {
    let draft = Draft::conversation();
    let tape = draft.on_disk().open().unwrap();
    for record in &draft.manifest.connections {
        let of_it = |seen: &Seen| seen.connection_id == record.connection_id;
        let expected: Vec<Seen> = draft.seen().into_iter().filter(of_it).collect();
        let found = tape.connection_chunks(&record.connection_id);
        assert_eq!(found.len(), expected.len());
        assert_eq!(found.map(Seen::from).collect::<Vec<_>>(), expected);
    }
    for stranger in ["", "connection-0", "connection-10", "connection-4", "~"] {
        assert_eq!(
            tape.connection_chunks(&ConnectionId::from_recorded(stranger))
                .len(),
            0
        );
    }
}

#[test]
fn a_chunk_is_found_by_its_position_and_by_no_other() {
    let tape = Draft::conversation().on_disk().open().unwrap();
    for at in 1..=9 {
        assert_eq!(
            tape.chunk(GlobalSeq::new(at)).unwrap().global_seq(),
            GlobalSeq::new(at)
        );
    }
    for at in [0, 10, u64::MAX] {
        assert!(tape.chunk(GlobalSeq::new(at)).is_none());
    }
}

#[test]
fn a_tape_without_chunks_or_connections_loads() {
    let tape = Draft::new(Vec::new(), Vec::new()).on_disk().open().unwrap();
    assert!(tape.is_empty() && tape.chunks().next().is_none() && tape.defects().next().is_none());
    let silent = Draft::new(vec![connection(1, "codex")], Vec::new());
    assert_eq!(
        silent
            .on_disk()
            .open()
            .unwrap()
            .connection_chunks(&ConnectionId::numbered(1))
            .len(),
        0
    );
}

#[test]
fn any_provider_is_accepted_unless_some_are_named() {
    let mut draft = Draft::conversation();
    draft.manifest.connections[1].provider = ProviderId::from_recorded(" Claude-CODE ");
    let disk = draft.on_disk();
    assert!(disk.open().is_ok());
    let known = |names: &[&str]| {
        ReadOptions::default().for_providers(names.iter().copied().map(ProviderId::from_recorded))
    };
    assert!(disk.open_with(&known(&["codex", "claude-code"])).is_ok());
    let error = disk.open_with(&known(&["codex"])).unwrap_err();
    assert!(
        matches!(error, OpenError::UnknownProvider { provider, .. } if provider.as_str() == " Claude-CODE ")
    );
    assert!(disk.open_with(&known(&[])).is_err());
}

#[test]
fn stored_bytes_of_a_kind_may_be_inexact_and_are_reported() {
    let mut draft = Draft::conversation();
    let stats = draft
        .manifest
        .frames_by_kind
        .get_mut(&ChunkKind::Stderr)
        .unwrap();
    let counted = stats.stored_bytes;
    stats.stored_bytes = 1;
    let tape = draft.on_disk().open().unwrap();
    let expected = InexactSum {
        kind: ChunkKind::Stderr,
        recorded: 1,
        counted,
    };
    assert_eq!(tape.inexact_sums(), [expected]);
    assert_eq!(
        Draft::conversation()
            .on_disk()
            .open()
            .unwrap()
            .inexact_sums(),
        []
    );
}

#[test]
fn a_kind_that_only_the_manifest_or_only_the_tape_has_is_a_wrong_sum() {
    let mut draft = Draft::conversation();
    let stats = draft
        .manifest
        .frames_by_kind
        .remove(&ChunkKind::Stderr)
        .unwrap();
    let disk = draft.on_disk();
    let expected = |recorded, counted| OpenError::Sum {
        path: disk.manifest(),
        sum: Sum::KindFrameCount(ChunkKind::Stderr),
        recorded,
        counted,
    };
    assert_eq!(
        format!("{:?}", disk.refusal()),
        format!("{:?}", expected(0, 1))
    );
    draft
        .manifest
        .frames_by_kind
        .insert(ChunkKind::Stderr, stats);
    draft
        .manifest
        .frames_by_kind
        .insert(ChunkKind::named("aaa"), stats);
    let disk = draft.on_disk();
    let error = disk.refusal();
    assert!(
        matches!(&error, OpenError::Sum { sum: Sum::KindFrameCount(kind), recorded: 1, counted: 0, .. } if kind.as_str() == "aaa"),
        "{error:?}"
    );
    draft
        .manifest
        .frames_by_kind
        .insert(ChunkKind::named("aaa"), Default::default());
    assert!(draft.on_disk().open().is_ok());
}

#[test]
fn the_largest_payload_in_the_manifest_is_for_people_only() {
    let mut draft = Draft::conversation();
    draft.manifest.max_frame_bytes = u64::MAX;
    draft.manifest.limits.max_frame_bytes = 0;
    assert!(draft.on_disk().open().is_ok());
}

#[test]
fn a_frame_count_beyond_all_bounds_reserves_no_memory() {
    let mut draft = Draft::conversation();
    draft.manifest.frame_count = u64::MAX;
    assert!(matches!(
        draft.on_disk().refusal(),
        OpenError::FrameCount {
            found: 9,
            recorded: u64::MAX,
            ..
        }
    ));
}

#[test]
fn any_single_changed_byte_of_the_frames_changes_the_digest() {
    let draft = Draft::conversation();
    let disk = draft.on_disk();
    let frames = draft.frames();
    for at in 0..frames.len() {
        let mut changed = frames.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(disk.frames(), &changed).unwrap();
        let expected = OpenError::Digest {
            path: disk.frames(),
            recorded: draft.manifest.frames_sha256.clone(),
            actual: crate::tape_files::digest(&changed),
        };
        assert_eq!(
            format!("{:?}", disk.refusal()),
            format!("{expected:?}"),
            "byte {at}"
        );
    }
}

#[test]
fn a_tape_of_several_megabytes_is_hashed_whole() {
    // Longer than what is read before it is handed to the hashing thread, and no
    // multiple of it.
    let line = |at: u64| {
        DraftLine::recorded(Chunk {
            connection_id: ConnectionId::numbered(1),
            chunk_seq: ChunkSeq::new(at),
            global_seq: GlobalSeq::new(at),
            elapsed: ElapsedMs::new(at),
            kind: ChunkKind::Stdout,
            data: vec![at as u8; 3000],
            exit_code: None,
            message: String::new(),
        })
    };
    let draft = Draft::new(vec![connection(1, "codex")], (1..=1111).map(line).collect());
    let disk = draft.on_disk();
    assert_eq!(seen_in(&disk.open().unwrap()), draft.seen());
    let mut frames = draft.frames();
    for at in [
        0,
        1024 * 1024 - 1,
        1024 * 1024,
        frames.len() / 2,
        frames.len() - 1,
    ] {
        frames[at] ^= 1;
        std::fs::write(disk.frames(), &frames).unwrap();
        assert!(matches!(disk.refusal(), OpenError::Digest { .. }));
        frames[at] ^= 1;
    }
    std::fs::write(disk.frames(), &frames).unwrap();
    assert!(disk.open().is_ok());
}

/// So many connections with one chunk each, in opposite order.
fn crowd(size: u64) -> Draft {
    let connections = (1..=size)
        .map(|number| connection(number, "codex"))
        .collect();
    let lines = (1..=size).map(|number| {
        DraftLine::recorded(Chunk {
            connection_id: ConnectionId::numbered(size + 1 - number),
            chunk_seq: ChunkSeq::FIRST,
            global_seq: GlobalSeq::new(number),
            elapsed: ElapsedMs::new(number),
            kind: ChunkKind::Exit,
            data: Vec::new(),
            exit_code: Some(0),
            message: String::new(),
        })
    });
    Draft::new(connections, lines.collect())
}

#[test]
fn a_hundred_thousand_connections_take_time_in_proportion() {
    let draft = crowd(100_000);
    let disk = draft.on_disk();
    let limits = ReadLimits {
        max_manifest_bytes: 64 * 1024 * 1024,
        ..ReadLimits::default()
    };
    let options = ReadOptions::default().with_limits(limits);
    let before = Instant::now();
    let tape = disk.open_with(&options).unwrap();
    let chunks: usize = draft
        .manifest
        .connections
        .iter()
        .map(|record| tape.connection_chunks(&record.connection_id).len())
        .sum();
    assert_eq!(chunks, 100_000);
    // Quadratic work takes minutes in a debug build; this takes about a second.
    let taken = before.elapsed();
    assert!(taken < Duration::from_secs(60), "{taken:?}");
}

#[test]
fn of_gaps_in_every_connection_the_one_of_the_first_connection_is_reported() {
    let mut draft = crowd(30_000);
    for line in &mut draft.lines {
        line.rewrite(|chunk| chunk.chunk_seq = ChunkSeq::new(2));
    }
    for record in &mut draft.manifest.connections {
        record.agent_session = AgentSessionId::from_recorded("one");
        record.launch_ordinal = record.connection_id.as_str()["connection-".len()..]
            .parse()
            .unwrap();
    }
    draft.seal();
    let limits = ReadLimits {
        max_manifest_bytes: 64 * 1024 * 1024,
        ..ReadLimits::default()
    };
    let error = draft
        .on_disk()
        .open_with(&ReadOptions::default().with_limits(limits))
        .unwrap_err();
    assert!(
        matches!(&error, OpenError::ChunkSequence { connection_id, line: 30_000, .. }
        if connection_id.as_str() == "connection-1"),
        "{error:?}"
    );
}
