//! What a player keeps to: launches, waits, closing, the verdict.

use std::path::Path;
use std::sync::Arc;

use cassette_format::process::{
    ControlError, ExitCode, Frame, Launch, LaunchSpec, SendError, SessionContext,
};
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{RecordOptions, Recorder};
use cassette_replay::{ConnectError, IncompleteError, PlayError, PlayOptions, Player};

fn session(name: &str, root: Option<&str>) -> SessionContext {
    let mut session = SessionContext::new("codex".parse().unwrap(), name.parse().unwrap());
    session.root_session = root.map(|root| root.parse().unwrap());
    session
}

/// Records a connection for each session: a question, an answer, the end.
fn player(dir: &Path, sessions: &[SessionContext]) -> Player {
    let registry = provider_adapters::builtin;
    let recorder = Recorder::create(dir, registry(), RecordOptions::default()).unwrap();
    for session in sessions {
        let launch = Launch::for_session(LaunchSpec::new(["agent"]), session.clone());
        let tap = recorder.tap(&launch).unwrap();
        tap.outbound(b"").unwrap();
        tap.outbound(b"question\n").unwrap();
        tap.outbound(b"").unwrap();
        tap.inbound(&Frame::stdout(b"answer\n")).unwrap();
        tap.inbound(&Frame::exit(ExitCode::new(0))).unwrap();
    }
    recorder.finish().unwrap();
    let tape = Tape::open(dir, &ReadOptions::default()).unwrap();
    Player::new(tape, registry(), PlayOptions::fast_forward()).unwrap()
}

#[tokio::test]
async fn outbound_chunks_without_bytes_ask_nothing_of_the_host() {
    let scratch = tempfile::tempdir().unwrap();
    let player = player(scratch.path(), &[session("one", None)]);
    let connection = player.connect(session("one", None)).unwrap();
    connection.send(b"question\n").await.unwrap();
    let frames = [
        connection.recv().await,
        connection.recv().await,
        connection.recv().await,
    ];
    let events = frames.map(|frame| frame.unwrap().map(|frame| frame.event));
    let expected = [Frame::stdout(b"answer\n"), Frame::exit(ExitCode::new(0))];
    let [answer, exit] = expected.map(|frame| Some(frame.event));
    assert_eq!(events, [answer, exit, None]);
    connection.close().await.unwrap();
    player.verify_complete().unwrap();
}

#[tokio::test]
async fn a_launch_of_another_root_is_refused_and_uses_nothing_up() {
    let scratch = tempfile::tempdir().unwrap();
    let recorded = [session("root", None), session("child", Some("root"))];
    let player = player(scratch.path(), &recorded);
    let refused = player
        .connect(session("child", Some("other")))
        .err()
        .unwrap();
    assert!(
        matches!(refused, ConnectError::RootMismatch { .. }),
        "{refused:?}"
    );
    player.connect(session("root", None)).unwrap();
    player.connect(session("child", Some("root"))).unwrap();
}

#[tokio::test]
async fn an_unknown_root_session_takes_no_connection_where_two_would_fit() {
    let scratch = tempfile::tempdir().unwrap();
    let player = player(
        scratch.path(),
        &[session("one", None), session("two", None)],
    );
    let refused = player.connect(session("three", None)).err().unwrap();
    assert!(
        matches!(refused, ConnectError::NoConnection { .. }),
        "{refused:?}"
    );
    player.connect(session("one", None)).unwrap();
    player.connect(session("three", None)).unwrap();
}

#[tokio::test]
async fn connections_that_were_not_launched_are_missing_from_a_complete_playback() {
    let scratch = tempfile::tempdir().unwrap();
    let player = player(
        scratch.path(),
        &[session("one", None), session("two", None)],
    );
    player.connect(session("one", None)).unwrap();
    let verdict = player.verify_complete().unwrap_err();
    let IncompleteError::Unlaunched {
        launched,
        recorded,
        first_missing,
    } = verdict
    else {
        panic!("{verdict:?}")
    };
    assert_eq!(
        (launched, recorded, first_missing.as_str()),
        (1, 2, "connection-2")
    );
}

#[tokio::test]
async fn closing_ends_every_wait_and_says_each_time_what_was_left() {
    let scratch = tempfile::tempdir().unwrap();
    let player = player(scratch.path(), &[session("one", None)]);
    let connection = player.connect(session("one", None)).unwrap();
    let reader = Arc::clone(&connection);
    let reading = tokio::spawn(async move { reader.recv().await });
    connection.send(b"ques").await.unwrap();
    tokio::task::yield_now().await;
    for _ in 0..2 {
        let Err(ControlError::Failed(failure)) = connection.close().await else {
            panic!()
        };
        let left = failure.downcast_ref::<PlayError>().unwrap();
        assert!(
            matches!(left, PlayError::Unconsumed { total: 5, .. }),
            "{left:?}"
        );
    }
    assert_eq!(reading.await.unwrap().unwrap(), None);
    assert!(matches!(
        connection.send(b"more").await,
        Err(SendError::Closed)
    ));
}

#[tokio::test]
async fn a_send_that_waits_ends_when_its_connection_is_closed() {
    let scratch = tempfile::tempdir().unwrap();
    let player = player(scratch.path(), &[session("one", None)]);
    let connection = player.connect(session("one", None)).unwrap();
    let sender = Arc::clone(&connection);
    let sending = tokio::spawn(async move { sender.send(b"question\nand more\n").await });
    tokio::task::yield_now().await;
    assert!(connection.close().await.is_err());
    assert!(matches!(sending.await.unwrap(), Err(SendError::Closed)));
}
