//! Making a cassette of what a crash left.

use std::fs;

use cassette_format::process::Frame;
use cassette_format::schema::{CassetteStatus, Origin};
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{DropReason, RecoverError, RecoverMode, recover};

use crate::live::{Live, stored, texts};

/// A recording of four lines that was never finished.
fn left() -> Live {
    let live = Live::new();
    for number in 0..4 {
        live.tap
            .inbound(&Frame::stdout(format!("{number}\n")))
            .unwrap();
    }
    live
}

fn line_starts(text: &[u8]) -> Vec<usize> {
    let ends = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
    [0].into_iter().chain(ends).collect()
}

#[test]
fn a_whole_tape_is_recovered_in_every_mode_line_for_line() {
    for mode in [RecoverMode::Strict, RecoverMode::Tail, RecoverMode::Salvage] {
        let live = left();
        let to = live.scratch.path().join("recovered");

        let report = recover(live.dir(), &to, mode, &ReadOptions::default()).unwrap();

        assert_eq!((report.kept_frames, report.dropped.len()), (4, 0));
        let frames = |dir: &std::path::Path| fs::read(dir.join("frames.jsonl")).unwrap();
        assert_eq!(frames(&to), frames(&live.dir()));
        let tape = Tape::open(&to, &ReadOptions::default()).unwrap();
        assert_eq!(tape.manifest().status, CassetteStatus::Complete);
        assert_eq!(tape.manifest().annotations.origin, Some(Origin::Recovered));
    }
}

#[test]
fn every_cut_leaves_the_lines_before_it_and_strict_refuses_all_but_whole_ones() {
    let live = left();
    let path = live.dir().join("frames.jsonl");
    let whole = fs::read(&path).unwrap();
    let starts = line_starts(&whole);
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let sound = starts.iter().filter(|start| **start <= cut).count() - 1;
        let torn = cut - starts[sound];

        let to = live.scratch.path().join(format!("recovered-{cut}"));
        let report = recover(live.dir(), &to, RecoverMode::Tail, &ReadOptions::default()).unwrap();
        assert_eq!(report.kept_frames as usize, sound);
        let dropped: Vec<(u64, u64)> = report
            .dropped
            .iter()
            .map(|dropped| (dropped.offset, dropped.bytes))
            .collect();
        let expected = (starts[sound] as u64, torn as u64);
        assert_eq!(dropped, [expected][..usize::from(torn > 0)]);
        Tape::open(&to, &ReadOptions::default()).unwrap();

        let strict = live.scratch.path().join(format!("strict-{cut}"));
        let strict = recover(
            live.dir(),
            strict,
            RecoverMode::Strict,
            &ReadOptions::default(),
        );
        assert_eq!(strict.is_ok(), torn == 0);
    }
    assert_eq!(
        fs::read(&path).unwrap().len(),
        whole.len() - 1,
        "the original stays"
    );
}

#[test]
fn a_bad_line_ends_the_tail_and_is_left_out_by_a_salvage() {
    let live = left();
    let path = live.dir().join("frames.jsonl");
    let mut text = fs::read(&path).unwrap();
    let second = line_starts(&text)[1];
    text[second] = b'x';
    fs::write(&path, &text).unwrap();

    let tail = live.scratch.path().join("tail");
    let report = recover(
        live.dir(),
        &tail,
        RecoverMode::Tail,
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!(report.kept_frames, 1);
    assert!(matches!(report.dropped[0].reason, DropReason::Line(_)));
    assert_eq!(report.dropped[0].bytes as usize, text.len() - second);

    let salvaged = live.scratch.path().join("salvaged");
    let mode = RecoverMode::Salvage;
    let report = recover(live.dir(), &salvaged, mode, &ReadOptions::default()).unwrap();
    assert_eq!((report.kept_frames, report.dropped.len()), (3, 1));
    assert_eq!(
        stored(&salvaged),
        texts(&[("stdout", "0\n"), ("stdout", "2\n"), ("stdout", "3\n")])
    );
    let tape = Tape::open(&salvaged, &ReadOptions::default()).unwrap();
    let note = tape.manifest().annotations.recovery.clone().unwrap();
    assert_eq!((note.mode.as_str(), note.kept_frames), ("salvage", 3));

    let strict = live.scratch.path().join("strict");
    let refused = recover(
        live.dir(),
        &strict,
        RecoverMode::Strict,
        &ReadOptions::default(),
    );
    let Err(RecoverError::NotWhole { offset, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(offset as usize, second);
    assert!(!strict.exists());
}

#[test]
fn a_cassette_that_is_there_is_not_overwritten() {
    let live = left();
    let refused = recover(
        live.dir(),
        live.dir(),
        RecoverMode::Tail,
        &ReadOptions::default(),
    );
    assert!(matches!(refused, Err(RecoverError::Copy(_))), "{refused:?}");
    assert_eq!(live.stored().len(), 4);
}

#[test]
fn a_tape_that_claims_to_be_complete_and_is_not_is_refused_by_strict() {
    let live = left();
    live.tap.close().unwrap();
    live.recorder.finish().unwrap();
    let path = live.dir().join("frames.jsonl");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..line_starts(&whole)[3]]).unwrap();
    let to = live.scratch.path().join("strict");
    let options = ReadOptions::default();

    let refused = recover(live.dir(), &to, RecoverMode::Strict, &options);

    assert!(matches!(refused, Err(RecoverError::Open(_))), "{refused:?}");
    assert!(!to.exists());
    let report = recover(live.dir(), &to, RecoverMode::Tail, &options).unwrap();
    assert_eq!(report.kept_frames, 3);
}

#[test]
fn a_complete_tape_without_its_last_line_feed_is_whole() {
    let live = left();
    live.tap.close().unwrap();
    live.recorder.finish().unwrap();
    let frames = fs::read(live.dir().join("frames.jsonl")).unwrap();
    let cut = &frames[..frames.len() - 1];
    fs::write(live.dir().join("frames.jsonl"), cut).unwrap();
    let manifest = fs::read_to_string(live.dir().join("manifest.json")).unwrap();
    let digest = |bytes: &[u8]| -> String {
        let digest: [u8; 32] = sha2::Digest::finalize(sha2::Digest::chain_update(
            <sha2::Sha256 as sha2::Digest>::new(),
            bytes,
        ))
        .into();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let manifest = manifest.replace(&digest(&frames), &digest(cut)).replace(
        &format!("\"storedBytes\": {}", frames.len()),
        &format!("\"storedBytes\": {}", cut.len()),
    );
    fs::write(live.dir().join("manifest.json"), manifest).unwrap();

    for mode in [RecoverMode::Strict, RecoverMode::Tail] {
        let to = live.scratch.path().join(mode.to_string());
        let report = recover(live.dir(), &to, mode, &ReadOptions::default()).unwrap();
        assert_eq!((report.kept_frames, report.dropped.len()), (4, 0));
    }
}
