//! A recorder that is killed at a system call, or of which one fails.

use std::path::Path;

use cassette_format::schema::CassetteStatus;
use cassette_format::store::{Ending, ReadOptions, Tape, TapePrefix};
use cassette_record::{RecoverMode, recover};

use crate::every_call::at_every_call;
use crate::tracer::Run;
use crate::work::message;

/// What is on disk is sound, holds all that was released, and is complete if it says so. Gives
/// whether it does; `None` if there is no cassette yet.
fn is_complete(directory: &Path, run: &Run, when: &str) -> Option<bool> {
    let tape = directory.join("tape");
    if !tape.join("manifest.json").exists() {
        assert!(!run.ended.success(), "{when}");
        assert_eq!(run.said("begun"), 0, "{when}");
        return None;
    }
    let options = ReadOptions::default();
    let prefix = TapePrefix::open(&tape, &options).unwrap();
    let ending = prefix.ending();
    assert!(!matches!(ending, Ending::Bad { .. }), "{when}: {ending:?}");
    let complete = prefix.manifest().status == CassetteStatus::Complete;
    let chunks = prefix.chunks().map(|chunk| chunk.data().unwrap());
    let text = String::from_utf8(chunks.collect::<Vec<_>>().concat()).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let released = run.said("released");
    assert!(
        lines.len() >= released,
        "{when}: {} of {released}",
        lines.len()
    );
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(*line, message(number), "{when}");
    }
    if complete {
        Tape::open(&tape, &options).unwrap();
    }
    let recovered = directory.join("recovered");
    let report = recover(&tape, &recovered, RecoverMode::Tail, &options).unwrap();
    assert!(report.kept_frames as usize >= 2 * released, "{when}");
    Tape::open(&recovered, &options).unwrap();
    Some(complete)
}

#[test]
fn a_recorder_that_is_killed_at_any_system_call_loses_no_released_frame() {
    let mut complete = 0;
    let points = at_every_call(
        "recording",
        &["signal=SIGKILL"],
        |_| {},
        |at, run, when| {
            assert!(!run.ended.success(), "{when}");
            complete += usize::from(is_complete(at, run, when) == Some(true));
        },
    );
    if let Some((killed, all)) = points {
        println!("faults: killed at {killed} of {all} calls, {complete} complete, 0 released lost");
    }
}

#[test]
fn an_error_at_any_system_call_leaves_no_false_complete_and_no_spliced_line() {
    let errors = ["error=EIO", "error=ENOSPC", "error=EDQUOT", "error=EINTR"];
    let mut told = 0;
    let points = at_every_call(
        "recording",
        &errors,
        |_| {},
        |at, run, when| {
            let complete = is_complete(at, run, when) == Some(true);
            assert!(complete || !run.ended.success(), "{when}");
            told += usize::from(!run.ended.success());
        },
    );
    if let Some((tried, all)) = points {
        println!(
            "faults: {tried} of {all} EIO/ENOSPC/EDQUOT/EINTR at calls, {told} told of, 0 false \
             complete, 0 spliced lines"
        );
    }
}
