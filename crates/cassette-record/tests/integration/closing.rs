//! Connections that are closed, in whatever way and at whatever moment.

use cassette_format::process::{Frame, ProcessTransport};
use cassette_record::{FinishError, RecordOptions, Recorder};

use crate::live::{launch, registry, stored, texts};
use crate::puppet::Puppet;

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
    let transport = recorder.wrap(Puppet);
    let connection = transport.start(launch("session-1")).await.unwrap();
    connection.send(b"{\"half\":").await.unwrap();
    let refused = recorder.tap(&launch("session-2")).unwrap();
    refused.outbound(b"{\"apiKey\":\"zzz\"}\n").unwrap_err();

    drop((recorder, transport, refused, connection));

    assert_eq!(stored(&dir), texts(&[("outbound", "{\"half\":")]));
}
