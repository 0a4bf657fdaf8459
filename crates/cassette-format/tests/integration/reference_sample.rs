//! The cassette that the reference wrote: it loads, and what we write of it is
//! the same bytes.

use std::env;
use std::fs;
use std::path::PathBuf;

use cassette_format::store::{
    MANIFEST_FILE, ReadOptions, Tape, TapePrefix, read_line, read_manifest, write_line,
    write_manifest,
};

/// The reference's cassette, if it is at hand.
fn sample() -> Option<PathBuf> {
    let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let samples = env::var_os("CASSETTE_SAMPLES").map_or_else(
        || PathBuf::from(workspace).join("../shared/samples"),
        PathBuf::from,
    );
    let sample = samples.join("reference-cassette");
    if !sample.is_dir() {
        println!("skipped: no {}; set CASSETTE_SAMPLES", sample.display());
        return None;
    }
    Some(sample)
}

#[test]
fn the_reference_cassette_loads() {
    let Some(sample) = sample() else { return };
    let tape = Tape::open(&sample, &ReadOptions::default()).unwrap();
    assert_eq!(
        (tape.len(), tape.defects().count(), tape.inexact_sums()),
        (1156, 0, &[][..])
    );
    let prefix = TapePrefix::open(&sample, &ReadOptions::default()).unwrap();
    assert_eq!(
        (prefix.len() as u64, prefix.good_bytes()),
        (1156, tape.manifest().stored_bytes)
    );
}

#[test]
fn the_reference_manifest_survives_a_rewrite_byte_for_byte() {
    let Some(sample) = sample() else { return };
    let text = fs::read(sample.join(MANIFEST_FILE)).unwrap();
    let rewritten = write_manifest(&read_manifest(&text).unwrap());
    assert_eq!(
        String::from_utf8(rewritten).unwrap(),
        String::from_utf8(text).unwrap()
    );
}

#[test]
fn the_reference_lines_are_written_again_byte_for_byte() {
    let Some(sample) = sample() else { return };
    let tape = Tape::open(&sample, &ReadOptions::default()).unwrap();
    let mut compared = 0;
    for chunk in tape.chunks() {
        // The reference escapes these for HTML, in messages only; we do not.
        if chunk
            .message()
            .contains(['<', '>', '&', '\u{2028}', '\u{2029}'])
        {
            continue;
        }
        let mut line = Vec::new();
        write_line(&mut line, &read_line(chunk.line()).unwrap()).unwrap();
        assert_eq!(line.strip_suffix(b"\n"), Some(chunk.line()));
        compared += 1;
    }
    assert!(compared > 1000, "{compared}");
}
