//! Recording a cassette.

use std::path::Path;

use cassette_format::process::Frame;
use cassette_format::schema::CassetteStatus;
use cassette_format::store::{ReadOptions, Tape, TapePrefix};
use cassette_record::{RecoverMode, recover};

use super::crashes::{Found, after_each_power_loss};
use crate::work::{MESSAGES, message, recorder};

#[test]
fn no_power_loss_leaves_a_false_complete_or_loses_what_was_synced() {
    after_each_power_loss("recording", |_| {}, expect_sound);
}

/// What the recorded agent said.
fn said(prefix: &TapePrefix) -> String {
    let chunks = prefix.chunks().map(|chunk| chunk.data().unwrap());
    String::from_utf8(chunks.collect::<Vec<_>>().concat()).unwrap()
}

/// What it says in all.
fn everything() -> String {
    (0..MESSAGES).map(message).collect()
}

/// There is no cassette yet, or a whole manifest and a sound beginning of the messages; all of
/// them once it is complete, which it is once that was said.
fn expect_sound(found: &Found<'_>) {
    let tape = found.directory.join("tape");
    if !tape.join("manifest.json").exists() {
        assert_eq!(found.said, 0, "{:?}", found.tree);
        return;
    }
    let options = ReadOptions::default();
    let prefix = match TapePrefix::open(&tape, &options) {
        Ok(prefix) => prefix,
        Err(error) => {
            // Neither of the two files' names was synced.
            let is_there = tape.join("frames.jsonl").exists();
            assert!(!is_there && found.said == 0, "{error:?}: {:?}", found.tree);
            return;
        }
    };
    let (said, expected) = (said(&prefix), everything());
    assert!(expected.starts_with(&said), "{:?}", found.tree);
    let connections = prefix.manifest().connections.len();
    assert!(found.said == 0 || connections == 1, "{:?}", found.tree);
    if prefix.manifest().status == CassetteStatus::Complete {
        Tape::open(&tape, &options).unwrap();
        assert_eq!(said, expected, "{:?}", found.tree);
    } else {
        assert!(found.said < 2, "{:?}", found.tree);
        let recovered = found.directory.join("recovered");
        let report = recover(&tape, &recovered, RecoverMode::Tail, &options).unwrap();
        assert_eq!(report.kept_frames as usize, prefix.len());
        Tape::open(&recovered, &options).unwrap();
    }
}

/// What is there before it is recorded anew.
const OLD: &str = "{\"method\":\"old\"}\n";

#[test]
fn no_power_loss_leaves_a_manifest_beside_the_frames_of_another_recording() {
    let prepare = |root: &Path| {
        let (recorder, tap) = recorder(&root.join("tape"));
        tap.inbound(&Frame::stdout(OLD)).unwrap();
        drop(tap);
        recorder.finish().unwrap();
    };
    after_each_power_loss("recording_anew", prepare, expect_old_or_new);
}

/// There is the old cassette as it was, what has no manifest, or the new one.
fn expect_old_or_new(found: &Found<'_>) {
    let tape = found.directory.join("tape");
    if !tape.join("manifest.json").exists() {
        assert_eq!(found.said, 0, "{:?}", found.tree);
        return;
    }
    let options = ReadOptions::default();
    let prefix = TapePrefix::open(&tape, &options).unwrap();
    let (said, expected) = (said(&prefix), everything());
    if prefix.manifest().status == CassetteStatus::Complete {
        Tape::open(&tape, &options).unwrap();
        let new = said == expected;
        assert!(new || (said == OLD && found.said == 0), "{:?}", found.tree);
    } else {
        assert!(
            expected.starts_with(&said) && found.said < 2,
            "{:?}",
            found.tree
        );
    }
}
