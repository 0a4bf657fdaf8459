//! Chunks and bytes: of sound tapes, of what is left of one, of lines that nothing is
//! known of.

use std::collections::BTreeMap;

use cassette_format::schema::{CaptureOrigin, ChunkKind, ElapsedMs, KindStats};
use cassette_format::store::{RawTape, ReadOptions, write_manifest};
use cassette_format::summary::{Summarizer, Summary};

use super::script::{Script, registry};
use crate::tape_files::OnDisk;

fn stats(chunks: u64, payload_bytes: u64) -> (u64, u64) {
    (chunks, payload_bytes)
}

fn short(stats: &KindStats) -> (u64, u64) {
    (stats.frame_count, stats.payload_bytes)
}

fn kinds(kinds: &BTreeMap<ChunkKind, KindStats>) -> Vec<(&str, (u64, u64))> {
    let kinds = kinds.iter();
    kinds.map(|(kind, it)| (kind.as_str(), short(it))).collect()
}

fn two_connections() -> Script {
    Script::of(&["rpc", "nobody"])
        .at(5)
        .chunk(1, ChunkKind::Outbound, "12345")
        .at(7)
        .chunk(2, ChunkKind::Stderr, "123")
        .with(|chunk| chunk.message = "é".to_owned())
        .at(9)
        .chunk(1, ChunkKind::Stdout, "1")
        .chunk(1, ChunkKind::named("resize"), "12")
        .at(30)
        .chunk(1, ChunkKind::Exit, "")
        .with(|chunk| chunk.exit_code = Some(-1))
}

#[test]
fn a_tape_is_counted_whole_by_kind_and_by_connection() {
    let script = two_connections();
    let summary = script.summary();
    let manifest = script.draft().manifest;

    assert_eq!(short(&summary.total), stats(5, 13));
    assert_eq!(summary.total.stored_bytes, manifest.stored_bytes);
    assert_eq!(summary.frames_by_kind, manifest.frames_by_kind);
    assert_eq!(summary.duration, ElapsedMs::new(30));
    assert_eq!(summary.unlisted, KindStats::default());
    let [first, second] = &summary.connections[..] else {
        panic!("{summary:?}");
    };
    assert_eq!(
        kinds(&first.frames_by_kind),
        [
            ("exit", stats(1, 0)),
            ("outbound", stats(1, 5)),
            ("resize", stats(1, 2)),
            ("stdout", stats(1, 1)),
        ]
    );
    assert_eq!(short(&first.total), stats(4, 8));
    assert_eq!(kinds(&second.frames_by_kind), [("stderr", stats(1, 5))]);
    let stored = first.total.stored_bytes + second.total.stored_bytes;
    assert_eq!(stored, manifest.stored_bytes);
}

#[test]
fn a_connection_is_told_as_the_manifest_has_it() {
    let mut draft = two_connections().draft();
    draft.manifest.connections[1].capture_origin = CaptureOrigin::AttachedLiveConnection;
    let tape = draft.on_disk().open().unwrap();
    let summary = Summary::of(&tape, &registry());

    for (connection, record) in summary.connections.iter().zip(&tape.manifest().connections) {
        assert_eq!(connection.connection_id, record.connection_id);
        assert_eq!(connection.provider, record.provider);
        assert_eq!(connection.agent_session, record.agent_session);
        assert_eq!(connection.root_agent_session, record.root_agent_session);
        assert_eq!(connection.launch_ordinal, record.launch_ordinal);
        assert_eq!(connection.capture_origin, record.capture_origin);
    }
    assert_eq!(summary.connections.len(), 2);
}

#[test]
fn a_connection_tells_when_it_began_and_how_it_ended() {
    let summary = two_connections().summary();
    let [first, second] = &summary.connections[..] else {
        panic!("{summary:?}");
    };
    let at = |time| Some(ElapsedMs::new(time));

    assert_eq!((first.first_elapsed, first.last_elapsed), (at(5), at(30)));
    let exit = first.exit.unwrap();
    assert_eq!((exit.code, exit.elapsed), (Some(-1), ElapsedMs::new(30)));
    assert_eq!((second.first_elapsed, second.last_elapsed), (at(7), at(7)));
    assert_eq!(second.exit, None);
}

#[test]
fn an_exit_without_code_is_an_exit() {
    let script = Script::of(&["rpc"])
        .chunk(1, ChunkKind::Exit, "")
        .with(|chunk| chunk.exit_code = None);
    let exit = script.summary().connections[0].exit.unwrap();
    assert_eq!(exit.code, None);
}

#[test]
fn an_empty_tape_has_connections_and_nothing_else() {
    let summary = Script::of(&["rpc"]).summary();
    assert_eq!(summary.total, KindStats::default());
    assert_eq!(summary.duration, ElapsedMs::new(0));
    let first = &summary.connections[0];
    assert_eq!((first.first_elapsed, first.last_elapsed), (None, None));
    assert_eq!((first.exit, first.messages.is_some()), (None, true));
}

#[test]
fn what_is_left_of_a_tape_is_summarised_as_a_tape_that_ends_there() {
    let script = two_connections();
    let mut frames = script.draft().frames();
    frames.truncate(frames.len() - 3);
    let disk = OnDisk::of(write_manifest(&script.draft().manifest), frames);
    let left = Summary::of_prefix(&disk.prefix(), &registry());

    let shorter = Script::of(&["rpc", "nobody"])
        .at(5)
        .chunk(1, ChunkKind::Outbound, "12345")
        .at(7)
        .chunk(2, ChunkKind::Stderr, "123")
        .with(|chunk| chunk.message = "é".to_owned())
        .at(9)
        .chunk(1, ChunkKind::Stdout, "1")
        .chunk(1, ChunkKind::named("resize"), "12");
    assert_eq!(left, shorter.summary());
}

#[test]
fn lines_of_a_sound_tape_come_to_the_same_as_its_chunks() {
    let script = two_connections();
    let disk = script.draft().on_disk();
    let raw = RawTape::open(disk.dir(), &ReadOptions::default()).unwrap();
    assert_eq!(Summary::of_raw(&raw, &registry()), script.summary());
}

#[test]
fn what_no_reader_would_take_is_counted_apart() {
    let script = two_connections();
    let mut draft = script.draft();
    draft.manifest.connections.pop();
    let sound = draft.lines[0].text.clone();
    let text = String::from_utf8(sound.clone()).unwrap();
    let undecodable = text.replace("\"data\":\"MTIzNDU=\"", "\"data\":\"!\"");
    assert_ne!(undecodable, text);
    let mut frames = draft.frames();
    frames.extend_from_slice(b"no line\n\n");
    frames.extend_from_slice(undecodable.as_bytes());
    let disk = OnDisk::of(write_manifest(&draft.manifest), &frames);
    let raw = RawTape::open(disk.dir(), &ReadOptions::default()).unwrap();
    let summary = Summary::of_raw(&raw, &registry());

    assert_eq!(short(&summary.total), stats(6, 13));
    assert_eq!(short(&summary.unlisted), stats(1, 5));
    assert_eq!(summary.unreadable_lines, 2);
    let stored = frames.len() as u64 + 1 - b"no line\n\n".len() as u64;
    assert_eq!(summary.total.stored_bytes, stored);
    let [connection] = &summary.connections[..] else {
        panic!("{summary:?}");
    };
    assert_eq!(short(&connection.total), stats(5, 8));
    assert_eq!(connection.undecodable_chunks, 1);
}

#[test]
fn of_connections_with_one_identity_the_first_has_the_chunks() {
    let mut draft = two_connections().draft();
    let first = draft.manifest.connections[0].connection_id.clone();
    draft.manifest.connections[1].connection_id = first;
    let disk = draft.on_disk();
    let raw = RawTape::open(disk.dir(), &ReadOptions::default()).unwrap();
    let summary = Summary::of_raw(&raw, &registry());
    let counts = summary.connections.iter().map(|it| it.total.frame_count);
    assert_eq!(counts.collect::<Vec<_>>(), [4, 0]);
    assert_eq!(summary.unlisted.frame_count, 1);
}

#[test]
fn a_caller_may_summarise_the_chunks_of_one_connection() {
    let script = two_connections();
    let tape = script.draft().on_disk().open().unwrap();
    let mut summarizer = Summarizer::new(tape.manifest(), &registry());
    let id = &tape.manifest().connections[0].connection_id;
    for chunk in tape.connection_chunks(id) {
        summarizer.chunk(&chunk);
    }
    let summary = summarizer.finish();

    assert_eq!(summary.connections[0], script.summary().connections[0]);
    assert_eq!(summary.total, summary.connections[0].total);
    assert_eq!(summary.connections[1].total, KindStats::default());
}
