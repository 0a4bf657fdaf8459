//! Recovering a cassette into another directory.

use std::fs;

use cassette_format::process::Frame;
use cassette_format::store::{ReadOptions, Tape};

use super::crashes::{Found, after_each_power_loss};
use crate::work::{MESSAGES, message, recorder};

#[test]
fn no_power_loss_leaves_a_false_complete_copy() {
    let prepare = |root: &std::path::Path| {
        let (recorder, tap) = recorder(&root.join("tape"));
        for number in 0..MESSAGES {
            tap.inbound(&Frame::stdout(message(number))).unwrap();
        }
        recorder.abort().unwrap();
        let frames = root.join("tape/frames.jsonl");
        let torn = fs::read(&frames).unwrap().len() as u64 - 9;
        fs::File::options()
            .write(true)
            .open(frames)
            .unwrap()
            .set_len(torn)
            .unwrap();
    };
    after_each_power_loss("recovering", prepare, expect_sound);
}

/// There is a complete copy or none with a manifest; a complete one once that was said.
fn expect_sound(found: &Found<'_>) {
    let copy = found.directory.join("recovered");
    if copy.join("manifest.json").exists() {
        let tape = Tape::open(&copy, &ReadOptions::default()).unwrap();
        assert_eq!(tape.len(), MESSAGES - 1, "{:?}", found.tree);
    } else {
        assert_eq!(found.said, 0, "{:?}", found.tree);
    }
}
