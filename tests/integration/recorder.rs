//! What a recorder keeps to, whatever the process and the disk do.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use async_trait::async_trait;
use cassette_format::process::{
    ControlError, Frame, Inheritance, Launch, LaunchSpec, MemoryTransport, ProcessConnection,
    ProcessTransport, RecvError, SendError, SessionContext, StartError,
};
use cassette_format::schema::{CassetteStatus, ChunkKind};
use cassette_format::store::{ReadOptions, Tape, TapePrefix};
use cassette_record::{CreateError, FinishError, LiveTraffic, RecordOptions, Recorder};
use tokio::sync::Notify;

fn launch() -> Launch {
    let session = SessionContext::new("codex".parse().unwrap(), "session-1".parse().unwrap());
    let mut spec = LaunchSpec::new(["agent"]);
    // Nothing of whoever runs the tests.
    spec.inheritance = Inheritance::Clear;
    Launch::for_session(spec, session)
}

fn recorder(dir: &Path, options: RecordOptions) -> Recorder {
    Recorder::create(dir, provider_adapters::builtin(), options).unwrap()
}

fn kinds(dir: &Path) -> Vec<ChunkKind> {
    let tape = Tape::open(dir, &ReadOptions::default()).unwrap();
    tape.chunks().map(|chunk| chunk.kind()).collect()
}

/// A process that answers while the host is still writing, and takes sends
/// slowly.
#[derive(Debug, Default, Clone)]
struct Hasty(Arc<HastyState>);

#[derive(Debug, Default)]
struct HastyState {
    arrived: Mutex<Vec<Vec<u8>>>,
    asked: Notify,
    answered: Notify,
    waits_for_reader: bool,
}

#[async_trait]
impl ProcessTransport for Hasty {
    async fn start(&self, _launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        Ok(Arc::new(self.clone()))
    }
}

#[async_trait]
impl ProcessConnection for Hasty {
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        if self.0.waits_for_reader {
            self.0.asked.notify_one();
            self.0.answered.notified().await;
        } else {
            // Longer sends take longer, so that they would overtake each other.
            for _ in 0..bytes.len() {
                tokio::task::yield_now().await;
            }
        }
        self.0.arrived.lock().unwrap().push(bytes.to_vec());
        Ok(())
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        self.0.asked.notified().await;
        self.0.answered.notify_one();
        Ok(Some(Frame::stdout(b"answer\n")))
    }

    async fn close_input(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn terminate(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn kill(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn close(&self) -> Result<(), ControlError> {
        Ok(())
    }
}

#[tokio::test]
async fn an_answer_that_comes_while_its_request_is_written_is_recorded_behind_it() {
    let scratch = tempfile::tempdir().unwrap();
    let recorder = recorder(scratch.path(), RecordOptions::default());
    let state = HastyState {
        waits_for_reader: true,
        ..HastyState::default()
    };
    let transport = recorder.wrap(Hasty(Arc::new(state)));
    let connection = transport.start(launch()).await.unwrap();
    let (sent, received) = tokio::join!(connection.send(b"request\n"), connection.recv());
    sent.unwrap();
    assert_eq!(received.unwrap().unwrap().stamp.unwrap().chunk_seq.get(), 2);
    connection.close().await.unwrap();
    recorder.finish().unwrap();
    assert_eq!(
        kinds(scratch.path()),
        [ChunkKind::Outbound, ChunkKind::Stdout]
    );
}

#[tokio::test]
async fn sends_are_recorded_in_the_order_in_which_they_arrive() {
    let scratch = tempfile::tempdir().unwrap();
    let recorder = recorder(scratch.path(), RecordOptions::default());
    let process = Hasty::default();
    let connection = recorder
        .wrap(process.clone())
        .start(launch())
        .await
        .unwrap();
    let sends = (0..20_usize).map(|number| {
        let connection = Arc::clone(&connection);
        let bytes = vec![b'x'; 20 - number];
        tokio::spawn(async move {
            match number % 2 {
                0 => connection.send(&bytes).await,
                _ => connection.send_owned(bytes).await,
            }
        })
    });
    for send in sends.collect::<Vec<_>>() {
        send.await.unwrap().unwrap();
    }
    connection.close().await.unwrap();
    recorder.finish().unwrap();
    let tape = Tape::open(scratch.path(), &ReadOptions::default()).unwrap();
    let recorded: Vec<Vec<u8>> = tape.chunks().map(|chunk| chunk.data().unwrap()).collect();
    assert_eq!(recorded, *process.0.arrived.lock().unwrap());
}

#[tokio::test]
async fn a_cancelled_send_stays_on_the_tape_and_no_further_one_is_taken() {
    for owned in [false, true] {
        let scratch = tempfile::tempdir().unwrap();
        let recorder = recorder(scratch.path(), RecordOptions::default());
        let process = Hasty::default();
        let transport = recorder.wrap(process.clone());
        let connection = transport.start(launch()).await.unwrap();
        let mut sending = match owned {
            false => connection.send(b"given up\n"),
            true => connection.send_owned(b"given up\n".to_vec()),
        };
        let polled = sending
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
        drop(sending);

        let next = connection.send_owned(b"next\n".to_vec()).await;

        assert!(matches!(next, Err(SendError::Closed)), "{next:?}");
        connection.close().await.unwrap();
        recorder.finish().unwrap();
        let tape = Tape::open(scratch.path(), &ReadOptions::default()).unwrap();
        let recorded: Vec<Vec<u8>> = tape.chunks().map(|it| it.data().unwrap()).collect();
        assert_eq!(recorded, [b"given up\n"]);
        assert!(process.0.arrived.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn live_traffic_goes_on_without_a_failed_recording_where_that_is_asked_for() {
    let scratch = tempfile::tempdir().unwrap();
    let mut options = RecordOptions {
        live: LiveTraffic::GoesOn,
        ..RecordOptions::default()
    };
    options.limits.max_frame_bytes = 4;
    let recorder = recorder(scratch.path(), options);
    let agent = MemoryTransport::new();
    let connection = recorder.wrap(agent.clone()).start(launch()).await.unwrap();
    connection.send(b"too long\n").await.unwrap();
    agent.peer(0).unwrap().emit(Frame::stdout(b"answer\n"));
    assert_eq!(
        connection.recv().await.unwrap(),
        Some(Frame::stdout(b"answer\n"))
    );
    assert_eq!(agent.peer(0).unwrap().sent(), [b"too long\n"]);
    assert!(recorder.failure().is_some());
}

#[tokio::test]
async fn a_launch_whose_manifest_cannot_be_written_uses_nothing_up() {
    let scratch = tempfile::tempdir().unwrap();
    let (dir, away) = (scratch.path().join("tape"), scratch.path().join("away"));
    let recorder = recorder(&dir, RecordOptions::default());
    std::fs::rename(&dir, &away).unwrap();
    assert!(recorder.tap(&launch()).is_err());
    std::fs::rename(&away, &dir).unwrap();
    drop(recorder.tap(&launch()).unwrap());
    recorder.finish().unwrap();
    let record = &recorder.manifest().connections[0];
    assert_eq!(
        (record.connection_id.as_str(), record.launch_ordinal.get()),
        ("connection-1", 1)
    );
}

#[tokio::test]
async fn a_tape_is_filled_to_its_limit_and_not_beyond() {
    let line = r#"{"connectionId":"connection-1","chunkSeq":1,"globalSeq":1,"elapsedMs":0,"kind":"outbound","data":"eAo="}"#;
    let stored = line.len() as u64 + 1;
    for (limit, fits) in [(stored, true), (stored - 1, false)] {
        let scratch = tempfile::tempdir().unwrap();
        let clock = cassette_record::Clock::from_fn(|| std::time::Duration::ZERO);
        let mut options = RecordOptions {
            clock: Some(clock),
            ..RecordOptions::default()
        };
        options.limits.max_stored_bytes = limit;
        let recorder = recorder(scratch.path(), options);
        let tap = recorder.tap(&launch()).unwrap();
        assert_eq!(tap.outbound(b"x\n").is_ok(), fits);
    }
}

#[tokio::test]
async fn limits_larger_than_the_format_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let mut options = RecordOptions::default();
    options.limits.max_frame_bytes += 1;
    let refused = Recorder::create(scratch.path(), provider_adapters::builtin(), options);
    assert!(matches!(
        refused,
        Err(CreateError::LimitTooLarge {
            what: "maxFrameBytes",
            ..
        })
    ));
}

#[tokio::test]
async fn a_recording_whose_last_manifest_is_not_written_stays_incomplete_and_ends() {
    let scratch = tempfile::tempdir().unwrap();
    let (dir, away) = (scratch.path().join("tape"), scratch.path().join("away"));
    let recorder = recorder(&dir, RecordOptions::default());
    recorder.tap(&launch()).unwrap().outbound(b"x").unwrap();
    std::fs::rename(&dir, &away).unwrap();
    assert!(matches!(recorder.finish(), Err(FinishError::Manifest(_))));
    std::fs::rename(&away, &dir).unwrap();
    assert!(recorder.tap(&launch()).is_err());
    assert!(matches!(recorder.finish(), Err(FinishError::Failed(_))));
    assert_eq!(recorder.manifest().status, CassetteStatus::Incomplete);
    let left = TapePrefix::open(&dir, &ReadOptions::default()).unwrap();
    assert_eq!(
        (left.manifest().status.clone(), left.len()),
        (CassetteStatus::Incomplete, 1)
    );
}
