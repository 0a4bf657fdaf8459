//! What was said in a cassette, message by message, in the order in which the
//! messages ended.

use std::collections::HashMap;

use cassette_format::descriptor::{Dialect, MessageFraming};
use cassette_format::json::{Ending, Framer, Framing, FramingLimits, Value};
use cassette_format::schema::{Chunk, ChunkKind, ConnectionId, ElapsedMs};
use cassette_format::summary::{MessageHead, MessageKind};

use crate::lines::Lines;
use crate::message::{gist, likely_dialect, values, written};

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// When it ended.
    pub(crate) at: ElapsedMs,
    /// The connection; empty for a line that cannot be read.
    pub(crate) connection: String,
    pub(crate) by: Speaker,
    /// What it is, of a message that is understood.
    pub(crate) kind: Option<MessageKind>,
    /// Its method, or that of the request that it answers.
    pub(crate) method: Option<String>,
    /// The id as it is written.
    pub(crate) id: Option<String>,
    /// All of it.
    pub(crate) text: String,
    /// What it has to say beside its method and id: a piece of `text`.
    pub(crate) gist: String,
}

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    Host,
    Agent,
    /// The agent, on standard error.
    Complaint,
    /// The operating system: the end of the agent, what is none of the others.
    System,
    /// Nobody: the line cannot be read.
    Nobody,
}

impl Speaker {
    /// The name in the JSON form.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Agent => "agent",
            Self::Complaint => "stderr",
            Self::System => "system",
            Self::Nobody => "unreadable",
        }
    }
}

/// Everything that was said.
pub(crate) fn transcript(lines: Lines) -> Vec<Said> {
    let Lines { chunks, protocols } = lines;
    let mut transcript = Transcript {
        protocols,
        streams: HashMap::new(),
        open: Vec::new(),
        asked: HashMap::new(),
        said: Vec::new(),
    };
    for line in chunks {
        match line {
            Ok(chunk) => transcript.chunk(&chunk),
            Err(reason) => transcript.unreadable(&reason),
        }
    }
    transcript.end_streams(|_| true);
    transcript.said
}

struct Transcript {
    protocols: HashMap<ConnectionId, (MessageFraming, Dialect)>,
    streams: HashMap<StreamId, Stream>,
    /// The streams, in the order in which they began.
    open: Vec<StreamId>,
    /// Methods of requests that were not answered, by who asked and their ids.
    asked: HashMap<(StreamId, String), String>,
    said: Vec<Said>,
}

type StreamId = (ConnectionId, ChunkKind);

/// One direction of a connection.
struct Stream {
    framer: Framer,
    dialect: Option<Dialect>,
    last: ElapsedMs,
}

impl Transcript {
    fn chunk(&mut self, chunk: &Chunk) {
        match chunk.kind {
            ChunkKind::Outbound | ChunkKind::Stdout | ChunkKind::Stderr => {
                self.bytes(chunk);
                self.beside(chunk, &[&chunk.message]);
            }
            ChunkKind::Exit => {
                self.end_streams(|(connection, _)| *connection == chunk.connection_id);
                let code = chunk
                    .exit_code
                    .map_or_else(String::new, |code| code.to_string());
                self.beside(chunk, &["exit", &code, &chunk.message]);
            }
            _ => {
                let data = String::from_utf8_lossy(&chunk.data);
                self.beside(chunk, &[chunk.kind.as_str(), &data, &chunk.message]);
            }
        }
    }

    /// What is no piece of the conversation, if there is any.
    fn beside(&mut self, chunk: &Chunk, words: &[&str]) {
        let words = words.iter().filter(|word| !word.is_empty()).copied();
        let text = words.collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return;
        }
        self.said.push(Said {
            connection: chunk.connection_id.as_str().to_owned(),
            ..Said::plain(Speaker::System, chunk.elapsed, text)
        });
    }

    fn bytes(&mut self, chunk: &Chunk) {
        let id = (chunk.connection_id.clone(), chunk.kind.clone());
        let stream = self.streams.entry(id.clone()).or_insert_with(|| {
            self.open.push(id.clone());
            let protocol = self.protocols.get(&chunk.connection_id);
            Stream::new(&chunk.kind, protocol.copied(), &chunk.data)
        });
        stream.last = chunk.elapsed;
        stream.framer.push(&chunk.data);
        self.drain(&id);
    }

    fn unreadable(&mut self, reason: &str) {
        let at = self
            .said
            .last()
            .map_or_else(ElapsedMs::default, |said| said.at);
        let said = Said::plain(Speaker::Nobody, at, reason.to_owned());
        self.said.push(said);
    }

    /// Ends these streams: what is left of them was not finished.
    fn end_streams(&mut self, is_ended: impl Fn(&StreamId) -> bool) {
        let open = std::mem::take(&mut self.open);
        let (ended, open) = open.into_iter().partition(is_ended);
        self.open = open;
        for id in ended {
            if let Some(stream) = self.streams.get_mut(&id) {
                stream.framer.finish();
                self.drain(&id);
                self.streams.remove(&id);
            }
        }
    }

    /// Takes every whole message of a stream.
    fn drain(&mut self, id: &StreamId) {
        let Some(stream) = self.streams.get_mut(id) else {
            return;
        };
        let mut messages = Vec::new();
        loop {
            match stream.framer.next_message() {
                Ok(Some(message)) => messages.push(match message.ending {
                    Ending::Complete => message.content().to_vec(),
                    Ending::EndOfStream => message.bytes.to_vec(),
                }),
                Ok(None) => break,
                Err(_) => stream.framer.fall_back_to_lines(),
            }
        }
        let (at, dialect) = (stream.last, stream.dialect);
        let is_raw = stream.framer.framing() == Framing::Raw;
        for message in messages {
            if is_raw {
                let lines = message.split_inclusive(|byte| *byte == b'\n');
                lines.for_each(|line| self.message(id, (at, dialect), line));
            } else {
                self.message(id, (at, dialect), &message);
            }
        }
    }

    fn message(
        &mut self,
        id: &StreamId,
        (at, dialect): (ElapsedMs, Option<Dialect>),
        bytes: &[u8],
    ) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        let values = match id.1 {
            ChunkKind::Stderr => None,
            _ => values(bytes),
        };
        let Some(values) = values else {
            let text = String::from_utf8_lossy(bytes).into_owned();
            return self.said.push(Said {
                connection: id.0.as_str().to_owned(),
                ..Said::plain(speaker(&id.1), at, text)
            });
        };
        for value in values {
            let dialect = dialect.unwrap_or_else(|| likely_dialect(bytes, value));
            let said = self.value(id, (at, dialect), (bytes, value));
            self.said.push(said);
        }
    }

    fn value(
        &mut self,
        id: &StreamId,
        (at, dialect): (ElapsedMs, Dialect),
        (bytes, value): (&[u8], Value),
    ) -> Said {
        let text = written(bytes, value);
        let mut said = Said {
            connection: id.0.as_str().to_owned(),
            ..Said::plain(speaker(&id.1), at, text)
        };
        let Some(head) = MessageHead::read(dialect, bytes, value) else {
            return said;
        };
        said.kind = Some(head.kind);
        said.id = head.id.map(|id| written(bytes, id));
        let name = head.name(bytes);
        said.method = match (head.kind, &said.id) {
            (MessageKind::Result | MessageKind::Error, Some(answered)) => {
                self.asked.remove(&(other_side(id), answered.clone()))
            }
            (MessageKind::Result | MessageKind::Error, None) => None,
            (MessageKind::Request, Some(asked)) => {
                self.asked.insert((id.clone(), asked.clone()), name.clone());
                Some(name)
            }
            _ => Some(name),
        };
        if dialect == Dialect::JsonRpc {
            said.gist = gist(bytes, (head.kind, value));
        }
        said
    }
}

impl Stream {
    /// A stream that begins with `data`. Where nothing is known of its protocol, its
    /// messages are lines, unless it begins with a header.
    fn new(kind: &ChunkKind, protocol: Option<(MessageFraming, Dialect)>, data: &[u8]) -> Self {
        let framing = match protocol {
            _ if *kind == ChunkKind::Stderr => Framing::Lines,
            Some((MessageFraming::ContentLength, _)) => Framing::ContentLength,
            Some((MessageFraming::Raw, _)) => Framing::Raw,
            Some(_) => Framing::Lines,
            None if begins_with_header(data) => Framing::ContentLength,
            None => Framing::Lines,
        };
        let dialect = protocol.map(|(_, dialect)| dialect);
        Self {
            // What a tape holds is the limit.
            framer: Framer::new(framing, FramingLimits::new(usize::MAX)),
            dialect: dialect.filter(|dialect| *dialect != Dialect::Opaque),
            last: ElapsedMs::default(),
        }
    }
}

impl Said {
    /// Something that is no message.
    fn plain(by: Speaker, at: ElapsedMs, text: String) -> Self {
        Self {
            at,
            connection: String::new(),
            by,
            kind: None,
            method: None,
            id: None,
            gist: text.clone(),
            text,
        }
    }
}

/// Whether data begins as a message with a length before it.
pub(crate) fn begins_with_header(data: &[u8]) -> bool {
    const HEADER: &[u8] = b"content-length:";
    let start = data.get(..HEADER.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(HEADER))
}

const fn speaker(kind: &ChunkKind) -> Speaker {
    match kind {
        ChunkKind::Outbound => Speaker::Host,
        ChunkKind::Stderr => Speaker::Complaint,
        _ => Speaker::Agent,
    }
}

fn other_side((connection, kind): &StreamId) -> StreamId {
    let other = match kind {
        ChunkKind::Outbound => ChunkKind::Stdout,
        _ => ChunkKind::Outbound,
    };
    (connection.clone(), other)
}
