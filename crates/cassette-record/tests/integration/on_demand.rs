//! Recordings on demand, while connections are closed and recordings end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;

use cassette_format::process::{
    Frame, Launch, ProcessConnection, ProcessTransport, SendError, StartError,
};
use cassette_format::schema::AgentSessionId;
use cassette_format::store::{ReadOptions, Tape, TapePrefix};
use cassette_record::{
    CaptureError, LiveTraffic, RecordOptions, Recorder, SessionRecordingTransport,
};
use tempfile::TempDir;

use crate::live::{launch, registry};
use crate::puppet::{Close, Puppet};

struct Host {
    scratch: TempDir,
    process: Puppet,
    transport: SessionRecordingTransport,
}

impl Host {
    fn new(live: LiveTraffic) -> Self {
        let options = RecordOptions {
            live,
            ..RecordOptions::default()
        };
        let process = Puppet::default();
        let transport = SessionRecordingTransport::new(process.clone(), registry(), options);
        Self {
            scratch: tempfile::tempdir().unwrap(),
            process,
            transport,
        }
    }

    fn dir(&self) -> PathBuf {
        self.scratch.path().join("tape")
    }

    async fn start(&self, session: &str) -> Arc<dyn ProcessConnection> {
        self.transport.start(of_root(session)).await.unwrap()
    }

    fn arm(&self) {
        let id = "one".parse().unwrap();
        self.transport.arm(&root(), &id, self.dir()).unwrap();
    }
}

fn root() -> AgentSessionId {
    AgentSessionId::from_recorded("root")
}

fn of_root(session: &str) -> Launch {
    let mut launch = launch(session);
    let session = launch.session.as_mut().unwrap();
    session.root_session = Some("root".parse().unwrap());
    launch
}

const REFUSED: &[u8] = b"{\"apiKey\":\"zzz\"}\n";

#[tokio::test]
async fn a_connection_is_attached_by_no_recording_once_its_close_was_called() {
    let host = Host::new(LiveTraffic::FailsToo);
    let live = host.start("a").await;
    let (transport, dir) = (host.transport.clone(), host.dir());
    host.process.while_closing(move || {
        let id = "one".parse().unwrap();
        transport.arm(&root(), &id, dir).unwrap();
    });

    live.close().await.unwrap();

    let ended = host.transport.complete(&root());
    assert!(matches!(ended, Err(CaptureError::Empty { .. })));
}

#[test]
fn a_recording_that_is_armed_while_connections_are_closed_is_completed() {
    for round in 0..25 {
        let host = Host::new(LiveTraffic::FailsToo);
        let runtime = runtime();
        let live: Vec<_> = (0..12)
            .map(|number| runtime.block_on(host.start(&format!("a{number}"))))
            .collect();
        let (closing, begun) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                closing.send(()).unwrap();
                for connection in &live {
                    runtime.block_on(connection.close()).unwrap();
                }
            });
            begun.recv().unwrap();
            host.arm();
        });

        match host.transport.complete(&root()) {
            Ok(()) | Err(CaptureError::Empty { .. }) => {}
            Err(error) => panic!("{error:?} {round}"),
        }
    }
}

#[tokio::test]
async fn live_traffic_goes_on_after_a_recording_whose_connection_failed_to_close() {
    let host = Host::new(LiveTraffic::FailsToo);
    let live = host.start("a").await;
    host.arm();
    host.process.closes_by(Close::Fails);
    live.close().await.unwrap_err();
    host.transport.complete(&root()).unwrap();

    let frame = Frame::stdout("{}\n");
    host.process.says(frame.clone());

    assert_eq!(live.recv().await.unwrap(), Some(frame));
    live.send(REFUSED).await.unwrap();
    live.close_input().await.unwrap();
    assert_eq!(host.process.sent().as_bytes(), REFUSED);
    let tape = Tape::open(host.dir(), &ReadOptions::default()).unwrap();
    assert_eq!(tape.len(), 0);
}

#[tokio::test]
async fn a_recording_that_its_recorder_aborted_is_not_called_complete_and_harms_no_process() {
    let host = Host::new(LiveTraffic::FailsToo);
    let live = host.start("a").await;
    host.arm();
    host.transport.recorder(&root()).unwrap().abort().unwrap();

    live.send(b"{}\n").await.unwrap();
    let frame = Frame::stdout("{}\n");
    host.process.says(frame.clone());
    assert_eq!(live.recv().await.unwrap(), Some(frame));
    let later = host.start("b").await;
    later.send(b"[]\n").await.unwrap();
    let ended = host.transport.complete(&root());

    let Err(CaptureError::Aborted { root: of }) = ended else {
        panic!("{ended:?}")
    };
    assert_eq!(of, root());
    assert_eq!(host.process.sent(), "{}\n[]\n");
    let prefix = TapePrefix::open(host.dir(), &ReadOptions::default()).unwrap();
    assert_eq!(prefix.len(), 0);
    live.close().await.unwrap();
}

#[tokio::test]
async fn launches_go_on_unrecorded_after_a_failure_where_live_traffic_does() {
    let scratch = tempfile::tempdir().unwrap();
    let host = Host::new(LiveTraffic::GoesOn);
    host.arm();
    let options = RecordOptions {
        live: LiveTraffic::GoesOn,
        ..RecordOptions::default()
    };
    let plain = Recorder::create(scratch.path(), registry(), options).unwrap();
    let plain_process = Puppet::default();
    let plain_transport = plain.wrap(plain_process.clone());
    let on_demand: (&dyn ProcessTransport, _) = (&host.transport, &host.process);
    for (transport, process) in [on_demand, (&plain_transport, &plain_process)] {
        let first = transport.start(of_root("a")).await.unwrap();
        first.send(REFUSED).await.unwrap();

        let second = transport.start(of_root("b")).await.unwrap();
        second.send(b"{}\n").await.unwrap();

        assert_eq!(process.sent().as_bytes(), [REFUSED, b"{}\n"].concat());
        let mut unknown = of_root("c");
        unknown.session.as_mut().unwrap().provider = "nobody".parse().unwrap();
        let refused = transport.start(unknown).await;
        assert!(matches!(refused, Err(StartError::UnknownProvider { .. })));
        assert_eq!(process.started(), 2);
    }
    assert_eq!(plain.manifest().connections.len(), 1);
    plain.abort().unwrap();
    let after = plain_transport.start(of_root("d")).await.unwrap();
    after.send(b"{}\n").await.unwrap();
    assert!(matches!(
        host.transport.complete(&root()),
        Err(CaptureError::Finish(_))
    ));
}

#[tokio::test]
async fn launches_fail_after_a_failure_where_live_traffic_does() {
    let host = Host::new(LiveTraffic::FailsToo);
    host.arm();
    let first = host.start("a").await;
    let refused = first.send(REFUSED).await;
    assert!(matches!(refused, Err(SendError::Failed(_))));

    let second = host.transport.start(of_root("b")).await;

    assert!(matches!(second, Err(StartError::Refused(_))));
    assert_eq!(host.process.started(), 1);
}

#[test]
fn finalising_is_fine_while_recordings_are_completed() {
    let host = Host::new(LiveTraffic::FailsToo);
    let roots = (0..20).map(|number| AgentSessionId::from_recorded(format!("root-{number}")));
    let roots: Vec<AgentSessionId> = roots.collect();
    for root in &roots {
        let dir = host.scratch.path().join(root.as_str());
        let id = "one".parse().unwrap();
        host.transport.arm(root, &id, dir).unwrap();
    }
    let (completing, begun) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            completing.send(()).unwrap();
            for root in &roots {
                match host.transport.complete(root) {
                    Err(CaptureError::Empty { .. } | CaptureError::NotFound { .. }) => {}
                    ended => panic!("{ended:?}"),
                }
            }
        });
        begun.recv().unwrap();
        runtime().block_on(host.transport.finalize()).unwrap();
    });
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.build().unwrap()
}
