//! What reading a golden cassette gives, today and always: a snapshot each.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use cassette_format::portable::Rules;
use cassette_format::process::{
    Frame, FrameEvent, Inheritance, Launch, LaunchSpec, SessionContext,
};
use cassette_format::schema::{ChunkKind, ConnectionRecord};
use cassette_format::store::{OpenError, ReadOptions, Tape, TapePrefix};
use cassette_format::summary::Summary;
use cassette_record::{RecoverMode, audit, recover};
use cassette_replay::{PlayOptions, Player};
use insta::{Settings, assert_snapshot};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use crate::golden::all;
use crate::scene::registry;

/// Where the golden cassettes are played.
const CWD: &str = "/srv/elsewhere";
const HOME: &str = "/srv/elsewhere-home";

/// How long a step may take, on a clock that goes on only when nothing else does.
const LIMIT: Duration = Duration::from_secs(1);

/// The cassette that is not complete.
const CUT_SHORT: &str = "schema-4/cut-short";

fn snapshot(name: &str, text: &str) {
    let mut settings = Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(name.replace('/', "-"), text));
}

/// Bytes, or their number and digest where a snapshot would be too long with them.
fn shown(bytes: &[u8]) -> String {
    if bytes.len() <= 4096 {
        return bytes.escape_ascii().to_string();
    }
    let digest = Sha256::digest(bytes);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} bytes, SHA-256 {hex}", bytes.len())
}

/// The chunks as a reader sees them.
fn chunks(tape: &Tape) -> String {
    let mut text = String::new();
    for chunk in tape.chunks() {
        let data = chunk.data().unwrap();
        write!(
            text,
            "{} {} {} {}",
            chunk.global_seq(),
            chunk.connection_id(),
            chunk.elapsed(),
            chunk.kind()
        )
        .unwrap();
        if let Some(code) = chunk.exit_code() {
            write!(text, " {code}").unwrap();
        }
        if !data.is_empty() {
            write!(text, " {}", shown(&data)).unwrap();
        }
        if !chunk.message().is_empty() {
            write!(text, " told: {:?}", chunk.message()).unwrap();
        }
        text.push('\n');
    }
    text
}

fn launch(record: &ConnectionRecord) -> Launch {
    let mut session = SessionContext::new(record.provider.clone(), record.agent_session.clone());
    session.root_session = Some(record.root_agent_session.clone());
    let mut spec = LaunchSpec::new(["agent"])
        .in_directory(CWD)
        .with_variable("HOME", HOME);
    spec.inheritance = Inheritance::Clear;
    Launch::for_session(spec, session)
}

/// What the recorded host sent, with this side's directories in it.
fn here(data: &[u8], record: &ConnectionRecord) -> Vec<u8> {
    let Ok(text) = str::from_utf8(data) else {
        return data.to_vec();
    };
    let text = text
        .replace(record.cwd_token.as_str(), CWD)
        .replace("${REPLAY_HOME}", HOME);
    match text.split_once("\r\n\r\n") {
        Some((header, content)) if header.starts_with("Content-Length") => {
            format!("Content-Length: {}\r\n\r\n{content}", content.len()).into_bytes()
        }
        _ => text.into_bytes(),
    }
}

fn told(frame: &Frame) -> String {
    let event = match &frame.event {
        FrameEvent::Stdout(bytes) => format!("stdout {}", shown(bytes)),
        FrameEvent::Stderr(bytes) => format!("stderr {}", shown(bytes)),
        event => format!("{event:?}"),
    };
    match frame.message.as_deref() {
        None => event,
        Some(message) => format!("{event} told: {message:?}"),
    }
}

/// Plays the recorded host's part elsewhere, in the recorded order; gives all that it received.
async fn play(tape: Tape) -> String {
    let registry = registry();
    let player = Player::new(tape, registry, PlayOptions::fast_forward()).unwrap();
    let tape = player.tape();
    let mut connections = Vec::new();
    for record in &tape.manifest().connections {
        connections.push((record, player.launch(&launch(record)).unwrap()));
    }
    let mut received = String::new();
    for chunk in tape.chunks() {
        let (record, connection) = connections
            .iter()
            .find(|(record, _)| record.connection_id == *chunk.connection_id())
            .unwrap();
        if chunk.kind() == ChunkKind::Outbound {
            let sent = here(&chunk.data().unwrap(), record);
            let sending = timeout(LIMIT, connection.send(&sent)).await;
            sending.expect("the send ends").unwrap();
        } else {
            let frame = timeout(LIMIT, connection.recv()).await;
            // Chunks of a message whose length changes come as one.
            if let Some(frame) = frame.expect("a frame comes").unwrap() {
                writeln!(received, "{} {}", record.connection_id, told(&frame)).unwrap();
            }
        }
    }
    for (_, connection) in &connections {
        connection.close().await.unwrap();
    }
    player.verify_complete().unwrap();
    received
}

fn read(tape: Tape, dir: &Path) -> String {
    let registry = registry();
    let options = ReadOptions::default();
    let findings = audit(dir, &registry, &options, &Rules::default()).unwrap();
    assert_eq!(findings, [], "{}", dir.display());
    let summary = Summary::of(&tape, &registry);
    let chunks = chunks(&tape);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let played = runtime.block_on(play(tape));
    format!("{chunks}\n--- played in {CWD}\n{played}\n--- summary\n{summary}")
}

#[test]
fn every_golden_cassette_reads_and_plays_as_it_always_did() {
    let cassettes = all();
    assert!(!cassettes.is_empty());
    for (name, dir) in cassettes {
        if name == CUT_SHORT {
            continue;
        }
        let tape = Tape::open(&dir, &ReadOptions::default()).unwrap();
        let text = read(tape, &dir);
        println!("{name}: read, audited, played");
        snapshot(&name, &text);
    }
}

#[test]
fn a_golden_cassette_that_was_cut_short_is_refused_and_recovered() {
    let (name, dir) = all().into_iter().find(|it| it.0 == CUT_SHORT).unwrap();
    let options = ReadOptions::default();
    let refused = Tape::open(&dir, &options).unwrap_err();
    assert!(matches!(refused, OpenError::Status { .. }), "{refused:?}");
    let prefix = TapePrefix::open(&dir, &options).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let to = scratch.path().join("recovered");

    let report = recover(&dir, &to, RecoverMode::Tail, &options).unwrap();

    let tape = Tape::open(&to, &options).unwrap();
    let text = format!(
        "{:?}\n{report:#?}\n{}\n{:#?}",
        prefix.ending(),
        chunks(&tape),
        tape.manifest().annotations
    );
    println!("{name}: refused, recovered");
    snapshot(&name, &text);
}
