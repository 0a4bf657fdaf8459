//! Recordings of a root session that begin and end while its processes run.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use cassette_format::process::{
    CursorError, Failure, Inheritance, Launch, LaunchSpec, MemoryTransport, PlaybackControl,
    PlaybackState, PlaybackUnavailable, ProcessConnection, ProcessTransport, Script,
    SessionContext, Speed, StartError, UnitPosition,
};
use cassette_format::schema::{AgentSessionId, CaptureOrigin, RecordingId};
use cassette_format::store::{ReadOptions, Tape, TapePrefix};
use cassette_record::{ArmError, CaptureError, RecordOptions, SessionRecordingTransport};
use tempfile::TempDir;

struct Desk {
    scratch: TempDir,
    transport: SessionRecordingTransport,
}

impl Desk {
    fn over(base: impl ProcessTransport + 'static) -> Self {
        let registry = provider_adapters::builtin();
        Self {
            scratch: tempfile::tempdir().unwrap(),
            transport: SessionRecordingTransport::new(base, registry, RecordOptions::default()),
        }
    }

    /// Over processes that answer each line once.
    fn new(processes: usize) -> Self {
        let script = || {
            let mut script = Script::new();
            for _ in 0..3 {
                script = script.expect(b"ping\n").stdout(b"pong\n");
            }
            script
        };
        Self::over(MemoryTransport::scripted((0..processes).map(|_| script())))
    }

    fn dir(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn arm(&self, root: &str, name: &str) -> Result<(), ArmError> {
        self.transport
            .arm(&session(root), &recording(name), self.dir(name))
    }
}

fn session(text: &str) -> AgentSessionId {
    AgentSessionId::from_recorded(text)
}

fn recording(text: &str) -> RecordingId {
    text.parse().unwrap()
}

fn launch(provider: &str, agent: &str, root: &str) -> Launch {
    let mut context = SessionContext::new(provider.parse().unwrap(), agent.parse().unwrap());
    context.root_session = Some(root.parse().unwrap());
    let mut spec = LaunchSpec::new(["agent"]);
    spec.inheritance = Inheritance::Clear;
    Launch::for_session(spec, context)
}

async fn ping(connection: &Arc<dyn ProcessConnection>) -> Option<RecordingId> {
    connection.send(b"ping\n").await.unwrap();
    let frame = connection.recv().await.unwrap().unwrap();
    frame.stamp.and_then(|stamp| stamp.recording_id)
}

#[tokio::test]
async fn live_connections_are_attached_in_the_order_of_their_launch_and_go_on_afterwards() {
    let desk = Desk::new(12);
    let mut connections = Vec::new();
    for number in 0..10 {
        let launch = launch("codex", &format!("child-{number}"), "root");
        connections.push(desk.transport.start(launch).await.unwrap());
    }
    let stranger = launch("codex", "other", "other");
    let stranger = desk.transport.start(stranger).await.unwrap();
    assert_eq!(ping(&connections[3]).await, None);

    desk.arm("root", "one").unwrap();
    let late = desk
        .transport
        .start(launch("codex", "late", "root"))
        .await
        .unwrap();
    for connection in connections.iter().rev().chain([&late]) {
        assert_eq!(ping(connection).await, Some(recording("one")));
    }
    assert_eq!(ping(&stranger).await, None);
    desk.transport.complete(&session("root")).unwrap();
    assert_eq!(ping(&connections[3]).await, None);
    assert_eq!(ping(&late).await, None);

    let tape = Tape::open(desk.dir("one"), &ReadOptions::default()).unwrap();
    let launched: Vec<(&str, &CaptureOrigin)> = tape
        .manifest()
        .connections
        .iter()
        .map(|it| (it.agent_session.as_str(), &it.capture_origin))
        .collect();
    let names: Vec<String> = (0..10).map(|number| format!("child-{number}")).collect();
    let mut expected: Vec<(&str, &CaptureOrigin)> = names
        .iter()
        .map(|name| (name.as_str(), &CaptureOrigin::AttachedLiveConnection))
        .collect();
    expected.push(("late", &CaptureOrigin::ProcessStart));
    assert_eq!(launched, expected);
    assert_eq!(tape.len(), 22);
}

#[tokio::test]
async fn a_refused_launch_harms_no_other_connection() {
    let desk = Desk::new(2);
    let live = desk
        .transport
        .start(launch("codex", "a", "root"))
        .await
        .unwrap();
    desk.arm("root", "one").unwrap();

    let refused = desk.transport.start(launch("nobody", "b", "root")).await;

    assert!(matches!(refused, Err(StartError::UnknownProvider { .. })));
    assert_eq!(ping(&live).await, Some(recording("one")));
    desk.transport.complete(&session("root")).unwrap();
    assert_eq!(
        Tape::open(desk.dir("one"), &ReadOptions::default())
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn what_cannot_be_armed_or_ended_says_why_and_attaches_nothing() {
    let desk = Desk::new(3);
    let live = desk
        .transport
        .start(launch("codex", "a", "root"))
        .await
        .unwrap();
    assert!(matches!(desk.arm(" ", "x"), Err(ArmError::RootRequired)));
    desk.arm("root", "one").unwrap();
    let Err(ArmError::Busy { root, recording_id }) = desk.arm("root", "two") else {
        panic!()
    };
    assert_eq!((root, recording_id), (session("root"), recording("one")));
    assert!(!desk.dir("two").exists());
    desk.transport.complete(&session("root")).unwrap();
    let missing = desk.transport.complete(&session("root"));
    assert!(matches!(missing, Err(CaptureError::NotFound { .. })));

    let taken = desk.arm("root", "one");
    assert!(matches!(taken, Err(ArmError::Create(_))), "{taken:?}");
    assert_eq!(ping(&live).await, None);
    let before = Tape::open(desk.dir("one"), &ReadOptions::default()).unwrap();
    assert_eq!(before.len(), 0);

    desk.arm("nobody", "empty").unwrap();
    let empty = desk.transport.complete(&session("nobody"));
    assert!(matches!(empty, Err(CaptureError::Empty { .. })));
}

#[tokio::test]
async fn a_cancelled_recording_keeps_what_was_recorded_as_incomplete() {
    let desk = Desk::new(1);
    let live = desk
        .transport
        .start(launch("codex", "a", "root"))
        .await
        .unwrap();
    desk.arm("root", "one").unwrap();
    ping(&live).await;
    desk.transport.cancel(&session("root")).unwrap();
    assert_eq!(ping(&live).await, None);

    assert!(Tape::open(desk.dir("one"), &ReadOptions::default()).is_err());
    let prefix = TapePrefix::open(desk.dir("one"), &ReadOptions::default()).unwrap();
    assert_eq!(prefix.len(), 2);
}

/// A transport that plays and counts how often it is finalised.
#[derive(Default, Clone)]
struct Playing(Arc<State>);

#[derive(Default)]
struct State {
    finalized: AtomicUsize,
    paused: AtomicUsize,
}

#[async_trait]
impl ProcessTransport for Playing {
    async fn start(&self, _launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        Err(StartError::NoCommand)
    }

    async fn finalize(&self) -> Result<(), Failure> {
        match self.0.finalized.fetch_add(1, Ordering::SeqCst) {
            0 => Ok(()),
            _ => Err(Failure::new(std::io::Error::other("not played whole"))),
        }
    }

    fn playback(&self) -> Result<Arc<dyn PlaybackControl>, PlaybackUnavailable> {
        Ok(Arc::clone(&self.0) as Arc<dyn PlaybackControl>)
    }
}

impl PlaybackControl for State {
    fn state(&self) -> PlaybackState {
        let mut state = PlaybackState::new();
        state.paused = self.paused.load(Ordering::SeqCst) > 0;
        state
    }
    fn set_speed(&self, _speed: Speed) {}
    fn pause(&self) {
        self.paused.fetch_add(1, Ordering::SeqCst);
    }
    fn resume(&self) {}
    fn set_fast_forward(&self, _enabled: bool) {}
    fn set_cursor(&self, _targets: &[UnitPosition]) -> Result<(), CursorError> {
        Ok(())
    }
    fn clear_cursor(&self) {}
    fn cursor(&self) -> Vec<UnitPosition> {
        Vec::new()
    }
}

#[tokio::test]
async fn playback_is_controlled_through_the_recording_transport_and_refused_where_nothing_plays() {
    let desk = Desk::over(Playing::default());
    let playback = desk.transport.playback().unwrap();
    playback.pause();
    assert!(desk.transport.playback().unwrap().state().paused);

    let live = Desk::new(0);
    assert_eq!(live.transport.playback().err(), Some(PlaybackUnavailable));
}

#[tokio::test]
async fn finalising_gives_up_what_is_armed_and_finalises_the_base() {
    let base = Playing::default();
    let desk = Desk::over(base.clone());
    desk.arm("root", "one").unwrap();

    desk.transport.finalize().await.unwrap();

    assert_eq!(base.0.finalized.load(Ordering::SeqCst), 1);
    assert!(Tape::open(desk.dir("one"), &ReadOptions::default()).is_err());
    assert!(matches!(desk.arm("root", "two"), Err(ArmError::Finalized)));
    let failed = desk.transport.finalize().await;
    assert!(matches!(failed, Err(CaptureError::Base(_))), "{failed:?}");
}
