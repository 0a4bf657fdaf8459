//! Every capture recorded and played again to a client that works elsewhere: in another
//! directory and home, with other request ids, identities and version, and with its
//! writes cut elsewhere.

use std::collections::HashMap;
use std::pin::pin;
use std::time::Duration;

use cassette_format::process::{
    Frame, FrameEvent, Inheritance, Launch, LaunchSpec, ProcessTransport as _, SessionContext,
};
use cassette_format::schema::ChunkKind;
use cassette_format::store::{ReadOptions, Tape};
use cassette_replay::{PlayOptions, Player};
use serde_json::Value;
use tokio::time::timeout;

use crate::capture::{Capture, all};
use crate::recording::{Cuts, record};

const CWD: &str = "/elsewhere/über dir";
const CWD_URI: &str = "file:///elsewhere/%C3%BCber%20dir";
const HOME: &str = "/elsewhere/home";
const SESSION: &str = "another-session";

/// How the client cuts what it writes.
#[derive(Debug, Clone, Copy)]
enum Writes {
    Bytes,
    Messages,
    /// All that it sends without waiting, at once.
    Runs,
}

/// What this client has sent in the place of what was recorded.
#[derive(Debug, Default)]
struct Names {
    ids: HashMap<String, Value>,
    identities: HashMap<String, String>,
}

impl Names {
    /// A recorded message of the host as this client sends it.
    fn outbound(&mut self, line: &str) -> String {
        let Ok(mut message) = serde_json::from_str::<Value>(line) else {
            return line.to_owned();
        };
        let is_request = message.get("method").is_some();
        if let Some(id) = message.get("id").filter(|_| is_request).cloned() {
            let other = match &id {
                Value::Number(number) => Value::from(number.as_u64().unwrap_or_default() + 7000),
                Value::String(text) => Value::from(format!("other-{text}")),
                other => other.clone(),
            };
            self.ids.insert(id.to_string(), other.clone());
            message["id"] = other;
        }
        if let Some(version) = message.pointer_mut("/params/clientInfo/version") {
            *version = Value::from("99.0.0");
        }
        self.identify(&mut message, true);
        here(&mut message);
        message.to_string()
    }

    /// A recorded message of the agent as this client must receive it.
    fn inbound(&mut self, message: &mut Value) {
        let is_answer = message.get("result").is_some() || message.get("error").is_some();
        if let Some(id) = message
            .get("id")
            .filter(|_| is_answer)
            .map(ToString::to_string)
            && let Some(other) = self.ids.get(&id)
            && message.get("method").is_none()
        {
            message["id"] = other.clone();
        }
        self.identify(message, false);
        here(message);
    }

    /// Gives identities other values, and knows them again.
    fn identify(&mut self, message: &mut Value, is_new: bool) {
        match message {
            Value::Object(members) => {
                for (name, value) in members {
                    match value {
                        Value::String(text) if name == "clientUserMessageId" => {
                            if is_new && !text.is_empty() {
                                let other = format!("other-{text}");
                                self.identities.insert(text.clone(), other);
                            }
                            if let Some(other) = self.identities.get(text) {
                                text.clone_from(other);
                            }
                        }
                        value => self.identify(value, is_new),
                    }
                }
            }
            Value::Array(elements) => {
                for element in elements {
                    self.identify(element, is_new);
                }
            }
            _ => {}
        }
    }
}

/// Puts this side's directories in the place of the tokens.
fn here(message: &mut Value) {
    match message {
        Value::String(text) => {
            *text = text
                .replace("file://${SESSION_CWD:session-1:1}", CWD_URI)
                .replace("${SESSION_CWD:session-1:1}", CWD)
                .replace("${SESSION_CWD_SLUG:session-1:1}", "-elsewhere--ber-dir")
                .replace("${REPLAY_HOME}", HOME);
        }
        Value::Array(elements) => elements.iter_mut().for_each(here),
        Value::Object(members) => {
            let old = std::mem::take(members);
            for (name, mut value) in old {
                here(&mut value);
                let mut name = Value::from(name);
                here(&mut name);
                members.insert(name.as_str().unwrap().to_owned(), value);
            }
        }
        _ => {}
    }
}

/// What the client does.
#[derive(Debug)]
enum Step {
    Send(Vec<u8>),
    /// It waits for so many frames before it goes on.
    Receive(usize),
}

/// What the client does, and what it must receive. It sends nothing before it has
/// received what the recorded client had.
fn script(tape: &Tape, framed: bool, writes: Writes) -> (Vec<Step>, Vec<Value>) {
    let mut names = Names::default();
    let mut steps: Vec<Step> = Vec::new();
    let mut received = Vec::new();
    let (mut outbound, mut stdout) = (Vec::new(), Vec::new());
    for chunk in tape.chunks() {
        let data = chunk.data().unwrap();
        if chunk.kind() == ChunkKind::Outbound {
            outbound.extend(data);
            for message in take_messages(&mut outbound, framed, false) {
                let message = framed_as(&names.outbound(&message), framed);
                match (writes, steps.last_mut()) {
                    (Writes::Runs, Some(Step::Send(last))) => last.extend(message),
                    (Writes::Bytes, _) => {
                        steps.extend(message.iter().map(|byte| Step::Send(vec![*byte])));
                    }
                    _ => steps.push(Step::Send(message)),
                }
            }
            continue;
        }
        match steps.last_mut() {
            _ if data.is_empty() => {}
            Some(Step::Receive(count)) => *count += 1,
            _ => steps.push(Step::Receive(1)),
        }
        if chunk.kind() == ChunkKind::Stdout {
            stdout.extend(data);
            for message in take_messages(&mut stdout, framed, false) {
                received.push(expected(&mut names, &message));
            }
        }
    }
    let last = take_messages(&mut outbound, framed, true);
    steps.extend(
        last.iter()
            .map(|last| Step::Send(names.outbound(last).into_bytes())),
    );
    for message in take_messages(&mut stdout, framed, true) {
        received.push(expected(&mut names, &message));
    }
    (steps, received)
}

fn expected(names: &mut Names, message: &str) -> Value {
    match serde_json::from_str(message) {
        Ok(mut message) => {
            names.inbound(&mut message);
            message
        }
        Err(_) => Value::from(message),
    }
}

/// The whole messages at the start of a stream, taken out of it; at its end the rest too.
fn take_messages(stream: &mut Vec<u8>, framed: bool, is_end: bool) -> Vec<String> {
    let mut messages = Vec::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    loop {
        if framed {
            let Some(header) = memchr::memmem::find(stream, b"\r\n\r\n") else {
                break;
            };
            let line = text(&stream[..header]).to_lowercase();
            let length = line.split("content-length:").nth(1).unwrap();
            let length: usize = length.split_whitespace().next().unwrap().parse().unwrap();
            let end = header + 4 + length;
            if stream.len() < end {
                break;
            }
            let rest = stream.split_off(end);
            messages.push(text(&stream[header + 4..]));
            *stream = rest;
        } else {
            let Some(end) = stream.iter().position(|byte| *byte == b'\n') else {
                break;
            };
            let rest = stream.split_off(end + 1);
            let line = text(stream);
            *stream = rest;
            if !line.trim().is_empty() {
                messages.push(line.trim_end_matches(['\r', '\n']).to_owned());
            }
        }
    }
    if is_end && !stream.is_empty() {
        messages.push(text(&std::mem::take(stream)));
    }
    messages
}

fn framed_as(message: &str, framed: bool) -> Vec<u8> {
    if framed {
        format!("Content-Length: {}\r\n\r\n{message}", message.len()).into_bytes()
    } else {
        format!("{message}\n").into_bytes()
    }
}

fn launch(capture: &Capture) -> Launch {
    let session = SessionContext::new(capture.provider.parse().unwrap(), SESSION.parse().unwrap());
    let mut spec = LaunchSpec::new(["agent"]).in_directory(CWD);
    spec.inheritance = Inheritance::Clear;
    for (name, _) in &capture.variables {
        spec = spec.with_variable(name, HOME);
    }
    Launch::for_session(spec, session)
}

/// Plays a tape to a client; gives what the agent said, or how it failed.
async fn play(player: &Player, capture: &Capture, steps: Vec<Step>) -> Result<Vec<u8>, String> {
    let connection = player.start(launch(capture)).await.unwrap();
    let mut received = Vec::new();
    // On a clock that goes on only when nothing else does.
    let limit = Duration::from_secs(1);
    let mut take = |frame: Option<Frame>| match frame.map(|frame| frame.event) {
        Some(FrameEvent::Stdout(bytes)) => received.extend_from_slice(&bytes),
        Some(_) => {}
        None => panic!("the agent ended"),
    };
    let mut ahead = 0_usize;
    for (at, step) in steps.into_iter().enumerate() {
        match step {
            Step::Send(bytes) => {
                let mut sending = pin!(timeout(limit, connection.send(&bytes)));
                // It reads while it writes.
                loop {
                    tokio::select! {
                        biased;
                        sent = &mut sending => {
                            let sent = sent.map_err(|_| format!("step {at}: a send waits for ever"));
                            sent?.map_err(|error| told(&error))?;
                            break;
                        }
                        frame = connection.recv() => {
                            ahead += 1;
                            take(frame.map_err(|error| told(&error))?);
                        }
                    }
                }
            }
            Step::Receive(count) => {
                let left = count.saturating_sub(ahead);
                ahead -= count - left;
                for _ in 0..left {
                    let frame = timeout(limit, connection.recv()).await;
                    let frame = frame.map_err(|_| format!("step {at}: nothing comes"))?;
                    take(frame.map_err(|error| told(&error))?);
                }
            }
        }
    }
    player.verify_complete().map_err(|error| told(&error))?;
    Ok(received)
}

fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

fn round_trip(capture: &Capture, tape: Tape, writes: Writes) -> Result<usize, String> {
    let framed = capture.provider == "lsp";
    let (steps, expected) = script(&tape, framed, writes);
    let count = steps
        .iter()
        .filter(|step| matches!(step, Step::Send(_)))
        .count();
    let registry = provider_adapters::builtin();
    let player = Player::new(tape, registry, PlayOptions::fast_forward()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let mut received = runtime.block_on(play(&player, capture, steps))?;
    let received: Vec<Value> = take_messages(&mut received, framed, true)
        .iter()
        .map(|message| {
            serde_json::from_str(message).unwrap_or_else(|_| Value::from(message.as_str()))
        })
        .collect();
    // Some requests are answered at once, wherever the tape has the answers.
    let is_answer = |message: &&Value| message.get("result").is_some();
    let in_order = |messages: &[Value]| -> Vec<String> {
        let others = messages.iter().filter(|message| !is_answer(message));
        others.map(ToString::to_string).collect()
    };
    let answers = |messages: &[Value]| -> Vec<String> {
        let answers = messages.iter().filter(is_answer);
        let mut answers: Vec<String> = answers.map(ToString::to_string).collect();
        answers.sort();
        answers
    };
    for of in [&in_order as &dyn Fn(&[Value]) -> Vec<String>, &answers] {
        let (expected, received) = (of(&expected), of(&received));
        let differs = expected
            .iter()
            .zip(&received)
            .find(|(one, other)| one != other);
        if let Some((expected, received)) = differs {
            return Err(format!("{expected}\nbut {received}"));
        }
        if expected.len() != received.len() {
            return Err(format!("{} messages, {}", expected.len(), received.len()));
        }
    }
    Ok(count)
}

#[test]
fn every_capture_is_played_to_a_client_that_works_elsewhere() {
    let Some(captures) = all() else {
        return;
    };
    let mut failed = Vec::new();
    for capture in &captures {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("tape");
        if record(capture, &dir, Cuts::AsCaptured).is_err() {
            println!("{:<40} not recorded", capture.name);
            continue;
        }
        for writes in [Writes::Messages, Writes::Runs, Writes::Bytes] {
            let tape = Tape::open(&dir, &ReadOptions::default()).unwrap();
            match round_trip(capture, tape, writes) {
                Ok(sends) => println!(
                    "{:<40} {writes:?}: {sends} sends, 0 mismatches",
                    capture.name
                ),
                Err(reason) => {
                    println!("{:<40} {writes:?}: {reason}", capture.name);
                    failed.push(capture.name.as_str());
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
