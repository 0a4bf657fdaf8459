//! The tasks of a host and a player in every order that a scheduler may choose: no wake-up
//! is lost, and nothing waits for ever.
//!
//! `RUSTFLAGS="--cfg shuttle" cargo test --release -p cassette-replay --test schedules`;
//! `FAULT_ROUNDS` says how many, 10 000 a test without it. Without the flag nothing is here.
#![cfg(all(test, shuttle))]

use std::path::Path;
use std::sync::{Arc, OnceLock};

use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, Registry, SyntheticAnswer};
use cassette_format::process::{
    FrameEvent, InputUnit, PlaybackControl, ProcessConnection, RecvError, SendError,
    SessionContext, Speed, UnitPosition,
};
use cassette_format::schema::{
    AgentSessionId, CaptureOrigin, CassetteStatus, Chunk, ChunkKind, ChunkSeq, ConnectionId,
    ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, LaunchOrdinal, Manifest,
    TapeLimits,
};
use cassette_format::store::{CassetteDir, ReadOptions, Tape, replace_manifest, write_line};
use cassette_replay::{PlayOptions, Player};
use sha2::{Digest, Sha256};
use shuttle::future::{block_on, spawn, yield_now};
use tempfile::TempDir;

/// What the host sends, in the order of the tape.
const SENT: [&str; 3] = [
    "{\"id\":1,\"method\":\"a\"}\n",
    "{\"id\":2,\"method\":\"b\"}\n",
    "{\"method\":\"c\"}\n",
];
/// Bytes of all that the agent says.
const SAID: usize = 21 + 19 + 11 + 9;

const CHUNKS: [(ChunkKind, &str); 8] = [
    (ChunkKind::Outbound, SENT[0]),
    (ChunkKind::Stdout, "{\"id\":1,\"result\":{}}\n"),
    (ChunkKind::Stdout, "{\"method\":\"event\"}\n"),
    (ChunkKind::Outbound, SENT[1]),
    (ChunkKind::Outbound, SENT[2]),
    (ChunkKind::Stdout, "{\"id\":2,\"re"),
    (ChunkKind::Stdout, "sult\":{}}"),
    (ChunkKind::Exit, ""),
];

/// All that a second launch of the other session did.
const PROBED: (ChunkKind, &str) = (ChunkKind::Outbound, "{\"id\":1,\"method\":\"probe\"}\n");

fn explore(test: impl Fn() + Send + Sync + 'static) {
    let asked = std::env::var("FAULT_ROUNDS").ok();
    let schedules = asked.and_then(|it| it.parse().ok()).unwrap_or(10_000);
    shuttle::check_random(test, schedules);
    println!("faults: {schedules} schedules, 0 lost wake-ups, 0 deadlocks");
}

/// The tape, written once.
fn tape() -> Tape {
    static TAPE: OnceLock<TempDir> = OnceLock::new();
    let scratch = TAPE.get_or_init(|| {
        let scratch = tempfile::tempdir().unwrap();
        write(&scratch.path().join("tape"));
        scratch
    });
    Tape::open(scratch.path().join("tape"), &ReadOptions::default()).unwrap()
}

fn write(dir: &Path) {
    let dir = CassetteDir::new(dir);
    let file = dir.create_frames().unwrap();
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    let launches = [(1, 1), (2, 1), (2, 2), (2, 3)];
    for (connection, (session, ordinal)) in (1..).zip(launches) {
        let session = AgentSessionId::from_recorded(format!("session-{session}"));
        let launch_ordinal = LaunchOrdinal::new(ordinal);
        manifest.connections.push(ConnectionRecord {
            connection_id: ConnectionId::numbered(connection),
            provider: "test".parse().unwrap(),
            cwd_token: CwdToken::new(&session, launch_ordinal),
            root_agent_session: session.clone(),
            agent_session: session,
            launch_ordinal,
            capture_origin: CaptureOrigin::ProcessStart,
            unknown: Vec::new(),
        });
    }
    let mut lines = Vec::new();
    let first = (1..).zip(CHUNKS).map(|(at, chunk)| (1, at, chunk));
    let others = [(3, 1, PROBED), (4, 1, CHUNKS[0].clone())];
    for (global, (connection, number, (kind, text))) in (1..).zip(first.chain(others)) {
        let before = lines.len();
        let chunk = Chunk {
            connection_id: ConnectionId::numbered(connection),
            chunk_seq: ChunkSeq::new(number),
            global_seq: GlobalSeq::new(global),
            elapsed: ElapsedMs::new(0),
            exit_code: (kind == ChunkKind::Exit).then_some(0),
            kind,
            data: text.into(),
            message: String::new(),
        };
        write_line(&mut lines, &chunk).unwrap();
        let stored = (lines.len() - before) as u64;
        manifest.frame_count += 1;
        manifest.payload_bytes += chunk.payload_bytes();
        manifest.stored_bytes += stored;
        let stats = manifest
            .frames_by_kind
            .entry(chunk.kind.clone())
            .or_default();
        stats.add(chunk.payload_bytes(), stored);
    }
    std::io::Write::write_all(&mut &file, &lines).unwrap();
    manifest.status = CassetteStatus::Complete;
    manifest.frames_sha256 = FramesDigest::from_bytes(Sha256::digest(&lines).into());
    replace_manifest(&dir, &manifest).unwrap();
}

fn player() -> Player {
    let mut descriptor = Descriptor::new(
        "test".parse().unwrap(),
        "local:test".parse().unwrap(),
        MessageFraming::Lines,
        Dialect::JsonRpc,
    );
    descriptor.optional_probes.push(SyntheticAnswer {
        method: "probe".into(),
        result: "{}".into(),
    });
    let mut registry = Registry::new();
    registry.register(descriptor).unwrap();
    Player::new(tape(), registry, PlayOptions::fast_forward()).unwrap()
}

fn connect(player: &Player) -> Arc<dyn ProcessConnection> {
    let session = SessionContext::new("test".parse().unwrap(), "session-1".parse().unwrap());
    player.connect(session).unwrap()
}

async fn send_all(connection: &Arc<dyn ProcessConnection>) -> Result<(), SendError> {
    for message in SENT {
        let (first, rest) = message.as_bytes().split_at(7);
        connection.send(first).await?;
        connection.send(rest).await?;
    }
    Ok(())
}

/// Bytes of all frames up to the end.
async fn receive_all(connection: &Arc<dyn ProcessConnection>) -> Result<usize, RecvError> {
    let mut received = 0;
    while let Some(frame) = connection.recv().await? {
        if let FrameEvent::Stdout(bytes) = &frame.event {
            received += bytes.len();
        }
    }
    Ok(received)
}

#[test]
fn a_host_that_sends_and_receives_comes_to_the_end() {
    explore(|| {
        block_on(async {
            let player = player();
            let connection = connect(&player);
            let sender = Arc::clone(&connection);
            let sending = spawn(async move { send_all(&sender).await.unwrap() });
            assert_eq!(receive_all(&connection).await.unwrap(), SAID);
            sending.await.unwrap();
            connection.close().await.unwrap();
        });
    });
}

#[test]
fn a_close_at_any_moment_ends_every_wait() {
    explore(|| {
        block_on(async {
            let player = player();
            let connection = connect(&player);
            let (sender, receiver) = (Arc::clone(&connection), Arc::clone(&connection));
            let sending = spawn(async move { send_all(&sender).await });
            let receiving = spawn(async move { receive_all(&receiver).await });
            connection.close().await.ok();
            let sent = sending.await.unwrap();
            assert!(matches!(sent, Ok(()) | Err(SendError::Closed)), "{sent:?}");
            assert!(receiving.await.unwrap().unwrap() <= SAID);
        });
    });
}

#[test]
fn a_pause_and_its_end_lose_no_wake_up() {
    explore(|| {
        block_on(async {
            let player = player();
            let connection = connect(&player);
            let playback = player.playback();
            let sender = Arc::clone(&connection);
            let sending = spawn(async move { send_all(&sender).await.unwrap() });
            let controlling = spawn(async move {
                playback.pause();
                playback.set_fast_forward(false);
                yield_now().await;
                playback.set_speed(Speed::Double);
                playback.resume();
            });
            assert_eq!(receive_all(&connection).await.unwrap(), SAID);
            sending.await.unwrap();
            controlling.await.unwrap();
        });
    });
}

#[test]
fn a_cancelled_receive_loses_no_frame_and_a_cancelled_send_is_taken() {
    explore(|| {
        block_on(async {
            let player = player();
            let connection = connect(&player);
            let sender = Arc::clone(&connection);
            let sending = spawn(async move {
                for message in SENT {
                    // Polled once and dropped: its turn comes all the same.
                    let mut send = Box::pin(sender.send(message.as_bytes()));
                    std::future::poll_fn(|cx| {
                        let _polled = send.as_mut().poll(cx);
                        std::task::Poll::Ready(())
                    })
                    .await;
                    drop(send);
                    yield_now().await;
                }
            });
            let mut received = 0;
            loop {
                let mut recv = Box::pin(connection.recv());
                let mut polls = 0;
                let frame = std::future::poll_fn(|cx| match recv.as_mut().poll(cx) {
                    std::task::Poll::Ready(frame) => std::task::Poll::Ready(Some(frame)),
                    // Given up at the second look.
                    std::task::Poll::Pending if polls > 0 => std::task::Poll::Ready(None),
                    std::task::Poll::Pending => {
                        polls += 1;
                        std::task::Poll::Pending
                    }
                });
                match frame.await {
                    None => {}
                    Some(Ok(Some(frame))) => {
                        if let FrameEvent::Stdout(bytes) = &frame.event {
                            received += bytes.len();
                        }
                    }
                    Some(Ok(None)) => break,
                    Some(Err(error)) => panic!("{error:?}"),
                }
            }
            sending.await.unwrap();
            assert_eq!(received, SAID);
        });
    });
}

#[test]
fn held_units_go_on_when_the_cursor_moves_or_the_connection_closes() {
    explore(|| {
        block_on(async {
            let player = player();
            let connection = connect(&player);
            let position = |chunk, unit| UnitPosition {
                connection_id: ConnectionId::numbered(1),
                chunk_seq: ChunkSeq::new(chunk),
                unit_index: unit,
            };
            player.playback().set_cursor(&[position(2, 1)]).unwrap();
            let unit = |position| InputUnit { position };
            let handler = Arc::clone(&connection);
            let handling = spawn(async move {
                handler.complete_input_unit(unit(position(2, 1))).await?;
                handler.complete_input_unit(unit(position(3, 1))).await
            });
            player.playback().set_cursor(&[position(3, 1)]).unwrap();
            yield_now().await;
            connection.close().await.ok();
            // Held at the second one until the close, or closed before it.
            assert!(handling.await.unwrap().is_err());
        });
    });
}

#[test]
fn a_probe_at_any_moment_is_answered_between_the_agents_messages() {
    explore(|| {
        block_on(async {
            let player = player();
            let connection = connect(&player);
            let (sender, prober) = (Arc::clone(&connection), Arc::clone(&connection));
            let sending = spawn(async move { send_all(&sender).await });
            let probe = "{\"id\":9,\"method\":\"probe\"}\n";
            let probing = spawn(async move { prober.send(probe.as_bytes()).await });
            let mut received = Vec::new();
            // Between the halves of a message of the host it breaks that one.
            let mut is_broken = false;
            loop {
                match connection.recv().await {
                    Ok(Some(frame)) => {
                        if let FrameEvent::Stdout(bytes) = frame.event {
                            received.extend(bytes);
                        }
                    }
                    Ok(None) => break,
                    Err(_) => {
                        is_broken = true;
                        break;
                    }
                }
            }
            let sent = (sending.await.unwrap(), probing.await.unwrap());
            assert!(is_broken || matches!(sent, (Ok(()), Ok(()))), "{sent:?}");
            let text = String::from_utf8(received).unwrap();
            for line in text.lines() {
                let whole = line.starts_with('{') && line.ends_with('}');
                assert!(whole && line.matches("\"id\"").count() <= 1, "{text}");
            }
        });
    });
}

#[test]
fn a_close_while_a_launch_goes_on_to_another_connection_ends_it() {
    explore(|| {
        block_on(async {
            let player = player();
            let second = SessionContext::new("test".parse().unwrap(), "session-2".parse().unwrap());
            player.connect(second.clone()).unwrap();
            let connection = player.connect(second).unwrap();
            let (sender, receiver) = (Arc::clone(&connection), Arc::clone(&connection));
            let sending = spawn(async move { sender.send(SENT[0].as_bytes()).await });
            let receiving = spawn(async move { receiver.recv().await });
            connection.close().await.ok();
            assert!(matches!(
                connection.send(b"more").await,
                Err(SendError::Closed)
            ));
            let sent = sending.await.unwrap();
            assert!(matches!(sent, Ok(()) | Err(SendError::Closed)), "{sent:?}");
            assert!(receiving.await.unwrap().is_ok());
            assert!(connection.recv().await.unwrap().is_none());
        });
    });
}
