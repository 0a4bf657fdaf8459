//! The player: whatever a tape holds and a host does, nothing panics and nothing waits for ever;
//! a host that does what was recorded plays the tape to its end.
//!
//! An input is a choice of framing, pace and host, a recording, and what the host does.

use std::sync::Arc;
use std::time::Duration;

use cassette_format::descriptor::{
    Descriptor, Dialect, GeneratedField, IdentityFields, MessageFraming, Registry, SyntheticAnswer,
};
use cassette_format::process::{
    Frame, FrameEvent, Inheritance, InputUnit, Launch, LaunchSpec, PlaybackControl,
    ProcessConnection, SessionContext, Speed, UnitPosition,
};
use cassette_format::schema::{ChunkKind, ChunkSeq, ConnectionId};
use cassette_format::store::{ReadOptions, Tape};
use cassette_replay::{PlayOptions, Player};
use tokio::time::timeout;

use crate::cuts::Cuts;
use crate::script::{Framed, Said, data as said, plain_recording, recording};
use crate::tape::{CONNECTIONS, Lines, listing};

/// Longer than anything takes that is recorded, in the runtime's own time.
const FOR_EVER: Duration = Duration::from_hours(1);

/// Any bytes.
pub fn player(data: &[u8]) {
    let mut choices = Cuts::of(data);
    let choice = choices.byte();
    let framed = [
        Framed::Lines,
        Framed::ContentLength,
        Framed::Raw,
        Framed::Lines,
    ][usize::from(choice & 3)];
    let is_faithful = choice & 8 == 8;
    let recorded = if is_faithful {
        plain_recording(&mut choices, framed)
    } else {
        recording(&mut choices, framed)
    };
    let options = if choice & 4 == 0 {
        PlayOptions::fast_forward()
    } else {
        PlayOptions::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let player =
            Player::new(tape(&recorded), registry(framed), options).expect("is registered");
        if is_faithful {
            let order = if choice & 16 == 0 {
                Order::AtOnce
            } else {
                Order::InTurn
            };
            faithful(&player, &recorded, order).await;
        } else {
            hostile(&player, choices, framed).await;
        }
    });
}

/// When a host sends what was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    AtOnce,
    /// Once it has heard all that was said before.
    InTurn,
}

/// A host that does what was recorded: it hears what the agent said, and the tape is played whole.
async fn faithful(player: &Player, recorded: &[Said], order: Order) {
    let mut tasks = Vec::new();
    for at in 0..CONNECTIONS {
        let connection = player.launch(&launch(at + 1)).expect("was recorded");
        if order == Order::InTurn {
            let chunks = recorded.iter().filter(|said| said.connection as u64 == at);
            take_turns(&connection, chunks).await;
            connection.close().await.expect("everything was played");
            continue;
        }
        let chunks = recorded.iter().filter(|said| said.connection as u64 == at);
        let of_kind = |kind: ChunkKind| {
            let chunks = chunks.clone().filter(move |said| said.kind == kind);
            chunks.map(|said| said.data.clone()).collect::<Vec<_>>()
        };
        let sending = tokio::spawn(send_all(
            Arc::clone(&connection),
            of_kind(ChunkKind::Outbound),
        ));
        let receiving = tokio::spawn(receive_all(Arc::clone(&connection)));
        tasks.push((connection, sending, receiving, of_kind(ChunkKind::Stdout)));
    }
    for (connection, sending, receiving, expected) in tasks {
        sending.await.expect("what is sent is taken");
        let heard = receiving.await.expect("what is said is received");
        assert_eq!(heard, expected.concat());
        connection.close().await.expect("everything was played");
    }
    player.verify_complete().expect("everything was played");
}

/// Hears all that was said before a message is sent.
async fn take_turns(connection: &Arc<dyn ProcessConnection>, chunks: impl Iterator<Item = &Said>) {
    let (mut said, mut heard) = (Vec::new(), Vec::new());
    for chunk in chunks {
        match chunk.kind {
            ChunkKind::Outbound => {
                send_all(Arc::clone(connection), vec![chunk.data.clone()]).await;
            }
            ChunkKind::Stdout | ChunkKind::Stderr => said.extend_from_slice(&chunk.data),
            _ => {}
        }
        while heard.len() < said.len() {
            let frame = timeout(FOR_EVER, connection.recv()).await;
            let frame = frame.expect("the agent's turn").expect("can be played");
            match frame.expect("has not ended").event {
                FrameEvent::Stdout(bytes) | FrameEvent::Stderr(bytes) => heard.extend(bytes),
                _ => {}
            }
        }
        assert_eq!(heard, said);
    }
    assert_eq!(receive_all(Arc::clone(connection)).await, b"");
}

async fn send_all(connection: Arc<dyn ProcessConnection>, messages: Vec<Vec<u8>>) {
    for message in messages {
        let sent = timeout(FOR_EVER, connection.send(&message)).await;
        sent.expect("waits for ever").expect("was recorded");
    }
}

async fn receive_all(connection: Arc<dyn ProcessConnection>) -> Vec<u8> {
    let mut heard = Vec::new();
    // Where no exit was recorded, the agent is silent at the end.
    while let Ok(frame) = timeout(FOR_EVER, connection.recv()).await {
        match frame.expect("can be played").map(|frame| frame.event) {
            Some(FrameEvent::Stdout(bytes)) => heard.extend(bytes),
            Some(_) => {}
            None => break,
        }
    }
    heard
}

/// A host that does anything, in any order.
async fn hostile(player: &Player, mut choices: Cuts<'_>, framed: Framed) {
    let mut connections: Vec<Arc<dyn ProcessConnection>> = Vec::new();
    connections.extend(player.launch(&launch(1)).ok());
    let mut last_heard = [None; 2];
    while !choices.is_empty() {
        let choice = choices.byte();
        let connection = connections.get(usize::from(choice & 1)).cloned();
        match (choice >> 1 & 15, connection) {
            (0 | 1, _) => {
                connections.extend(player.launch(&launch(u64::from(choice & 1) + 1)).ok())
            }
            (2..=6, Some(connection)) => {
                let bytes = said(&mut choices, framed);
                tell(timeout(FOR_EVER, connection.send(&bytes)).await);
            }
            (7..=10, Some(connection)) => {
                let received = timeout(FOR_EVER, connection.recv()).await;
                if let Ok(Ok(Some(frame))) = &received {
                    hear(frame, framed, &mut last_heard[usize::from(choice & 1)]);
                }
                tell(received);
            }
            (11, Some(connection)) => {
                let position = position(choices.byte(), choices.byte());
                let unit = InputUnit { position };
                tell(timeout(FOR_EVER, connection.complete_input_unit(unit)).await);
            }
            (12, Some(connection)) => {
                tell(timeout(FOR_EVER, end(&connection, choices.byte())).await)
            }
            (13, _) => control(player, choices.byte()),
            (14, _) => {
                let first = ConnectionId::numbered(1);
                let wait = player.wait_for_progress(&first, Duration::from_secs(1));
                tell(timeout(FOR_EVER, wait).await);
            }
            _ => tokio::time::sleep(Duration::from_millis(30)).await,
        }
    }
    for connection in &connections {
        // Closing ends every wait, so none can go on here.
        let closed = timeout(FOR_EVER, connection.close()).await;
        tell(closed.map_err(|_| "closing waits for ever").unwrap());
    }
    let verdict = player.verify_complete();
    assert!(verdict.is_err() || player.failure().is_none());
    assert_eq!(verdict.is_ok(), player.playback().state().drained);
}

/// What nobody recorded begins a line of its own, where messages are lines.
fn hear(frame: &Frame, framed: Framed, last: &mut Option<u8>) {
    let FrameEvent::Stdout(bytes) = &frame.event else {
        return;
    };
    let is_synthetic = frame.stamp.as_ref().is_some_and(|stamp| stamp.synthetic);
    if is_synthetic && framed == Framed::Lines {
        let is_open = last.is_some_and(|last| last != b'\n');
        assert_eq!(
            is_open,
            bytes.starts_with(b"\n"),
            "{}",
            bytes.escape_ascii()
        );
    }
    *last = bytes.last().copied().or(*last);
}

/// Errors are told, so that their texts are made.
fn tell<T, E: std::fmt::Debug>(outcome: Result<T, E>) {
    drop(outcome.map_err(|error| format!("{error:?}")));
}

async fn end(connection: &Arc<dyn ProcessConnection>, choice: u8) {
    let ended = match choice & 3 {
        0 => connection.close_input().await,
        1 => connection.terminate().await,
        2 => connection.kill().await,
        _ => connection.close().await,
    };
    tell(ended);
}

fn control(player: &Player, choice: u8) {
    let playback = player.playback();
    match choice & 7 {
        0 => playback.pause(),
        1 => playback.resume(),
        2 => playback.set_fast_forward(choice & 8 == 0),
        3 => playback.set_speed(Speed::ALL[usize::from(choice >> 3) % Speed::ALL.len()]),
        4 => playback.clear_cursor(),
        5 => drop(playback.cursor()),
        _ => tell(playback.set_cursor(&[position(choice >> 3, 1)])),
    }
}

fn position(chunk: u8, unit: u8) -> UnitPosition {
    UnitPosition {
        connection_id: ConnectionId::numbered(u64::from(chunk & 1) + 1),
        chunk_seq: ChunkSeq::new(u64::from(chunk >> 1)),
        unit_index: u64::from(unit),
    }
}

fn launch(session: u64) -> Launch {
    let mut spec = LaunchSpec::new(["agent"]).in_directory("/here/where/it/is/played");
    spec.inheritance = Inheritance::Clear;
    let session = format!("session-{session}")
        .parse()
        .expect("names a session");
    Launch::for_session(
        spec,
        SessionContext::new("test".parse().expect("names a provider"), session),
    )
}

fn tape(recorded: &[Said]) -> Tape {
    let mut lines = Lines::new(listing("test"));
    for Said {
        connection,
        elapsed,
        kind,
        data,
    } in recorded
    {
        lines.push(*connection, *elapsed, (kind.clone(), data));
    }
    Tape::open(lines.complete().path(), &ReadOptions::default()).expect("is sound")
}

fn registry(framed: Framed) -> Registry {
    let framing = match framed {
        Framed::Lines => MessageFraming::Lines,
        Framed::ContentLength => MessageFraming::ContentLength,
        Framed::Raw => MessageFraming::Raw,
    };
    let mut descriptor = Descriptor::new(
        "test".parse().expect("names a provider"),
        "local:test".parse().expect("names a target"),
        framing,
        Dialect::JsonRpc,
    );
    let answer = |method: &str| SyntheticAnswer {
        method: method.into(),
        result: r#"{"declared":true}"#.into(),
    };
    descriptor.optional_probes = vec![answer("probe"), answer("limits")];
    descriptor.startup_metadata = vec![answer("limits")];
    descriptor.identity_fields = IdentityFields {
        generated: vec!["turnId".into()],
        match_only: vec!["sessionId".into()],
    };
    descriptor.generated_fields = vec![GeneratedField {
        method: "turn".into(),
        parameter: "planId".into(),
        prefix: "plan:".into(),
        portable: "plan:<any>".into(),
    }];
    let mut registry = Registry::new();
    registry.register(descriptor).expect("is the only one");
    registry
}
