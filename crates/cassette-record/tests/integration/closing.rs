//! Connections that are closed, in whatever way and at whatever moment.

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use cassette_format::process::{
    ControlError, EndRequest, ExitCode, Frame, ProcessConnection, ProcessTransport, SendError,
};
use cassette_format::schema::CassetteStatus;
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{FinishError, RecordError, RecordOptions, Recorder};
use tempfile::TempDir;

use crate::live::{launch, registry, stored, texts};
use crate::puppet::{Close, Puppet};

/// One recorded process.
struct Recorded {
    scratch: TempDir,
    recorder: Recorder,
    process: Puppet,
    connection: Arc<dyn ProcessConnection>,
}

impl Recorded {
    async fn start() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let options = RecordOptions::default();
        let recorder = Recorder::create(scratch.path().join("tape"), registry(), options).unwrap();
        let process = Puppet::default();
        let transport = recorder.wrap(process.clone());
        let connection = transport.start(launch("session-1")).await.unwrap();
        Self {
            scratch,
            recorder,
            process,
            connection,
        }
    }

    fn dir(&self) -> PathBuf {
        self.scratch.path().join("tape")
    }

    /// Calls close and gives up waiting for it.
    fn close_and_give_up(&self) {
        self.process.closes_by(Close::NeverEnds);
        let mut close = pin!(self.connection.close());
        let waiting = close.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(waiting, Poll::Pending));
    }
}

#[tokio::test]
async fn a_close_that_failed_or_was_given_up_leaves_no_open_connection() {
    let failed = Recorded::start().await;
    failed.process.closes_by(Close::Fails);
    let closed = failed.connection.close().await;
    assert!(matches!(closed, Err(ControlError::DidNotExit)));

    let given_up = Recorded::start().await;
    given_up.close_and_give_up();

    for recorded in [failed, given_up] {
        let ended = recorded.recorder.finish().unwrap();
        assert_eq!(ended, CassetteStatus::Complete);
    }
}

#[tokio::test]
async fn what_is_received_once_close_was_called_is_recorded_whole() {
    let recorded = Recorded::start().await;
    recorded.close_and_give_up();
    for text in ["{\"cwd\":\"/wo", "rk\"}\n"] {
        recorded.process.says(Frame::stdout(text));
        recorded.connection.recv().await.unwrap().unwrap();
    }
    recorded.process.closes_by(Close::Ends);
    recorded.connection.close().await.unwrap();
    recorded.process.says(Frame::exit(ExitCode::new(0)));
    recorded.connection.recv().await.unwrap().unwrap();

    recorded.recorder.finish().unwrap();

    let expected = texts(&[
        ("stdout", ""),
        ("stdout", "{\"cwd\":\"${SESSION_CWD:session-1:1}\"}\n"),
        ("exit", ""),
    ]);
    assert_eq!(stored(&recorded.dir()), expected);
}

#[tokio::test]
async fn what_is_received_once_the_recording_has_ended_is_delivered_unrecorded() {
    for abort in [false, true] {
        let recorded = Recorded::start().await;
        let frame = Frame::stdout("{\"a\":1}\n");
        recorded.process.says(frame.clone());
        if abort {
            recorded.recorder.abort().unwrap();
        } else {
            recorded.connection.close().await.unwrap();
            recorded.recorder.finish().unwrap();
        }

        let received = recorded.connection.recv().await.unwrap();

        assert_eq!(received, Some(frame));
        assert_eq!(stored(&recorded.dir()), []);
        // What nobody records is not sent either.
        let Err(SendError::Failed(failure)) = recorded.connection.send(b"{}\n").await else {
            panic!()
        };
        let reason = failure.downcast_ref();
        assert!(matches!(reason, Some(RecordError::Ended)));
        assert_eq!(recorded.process.sent(), "");
    }
}

#[tokio::test]
async fn what_others_held_is_written_at_their_end_after_a_failure() {
    let scratch = tempfile::tempdir().unwrap();
    for (number, end) in ["input", "close", "drop"].into_iter().enumerate() {
        let dir = scratch.path().join(end);
        let recorder = Recorder::create(&dir, registry(), RecordOptions::default()).unwrap();
        let tap = |session| recorder.tap(&launch(session)).unwrap();
        let (refused, other) = (tap("session-1"), tap("session-2"));
        other.outbound(b"{\"whole\":1}\n").unwrap();
        other.outbound(b"{\"cwd\":\"/wo").unwrap();
        other.inbound(&Frame::stderr("behind\n")).unwrap();
        let failed = refused.outbound(b"{\"apiKey\":\"zzz\"}\n");
        let failure = failed.unwrap_err();
        assert_eq!(stored(&dir).len(), 1);

        match number {
            0 => other.end_input().unwrap(),
            1 => other.close().unwrap(),
            _ => drop(other),
        }

        let expected = [
            ("outbound", "{\"whole\":1}\n"),
            ("outbound", "{\"cwd\":\"/wo"),
            ("stderr", "behind\n"),
        ];
        assert_eq!(stored(&dir), texts(&expected), "{end}");
        assert_eq!(recorder.held().chunks, 0);
        assert!(recorder.failure().unwrap().is_same(&failure));
        drop(refused);
        assert!(matches!(recorder.finish(), Err(FinishError::Failed(_))));
    }
}

#[tokio::test]
async fn what_others_held_and_may_not_be_stored_is_withdrawn_at_their_end_after_a_failure() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("tape");
    let recorder = Recorder::create(&dir, registry(), RecordOptions::default()).unwrap();
    let tap = |session| recorder.tap(&launch(session)).unwrap();
    let (refused, other) = (tap("session-1"), tap("session-2"));
    other.outbound(b"{\"method\":\"login\"}").unwrap();
    let failure = refused.outbound(b"{\"apiKey\":\"zzz\"}\n").unwrap_err();

    other.close().unwrap();

    assert_eq!(stored(&dir), texts(&[("outbound", "")]));
    assert!(recorder.failure().unwrap().is_same(&failure));
}

#[tokio::test]
async fn the_last_handle_of_a_failed_recording_leaves_nothing_held() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("tape");
    let recorder = Recorder::create(&dir, registry(), RecordOptions::default()).unwrap();
    let transport = recorder.wrap(Puppet::default());
    let connection = transport.start(launch("session-1")).await.unwrap();
    connection.send(b"{\"half\":").await.unwrap();
    let refused = recorder.tap(&launch("session-2")).unwrap();
    refused.outbound(b"{\"apiKey\":\"zzz\"}\n").unwrap_err();

    drop((recorder, transport, refused, connection));

    assert_eq!(stored(&dir), texts(&[("outbound", "{\"half\":")]));
}

#[tokio::test]
async fn a_good_message_in_the_chunk_of_a_refused_one_is_stored() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, good, kept) in [
        (
            "as-it-is",
            "{\"a\":1,\"b\":2}\n",
            ["{\"a\":1,\"b", "\":2}\n"],
        ),
        (
            "changed",
            "{\"cwd\":\"/work/x\"}\n",
            ["", "{\"cwd\":\"${SESSION_CWD:session-1:1}/x\"}\n"],
        ),
    ] {
        let dir = scratch.path().join(name);
        let recorder = Recorder::create(&dir, registry(), RecordOptions::default()).unwrap();
        let tap = recorder.tap(&launch("session-1")).unwrap();
        let all = format!("{good}{{\"apiKey\":\"zzz\"}}\n{{}}\n");
        let (begin, rest) = all.split_at(9);
        tap.inbound(&Frame::stdout(begin)).unwrap();

        let failure = tap.inbound(&Frame::stdout(rest)).unwrap_err();

        assert!(matches!(
            failure.downcast_ref(),
            Some(RecordError::Content { .. })
        ));
        let expected = texts(&kept.map(|text| ("stdout", text)));
        assert_eq!(stored(&dir), expected);
        tap.close().unwrap();
        assert!(matches!(recorder.finish(), Err(FinishError::Failed(_))));
        recorder.abort().unwrap();
        assert_eq!(stored(&dir), expected);
        assert!(Tape::open(&dir, &ReadOptions::default()).is_err());
    }
}

#[test]
fn what_a_refused_secret_began_with_is_written_by_no_end() {
    let mut options = RecordOptions::default();
    let value = "sk-1f9a7b3c1d5e8f0a2b4c";
    options.secrets.values.add("API_KEY", value).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("tape");
    let recorder = Recorder::create(&dir, registry(), options).unwrap();
    let mut raw = launch("session-1");
    raw.session.as_mut().unwrap().provider = "raw".parse().unwrap();
    let tap = recorder.tap(&raw).unwrap();
    // The second one may begin a secret, and does not.
    for text in ["clean", "sk-1f", "-sk-1f9a7b3c1d", "5e8f"] {
        tap.outbound(text.as_bytes()).unwrap();
    }

    let failure = tap.outbound(b"0a2b4c.").unwrap_err();

    assert!(matches!(
        failure.downcast_ref(),
        Some(RecordError::Secret { .. })
    ));
    tap.close().unwrap();
    recorder.abort().unwrap();
    let texts: Vec<_> = stored(&dir).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["clean", "sk-1f", "", ""]);
}

#[tokio::test]
async fn a_process_is_asked_to_end_as_the_host_asks() {
    let recorded = Recorded::start().await;
    let requests = [
        EndRequest::Interrupt,
        EndRequest::HangUp,
        EndRequest::Quit,
        EndRequest::Terminate,
    ];
    for request in requests {
        recorded.connection.ask_to_end(request).await.unwrap();
    }
    recorded.connection.terminate().await.unwrap();
    let expected = [&requests[..], &[EndRequest::Terminate]].concat();
    assert_eq!(recorded.process.asked(), expected);
}
