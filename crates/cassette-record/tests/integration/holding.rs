//! What is held back, and what is not.

use std::time::Duration;

use cassette_format::process::{ExitCode, Frame};
use cassette_format::schema::{CassetteStatus, ChunkSeq};
use cassette_record::{FinishError, HoldLimits, RecordError, RecordOptions};

use crate::live::{Live, launch, texts};

#[test]
fn whole_messages_are_on_disk_before_the_call_returns() {
    let live = Live::new();
    live.tap.outbound(b"{\"id\":1}\n").unwrap();
    assert_eq!(live.stored(), texts(&[("outbound", "{\"id\":1}\n")]));
    let stamp = live
        .tap
        .inbound(&Frame::stdout("{\"id\":1,\"result\":1}\n"))
        .unwrap();
    assert_eq!(stamp.chunk_seq, ChunkSeq::new(2));
    assert_eq!(live.stored().len(), 2);
    assert_eq!(live.recorder.held().chunks, 0);
}

#[test]
fn an_unfinished_message_waits_and_so_does_all_that_comes_after_it() {
    let live = Live::new();
    let other = live.recorder.tap(&launch("session-2")).unwrap();
    live.tap.inbound(&Frame::stdout("{\"cwd\":\"/wo")).unwrap();
    live.pass(Duration::from_secs(2));
    other.outbound(b"{}\n").unwrap();
    live.tap.inbound(&Frame::stderr("log\n")).unwrap();

    assert_eq!(live.stored(), []);
    let held = live.recorder.held();
    assert_eq!((held.chunks, held.since), (3, Some(Duration::ZERO)));

    let stamp = live.tap.inbound(&Frame::stdout("rk\"}\n{\"a\"")).unwrap();
    assert_eq!(stamp.chunk_seq, ChunkSeq::new(3));
    assert_eq!(
        live.stored(),
        texts(&[("stdout", ""), ("outbound", "{}\n"), ("stderr", "log\n")])
    );
    live.tap.inbound(&Frame::stdout(":1}\n")).unwrap();
    assert_eq!(
        live.stored()[3..],
        texts(&[
            ("stdout", "{\"cwd\":\"${SESSION_CWD:session-1:1}\"}\n{\"a\""),
            ("stdout", ":1}\n"),
        ])
    );
}

#[test]
fn a_message_that_stays_as_it_is_keeps_its_bytes_in_their_chunks() {
    let live = Live::new();
    for piece in ["{\"a\"", ":", "1}\n"] {
        live.tap.outbound(piece.as_bytes()).unwrap();
    }
    assert_eq!(
        live.stored(),
        texts(&[
            ("outbound", "{\"a\""),
            ("outbound", ":"),
            ("outbound", "1}\n")
        ])
    );
}

#[test]
fn the_exit_ends_what_is_unfinished() {
    let live = Live::new();
    live.tap.outbound(b"{\"path\":\"/work/a\"}").unwrap();
    live.tap.inbound(&Frame::stdout("{\"half")).unwrap();
    live.tap.inbound(&Frame::exit(ExitCode::new(0))).unwrap();
    assert_eq!(
        live.stored(),
        texts(&[
            ("outbound", "{\"path\":\"${SESSION_CWD:session-1:1}/a\"}"),
            ("stdout", "{\"half"),
            ("exit", ""),
        ])
    );
}

#[test]
fn the_end_of_the_input_the_close_and_an_abort_end_what_is_unfinished() {
    let unfinished = || {
        let live = Live::new();
        live.tap.outbound(b"{\"cwd\":\"/work\"}").unwrap();
        assert_eq!(live.stored(), []);
        live
    };
    let expected = texts(&[("outbound", "{\"cwd\":\"${SESSION_CWD:session-1:1}\"}")]);

    let live = unfinished();
    live.tap.end_input().unwrap();
    assert_eq!(live.stored(), expected);

    let live = unfinished();
    live.tap.close().unwrap();
    assert_eq!(live.stored(), expected);

    let live = unfinished();
    live.recorder.abort().unwrap();
    assert_eq!(live.stored(), expected);

    let live = unfinished();
    drop(live.tap);
    assert_eq!(
        crate::live::stored(&live.scratch.path().join("tape")),
        expected
    );
}

#[test]
fn a_message_of_another_framing_keeps_its_header_true() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("tape");
    let options = RecordOptions::default();
    let recorder =
        cassette_record::Recorder::create(&dir, crate::live::registry(), options).unwrap();
    let mut launch = launch("session-1");
    launch.session.as_mut().unwrap().provider = "framed".parse().unwrap();
    let tap = recorder.tap(&launch).unwrap();

    tap.outbound(b"Content-Length: 15\r\n\r\n{\"cwd\":")
        .unwrap();
    tap.outbound(b"\"/work\"}Content-Length: 2\r\n\r\n{}")
        .unwrap();

    assert_eq!(
        crate::live::stored(&dir),
        texts(&[
            ("outbound", ""),
            (
                "outbound",
                "Content-Length: 36\r\n\r\n{\"cwd\":\"${SESSION_CWD:session-1:1}\"}\
                 Content-Length: 2\r\n\r\n{}"
            ),
        ])
    );
}

#[test]
fn too_much_or_too_long_held_fails_the_recording_and_writes_nothing_of_it() {
    for (bytes, time) in [(2_000, 600), (1 << 20, 1)] {
        let hold = HoldLimits {
            bytes,
            time: Duration::from_secs(time),
        };
        let live = Live::with(RecordOptions {
            hold,
            ..RecordOptions::default()
        });
        live.tap.outbound(b"{}\n").unwrap();
        live.tap.inbound(&Frame::stdout("{\"never ends")).unwrap();
        live.pass(Duration::from_secs(2));

        let failure = live
            .tap
            .inbound(&Frame::stdout("x".repeat(1_500)))
            .unwrap_err();

        assert!(matches!(
            failure.downcast_ref(),
            Some(RecordError::HeldTooLong { connection_id, .. })
                if connection_id.as_str() == "connection-1"
        ));
        assert_eq!(live.stored(), texts(&[("outbound", "{}\n")]));
        assert!(live.recorder.failure().is_some());
    }
}

#[test]
fn what_is_refused_fails_the_recording_for_good_with_the_first_reason() {
    let live = Live::new();
    live.tap.outbound(b"{\"id\":1,\"method\":\"log").unwrap();
    let failure = live.tap.outbound(b"in\"}\n").unwrap_err();

    assert!(matches!(
        failure.downcast_ref(),
        Some(RecordError::Content { .. })
    ));
    let again = live.tap.outbound(b"{}\n").unwrap_err();
    assert!(failure.is_same(&again));
    live.tap.close().unwrap();
    assert!(live.recorder.finish().is_err());
    assert_eq!(live.stored(), texts(&[("outbound", "")]));
}

/// Bytes that are no header must not open a way past what is looked at.
#[test]
fn a_stream_that_lost_its_framing_is_still_seen_message_by_message() {
    for junk in ["\n\n", "garbage line\n\n", "Content-Length: x\r\n\r\n"] {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("tape");
        let options = RecordOptions::default();
        let recorder =
            cassette_record::Recorder::create(&dir, crate::live::registry(), options).unwrap();
        let mut launch = launch("session-1");
        launch.session.as_mut().unwrap().provider = "framed".parse().unwrap();
        let tap = recorder.tap(&launch).unwrap();

        tap.inbound(&Frame::stdout(junk)).unwrap();
        tap.inbound(&Frame::stdout("{\"cwd\":\"/wo")).unwrap();
        tap.inbound(&Frame::stdout("rk\"}\n")).unwrap();
        tap.outbound(junk.as_bytes()).unwrap();
        tap.outbound(b"{\"id\":1,\"method\":\"log").unwrap();
        let refused = tap.outbound(b"in\"}").and_then(|()| tap.close());

        assert!(refused.is_err());
        let stored = crate::live::stored(&dir);
        assert_eq!(
            stored[..3],
            texts(&[
                ("stdout", junk),
                ("stdout", ""),
                ("stdout", "{\"cwd\":\"${SESSION_CWD:session-1:1}\"}\n"),
            ])
        );
        let outbound = stored[3..].iter().map(|(_, text)| text.as_str());
        assert_eq!(outbound.collect::<String>(), junk, "{stored:?}");
    }
}

#[test]
fn of_recorders_that_replace_one_another_at_once_one_alone_lives() {
    use cassette_record::{Existing, Recorder};

    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("tape");
    for _ in 0..100 {
        let start = std::sync::Barrier::new(4);
        let create = || {
            let options = RecordOptions {
                existing: Existing::Replace,
                ..RecordOptions::default()
            };
            start.wait();
            Recorder::create(&dir, crate::live::registry(), options).ok()
        };
        let alive: Vec<Recorder> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(create)).collect();
            let made = threads.into_iter().map(|thread| thread.join().unwrap());
            made.flatten().collect()
        });
        assert!(alive.len() <= 1, "{} recorders", alive.len());
        for recorder in alive {
            recorder.finish().unwrap();
            let tape = cassette_format::store::Tape::open(&dir, &Default::default());
            assert!(tape.is_ok(), "{tape:?}");
        }
    }
}

#[test]
fn what_waited_behind_a_refused_message_is_written() {
    let live = Live::new();
    let other = live.recorder.tap(&launch("session-2")).unwrap();
    live.tap.outbound(b"{}\n{\"method\":\"lo").unwrap();
    other.outbound(b"{\"id\":1}\n").unwrap();
    other.inbound(&Frame::stdout("{\"half")).unwrap();

    let failure = live.tap.outbound(b"gin\"}\n").unwrap_err();

    assert!(matches!(
        failure.downcast_ref(),
        Some(RecordError::Content { .. })
    ));
    let written = [("outbound", "{}\n"), ("outbound", "{\"id\":1}\n")];
    assert_eq!(live.stored(), texts(&written));
    live.recorder.abort().unwrap();
    assert_eq!(live.stored()[..2], texts(&written));
    assert_eq!(live.stored()[2..], texts(&[("stdout", "{\"half")]));
    assert!(
        live.recorder
            .finish()
            .is_ok_and(|status| status == CassetteStatus::Incomplete)
    );
}

#[test]
fn nothing_is_written_after_a_line_that_was_not() {
    let mut options = RecordOptions::default();
    options.limits.max_stored_bytes = 400;
    let live = Live::with(options);
    let other = live.recorder.tap(&launch("session-2")).unwrap();
    live.tap.inbound(&Frame::stdout("{\"half")).unwrap();
    other.outbound(&[b'x'; 300]).unwrap();
    other.outbound(b"\n{}\n").unwrap();

    live.tap.close().unwrap_err();

    assert_eq!(live.stored(), texts(&[("stdout", "{\"half")]));
    live.recorder.abort().unwrap();
    assert_eq!(live.stored(), texts(&[("stdout", "{\"half")]));
}

#[test]
fn a_tap_of_an_aborted_recording_is_closed_without_a_failure() {
    let live = Live::new();
    live.recorder.abort().unwrap();
    live.tap.close().unwrap();
    live.tap.close().unwrap();
}

#[test]
fn the_first_open_connection_is_the_one_that_was_launched_first() {
    let live = Live::new();
    let taps: Vec<_> = (0..11)
        .map(|_| live.recorder.tap(&launch("session-2")).unwrap())
        .collect();
    live.tap.close().unwrap();
    let Err(FinishError::Active { count, first }) = live.recorder.finish() else {
        panic!()
    };
    assert_eq!((count, first.as_str()), (taps.len(), "connection-2"));
}
