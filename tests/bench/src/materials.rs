//! What measurements need of a tape, made ready before the clock runs: its bytes, its payloads as
//! they are stored, its messages, and the traffic that a host elsewhere has with the agent.

use std::collections::HashMap;

use base64::Engine as _;
use cassette_format::descriptor::{Descriptor, MessageFraming};
use cassette_format::json::{
    Edits, Framer, Framing, FramingLimits, Span, ValueKind, members, string_eq,
};
use cassette_format::portable::{HomeTokens, Resolution, RootSources, Roots, Rules};
use cassette_format::process::{
    ExitCode, Frame, FrameEvent, Inheritance, Launch, LaunchSpec, SessionContext,
};
use cassette_format::schema::{ChunkKind, ConnectionId, ConnectionRecord};
use cassette_format::store::{CassetteDir, ChunkView, Tape};

use crate::case::{Case, Ids};
use crate::quickest::BASE64;

/// Where the host of a replay or of a new recording works.
const CWD: &str = "/elsewhere/home/ada/work";
const HOME: &str = "/elsewhere/home/ada";

/// What is made ready of a tape.
#[derive(Debug)]
pub(crate) struct Materials {
    /// The bytes of `frames.jsonl`.
    pub(crate) stored: Vec<u8>,
    /// The payloads as they are stored.
    pub(crate) base64: Pieces,
    /// The messages of all streams, whole.
    pub(crate) messages: Pieces,
    /// The traffic as recorded, in its order.
    pub(crate) recorded: Vec<Step>,
    /// The traffic of a host that works elsewhere.
    pub(crate) elsewhere: Vec<Step>,
}

/// Texts in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// One thing that passes.
#[derive(Debug)]
pub(crate) struct Step {
    /// The connection, as the manifest counts.
    pub(crate) connection: usize,
    /// What passes.
    pub(crate) what: Passing,
}

/// What passes.
#[derive(Debug)]
pub(crate) enum Passing {
    /// Bytes of the host.
    Sent(Vec<u8>),
    /// Something of the agent.
    Received(Frame),
}

impl Pieces {
    fn push(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        self.ends.push(self.bytes.len());
    }

    /// The texts in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.bytes[start..*end])
    }
}

impl Materials {
    /// Makes everything ready.
    pub(crate) fn of(case: &Case) -> anyhow::Result<Self> {
        let tape = case.tape()?;
        let records = &case.manifest().connections;
        let ordinals: HashMap<&ConnectionId, usize> = records
            .iter()
            .enumerate()
            .map(|(at, record)| (&record.connection_id, at))
            .collect();
        let sides: Vec<Side> = records.iter().map(|it| Side::of(it, case)).collect();
        let (mut base64, mut recorded, mut elsewhere) = Default::default();
        for chunk in tape.chunks() {
            let data = chunk.data()?;
            Pieces::push(&mut base64, BASE64.encode(&data).as_bytes());
            let Some(&connection) = ordinals.get(chunk.connection_id()) else {
                continue;
            };
            let there = sides[connection].resolved(&chunk.kind(), &data);
            push_step(&mut recorded, connection, (&chunk, data));
            push_step(&mut elsewhere, connection, (&chunk, there));
        }
        Ok(Self {
            stored: std::fs::read(CassetteDir::new(case.dir()).frames_path())?,
            messages: messages(&tape, case)?,
            base64,
            recorded,
            elsewhere,
        })
    }
}

/// The launch of a host that works elsewhere, whose environment holds five secrets.
pub(crate) fn launch(record: &ConnectionRecord) -> Launch {
    let mut session = SessionContext::new(record.provider.clone(), record.agent_session.clone());
    session.root_session = Some(record.root_agent_session.clone());
    let mut spec = LaunchSpec::new(["agent"])
        .in_directory(CWD)
        .with_variable("HOME", HOME);
    spec.inheritance = Inheritance::Clear;
    for (name, value) in secrets() {
        spec = spec.with_variable(name, value);
    }
    Launch::for_session(spec, session)
}

/// Five secrets, as a host's environment has them.
pub(crate) fn secrets() -> impl Iterator<Item = (String, String)> {
    ["A", "B", "C", "D", "E"]
        .into_iter()
        .zip(1..)
        .map(|(name, number)| {
            let value = format!("sk-{number}f9a7b3c1d5e8f0a2b4c6d8e0f1a3b5c7");
            (format!("{name}_API_KEY"), value)
        })
}

/// How a connection's messages read elsewhere.
struct Side {
    resolution: Resolution,
    framing: MessageFraming,
    ids: Ids,
}

impl Side {
    fn of(record: &ConnectionRecord, case: &Case) -> Self {
        let known = case.registry().by_provider(&record.provider);
        let unknown = Descriptor::new(
            record.provider.clone(),
            cassette_format::descriptor::TargetId::named("local:unknown"),
            MessageFraming::Raw,
            cassette_format::descriptor::Dialect::Opaque,
        );
        let descriptor = known.unwrap_or(&unknown);
        let sources = RootSources {
            variables: &[("HOME", HOME)],
            cwd: Some(CWD),
            ..RootSources::default()
        };
        let token = record.cwd_token.as_str();
        let roots = Roots::new(descriptor, &sources, token, HomeTokens::Shared);
        let rules = Rules::default();
        Self {
            resolution: Resolution::new(descriptor, &roots, (token, HOME), &rules),
            framing: descriptor.framing,
            ids: case.ids,
        }
    }

    /// The payload with this side's directories. What is no whole line stays as it is.
    fn resolved(&self, kind: &ChunkKind, data: &[u8]) -> Vec<u8> {
        if self.framing != MessageFraming::Lines {
            return data.to_vec();
        }
        let lines = data.split_inclusive(|byte| *byte == b'\n');
        let resolved = lines.map(|line| {
            let line = self.resolution.message(line).bytes;
            if self.ids == Ids::Other && *kind == ChunkKind::Outbound {
                return with_other_id(&line);
            }
            line.into_owned()
        });
        resolved.collect::<Vec<_>>().concat()
    }
}

/// A request with another number.
fn with_other_id(line: &[u8]) -> Vec<u8> {
    let mut edits = Edits::new();
    for member in members(line, Span::whole(line)).map_while(Result::ok) {
        if member.value.kind == ValueKind::Number && string_eq(line, member.key, "id") {
            let mut id = b"700".to_vec();
            id.extend(member.value.span.text(line));
            edits.replace(member.value.span, &id);
        }
    }
    let edited = edits.apply(line).map(|edited| edited.bytes.into_owned());
    edited.unwrap_or_else(|_| line.to_vec())
}

fn push_step(steps: &mut Vec<Step>, connection: usize, (chunk, data): (&ChunkView<'_>, Vec<u8>)) {
    let event = match chunk.kind() {
        ChunkKind::Outbound => {
            let what = Passing::Sent(data);
            return steps.push(Step { connection, what });
        }
        ChunkKind::Stdout if data.is_empty() => FrameEvent::MessageOnly,
        ChunkKind::Stdout => FrameEvent::Stdout(data),
        ChunkKind::Stderr => FrameEvent::Stderr(data),
        ChunkKind::Exit => FrameEvent::Exit(ExitCode::new(chunk.exit_code().unwrap_or_default())),
        _ => return,
    };
    let message = Some(chunk.message()).filter(|message| !message.is_empty());
    if matches!(event, FrameEvent::MessageOnly) && message.is_none() {
        return;
    }
    let what = Passing::Received(Frame {
        event,
        message,
        stamp: None,
    });
    steps.push(Step { connection, what });
}

/// Every message of every stream, in the order in which they end.
fn messages(tape: &Tape, case: &Case) -> anyhow::Result<Pieces> {
    let mut messages = Pieces::default();
    let mut framers: HashMap<(ConnectionId, ChunkKind), Framer> = HashMap::new();
    let framings: HashMap<&ConnectionId, Framing> = case
        .manifest()
        .connections
        .iter()
        .filter_map(|record| {
            let descriptor = case.registry().by_provider(&record.provider)?;
            Some((&record.connection_id, framing(descriptor.framing)))
        })
        .collect();
    for chunk in tape.chunks() {
        let stream = (chunk.connection_id().clone(), chunk.kind());
        let framing = framings.get(chunk.connection_id());
        let framer = framers.entry(stream).or_insert_with(|| {
            let framing = framing.copied().unwrap_or(Framing::Raw);
            Framer::new(framing, FramingLimits::new(usize::MAX))
        });
        framer.push(&chunk.data()?);
        drain(framer, &mut messages);
    }
    for framer in framers.values_mut() {
        framer.finish();
        drain(framer, &mut messages);
    }
    Ok(messages)
}

fn drain(framer: &mut Framer, messages: &mut Pieces) {
    loop {
        match framer.next_message() {
            Ok(Some(message)) => messages.push(message.content()),
            Ok(None) => return,
            Err(_) => framer.fall_back_to_lines(),
        }
    }
}

const fn framing(framing: MessageFraming) -> Framing {
    match framing {
        MessageFraming::ContentLength => Framing::ContentLength,
        MessageFraming::Raw => Framing::Raw,
        _ => Framing::Lines,
    }
}
