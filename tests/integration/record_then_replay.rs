//! A conversation is recorded over a scripted agent and replayed without it.

use std::time::Duration;

use cassette_format::process::{
    ExitCode, Frame, Launch, LaunchSpec, MemoryTransport, PlaybackControl as _, ProcessConnection,
    ProcessTransport, Script, SendError, SessionContext,
};
use cassette_format::schema::CassetteStatus;
use cassette_format::store::{OpenError, ReadOptions, Tape};
use cassette_record::{Clock, LaunchError, RecordError, RecordOptions, Recorder};
use cassette_replay::{IncompleteError, PlayError, PlayOptions, Player};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const INITIALIZE: &[u8] = b"{\"id\":1,\"method\":\"initialize\"}\n";
const ANSWER: &[u8] = b"{\"id\":1,\"result\":{}}\n";

fn session(agent_session: &str) -> SessionContext {
    SessionContext::new("codex".parse().unwrap(), agent_session.parse().unwrap())
}

fn launch(agent_session: &str) -> Launch {
    Launch::for_session(
        LaunchSpec::new(["codex", "app-server"]),
        session(agent_session),
    )
}

/// A clock that moves on by 10 ms each time it is read.
fn ticking() -> Clock {
    let ticks = AtomicU64::new(0);
    Clock::from_fn(move || Duration::from_millis(10 * ticks.fetch_add(1, Ordering::Relaxed)))
}

fn recorder(dir: &Path) -> Recorder {
    let options = RecordOptions {
        clock: Some(ticking()),
        ..RecordOptions::default()
    };
    Recorder::create(dir, provider_adapters::builtin(), options).unwrap()
}

fn script() -> Script {
    Script::new()
        .expect(INITIALIZE)
        .stdout(&ANSWER[..7])
        .stderr(b"warming up\n")
        .stdout(&ANSWER[7..])
        .emit(Frame::message_only("half-way"))
        .expect_end_of_input()
        .emit(Frame::exit(ExitCode::new(3)).with_message("bye"))
}

/// Plays the client's part; gives what it received, without stamps.
async fn converse(connection: &Arc<dyn ProcessConnection>) -> Vec<Frame> {
    connection.send(INITIALIZE).await.unwrap();
    let mut frames = Vec::new();
    for _ in 0..4 {
        frames.push(connection.recv().await.unwrap().unwrap());
    }
    connection.close_input().await.unwrap();
    while let Some(frame) = connection.recv().await.unwrap() {
        frames.push(frame);
    }
    connection.close().await.unwrap();
    for frame in &mut frames {
        frame.stamp = None;
    }
    frames
}

async fn record(dir: &Path) -> Vec<Frame> {
    let recorder = recorder(dir);
    let agent = MemoryTransport::scripted([script()]);
    let connection = recorder
        .wrap(agent.clone())
        .start(launch("session-1"))
        .await
        .unwrap();
    let frames = converse(&connection).await;
    agent.peer(0).unwrap().finished().unwrap();
    assert_eq!(recorder.finish().unwrap(), CassetteStatus::Complete);
    frames
}

fn open(dir: &Path) -> Tape {
    Tape::open(dir, &ReadOptions::default()).unwrap()
}

fn player(dir: &Path) -> Player {
    let options = PlayOptions::fast_forward();
    Player::new(open(dir), provider_adapters::builtin(), options).unwrap()
}

#[tokio::test]
async fn a_recorded_conversation_replays_frame_by_frame() {
    let scratch = tempfile::tempdir().unwrap();
    let live = record(scratch.path()).await;
    let player = player(scratch.path());
    let connection = player.connect(session("session-1")).unwrap();
    assert_eq!(converse(&connection).await, live);
    player.verify_complete().unwrap();
    assert!(player.playback().state().drained);
}

#[tokio::test]
async fn a_root_session_of_another_name_takes_the_only_root_connection() {
    let scratch = tempfile::tempdir().unwrap();
    let live = record(scratch.path()).await;
    let connection = player(scratch.path())
        .start(launch("another-name"))
        .await
        .unwrap();
    assert_eq!(converse(&connection).await, live);
}

#[tokio::test]
async fn equal_scripts_with_an_equal_clock_make_equal_bytes() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    record(one.path()).await;
    record(two.path()).await;
    for file in ["manifest.json", "frames.jsonl"] {
        let read = |dir: &Path| std::fs::read(dir.join(file)).unwrap();
        assert_eq!(read(one.path()), read(two.path()), "{file}");
    }
}

#[tokio::test]
async fn other_bytes_are_a_mismatch_that_names_the_place_and_stays() {
    let scratch = tempfile::tempdir().unwrap();
    record(scratch.path()).await;
    let player = player(scratch.path());
    let connection = player.connect(session("session-1")).unwrap();
    for _ in 0..2 {
        let refused = connection
            .send(b"{\"id\":2,\"method\":\"exit\"}\n")
            .await
            .unwrap_err();
        let SendError::Failed(failure) = refused else {
            panic!("{refused:?}")
        };
        let Some(PlayError::Mismatch(mismatch)) = failure.downcast_ref() else {
            panic!("{failure:?}")
        };
        assert_eq!(
            (mismatch.place.message, mismatch.place.global_seq.get()),
            (1, 1)
        );
    }
    let verdict = player.verify_complete().unwrap_err();
    assert!(
        matches!(
            verdict,
            IncompleteError::Connection {
                source: PlayError::Mismatch(_),
                ..
            }
        ),
        "{verdict:?}"
    );
}

#[tokio::test]
async fn a_send_may_be_cut_anywhere_and_waits_while_the_agent_speaks() {
    let scratch = tempfile::tempdir().unwrap();
    record(scratch.path()).await;
    let connection = player(scratch.path())
        .connect(session("session-1"))
        .unwrap();
    for byte in INITIALIZE {
        connection.send(&[*byte]).await.unwrap();
    }
    let sender = Arc::clone(&connection);
    let sending = tokio::spawn(async move { sender.send(b"too much\n").await });
    for _ in 0..5 {
        connection.recv().await.unwrap().unwrap();
    }
    let refused = sending.await.unwrap().unwrap_err();
    let SendError::Failed(failure) = refused else {
        panic!("{refused:?}")
    };
    assert!(matches!(
        failure.downcast_ref(),
        Some(PlayError::AfterEnd { bytes: 8, .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn recorded_pauses_are_kept() {
    let scratch = tempfile::tempdir().unwrap();
    record(scratch.path()).await;
    let tape = open(scratch.path());
    let last = tape.chunks().last().unwrap().elapsed().as_duration();
    let player = Player::new(tape, provider_adapters::builtin(), PlayOptions::default()).unwrap();
    let begin = tokio::time::Instant::now();
    converse(&player.connect(session("session-1")).unwrap()).await;
    assert_eq!(begin.elapsed(), last);
}

#[tokio::test]
async fn an_unknown_provider_is_refused_before_anything_starts() {
    let scratch = tempfile::tempdir().unwrap();
    let recorder = recorder(scratch.path());
    let agent = MemoryTransport::new();
    let mut launch = launch("session-1");
    launch.session.as_mut().unwrap().provider = "mystery".parse().unwrap();
    let refused = recorder.tap(&launch).unwrap_err();
    assert!(
        matches!(refused, LaunchError::UnknownProvider { .. }),
        "{refused:?}"
    );
    assert!(recorder.wrap(agent.clone()).start(launch).await.is_err());
    assert_eq!(agent.launches(), 0);
}

#[tokio::test]
async fn a_refused_launch_uses_nothing_up() {
    let scratch = tempfile::tempdir().unwrap();
    let recorder = recorder(scratch.path());
    let agent = MemoryTransport::new();
    let transport = recorder.wrap(agent.clone());
    agent.refuse_next_launch();
    assert!(transport.start(launch("session-1")).await.is_err());
    let connection = transport.start(launch("session-1")).await.unwrap();
    connection.close().await.unwrap();
    recorder.finish().unwrap();
    let manifest = recorder.manifest();
    let ordinals: Vec<u64> = manifest
        .connections
        .iter()
        .map(|record| record.launch_ordinal.get())
        .collect();
    assert_eq!(ordinals, [1]);
}

#[tokio::test]
async fn a_recording_with_an_open_connection_is_not_finished() {
    let scratch = tempfile::tempdir().unwrap();
    let recorder = recorder(scratch.path());
    let connection = recorder
        .wrap(MemoryTransport::new())
        .start(launch("session-1"))
        .await
        .unwrap();
    let refused = recorder.finish().unwrap_err().to_string();
    assert_eq!(
        refused,
        "connections that are not closed: 1, the first is connection-1"
    );
    drop(connection);
    assert_eq!(recorder.finish().unwrap(), CassetteStatus::Complete);
    assert_eq!(recorder.finish().unwrap(), CassetteStatus::Complete);
}

#[tokio::test]
async fn a_payload_over_the_limit_fails_the_recording_for_good() {
    let scratch = tempfile::tempdir().unwrap();
    let mut options = RecordOptions::default();
    options.limits.max_frame_bytes = 8;
    let recorder = Recorder::create(scratch.path(), provider_adapters::builtin(), options).unwrap();
    let tap = recorder.tap(&launch("session-1")).unwrap();
    tap.outbound(b"12345678").unwrap();
    for _ in 0..2 {
        let failure = tap.outbound(b"123456789").unwrap_err();
        let error = failure.downcast_ref().unwrap();
        assert!(
            matches!(
                error,
                RecordError::FrameTooLarge {
                    bytes: 9,
                    limit: 8,
                    ..
                }
            ),
            "{error:?}"
        );
    }
    assert!(tap.outbound(b"1").is_err());
    drop(tap);
    assert!(recorder.finish().is_err());
    let refused = Tape::open(scratch.path(), &ReadOptions::default()).unwrap_err();
    assert!(matches!(refused, OpenError::Status { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_directory_with_a_cassette_is_left_untouched_unless_told_to_replace() {
    let scratch = tempfile::tempdir().unwrap();
    record(scratch.path()).await;
    let before = std::fs::read(scratch.path().join("frames.jsonl")).unwrap();
    let registry = provider_adapters::builtin;
    let refused = Recorder::create(scratch.path(), registry(), RecordOptions::default());
    assert!(refused.is_err());
    assert_eq!(
        std::fs::read(scratch.path().join("frames.jsonl")).unwrap(),
        before
    );
    let existing = cassette_record::Existing::Replace;
    let options = RecordOptions {
        existing,
        ..RecordOptions::default()
    };
    let recorder = Recorder::create(scratch.path(), registry(), options.clone()).unwrap();
    let locked = Recorder::create(scratch.path(), registry(), options).unwrap_err();
    assert!(
        matches!(locked, cassette_record::CreateError::Locked { .. }),
        "{locked:?}"
    );
    recorder.finish().unwrap();
    assert_eq!(open(scratch.path()).len(), 0);
}

#[tokio::test]
async fn an_aborted_recording_keeps_its_frames_and_stays_incomplete() {
    let scratch = tempfile::tempdir().unwrap();
    let recorder = recorder(scratch.path());
    let tap = recorder.tap(&launch("session-1")).unwrap();
    tap.outbound(INITIALIZE).unwrap();
    recorder.abort().unwrap();
    assert!(tap.outbound(INITIALIZE).is_err());
    assert_eq!(recorder.finish().unwrap(), CassetteStatus::Incomplete);
    let left = cassette_format::store::TapePrefix::open(scratch.path(), &ReadOptions::default());
    assert_eq!(left.unwrap().len(), 1);
}
