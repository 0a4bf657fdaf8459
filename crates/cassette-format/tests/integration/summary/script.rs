//! Tapes of a few words, and summaries in a form that is quick to compare.

use std::collections::BTreeMap;

use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, Registry};
use cassette_format::schema::{Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq};
use cassette_format::summary::{DirectionSummary, MessageSummary, MethodSummary, Summary};

use crate::tape_files::{Draft, DraftLine, connection};

/// A tape that is being said. The connections are numbered from 1.
pub(super) struct Script {
    providers: Vec<&'static str>,
    chunks: Vec<Chunk>,
    now: u64,
}

/// A provider of each dialect and framing: `rpc`, `lsp`, `envelope`, `stream`,
/// `opaque`, and `pieces`, of whose messages each is a chunk.
pub(super) fn registry() -> Registry {
    let mut registry = Registry::new();
    for (id, framing, dialect) in [
        ("rpc", MessageFraming::Lines, Dialect::JsonRpc),
        ("lsp", MessageFraming::ContentLength, Dialect::JsonRpc),
        ("envelope", MessageFraming::Lines, Dialect::TypedEnvelope),
        ("stream", MessageFraming::Lines, Dialect::StreamJson),
        ("opaque", MessageFraming::Raw, Dialect::Opaque),
        ("pieces", MessageFraming::Raw, Dialect::JsonRpc),
    ] {
        let target = format!("local:{id}").parse().unwrap();
        let descriptor = Descriptor::new(id.parse().unwrap(), target, framing, dialect);
        registry.register(descriptor).unwrap();
    }
    registry
}

impl Script {
    /// A tape of a connection of each of these providers.
    pub(super) fn of(providers: &[&'static str]) -> Self {
        Self {
            providers: providers.to_vec(),
            chunks: Vec::new(),
            now: 0,
        }
    }

    /// What follows passes at this time, in milliseconds.
    pub(super) fn at(mut self, now: u64) -> Self {
        self.now = now;
        self
    }

    /// A chunk of the connection of this number.
    pub(super) fn chunk(mut self, number: u64, kind: ChunkKind, data: impl AsRef<[u8]>) -> Self {
        let id = ConnectionId::numbered(number);
        let before = self.chunks.iter().filter(|it| it.connection_id == id);
        self.chunks.push(Chunk {
            chunk_seq: ChunkSeq::new(before.count() as u64 + 1),
            global_seq: GlobalSeq::new(self.chunks.len() as u64 + 1),
            connection_id: id,
            elapsed: ElapsedMs::new(self.now),
            exit_code: (kind == ChunkKind::Exit).then_some(0),
            kind,
            data: data.as_ref().to_vec(),
            message: String::new(),
        });
        self
    }

    /// The host says something to the first connection.
    pub(super) fn host(self, data: impl AsRef<[u8]>) -> Self {
        self.chunk(1, ChunkKind::Outbound, data)
    }

    /// The first connection says something.
    pub(super) fn agent(self, data: impl AsRef<[u8]>) -> Self {
        self.chunk(1, ChunkKind::Stdout, data)
    }

    /// Changes the last chunk.
    pub(super) fn with(mut self, change: impl FnOnce(&mut Chunk)) -> Self {
        change(self.chunks.last_mut().unwrap());
        self
    }

    /// The tape, sealed.
    pub(super) fn draft(&self) -> Draft {
        let records = self.providers.iter().zip(1..);
        let records = records.map(|(provider, number)| connection(number, provider));
        let lines = self.chunks.iter().cloned().map(DraftLine::recorded);
        Draft::new(records.collect(), lines.collect())
    }

    /// What the tape holds.
    pub(super) fn summary(&self) -> Summary {
        let tape = self.draft().on_disk().open().unwrap();
        Summary::of(&tape, &registry())
    }

    /// The messages of the first connection.
    pub(super) fn messages(&self) -> MessageSummary {
        let first = self.summary().connections.swap_remove(0);
        first.messages.unwrap()
    }

    /// The methods of the first connection, outbound and inbound.
    pub(super) fn methods(&self) -> (Vec<String>, Vec<String>) {
        let messages = self.messages();
        (lines(&messages.outbound), lines(&messages.inbound))
    }
}

/// `kind name count`, of requests also how many were answered.
pub(super) fn lines(direction: &DirectionSummary) -> Vec<String> {
    direction.methods.iter().map(line).collect()
}

fn line(method: &MethodSummary) -> String {
    let (kind, count) = (method.kind.as_str(), method.count);
    let name = method.name.as_deref().unwrap_or("?");
    match method.answers {
        Some(answers) => format!("{kind} {name} {count} answered {}", answers.count),
        None => format!("{kind} {name} {count}"),
    }
}

/// The counts of a direction beside its methods, those that are not 0.
pub(super) fn oddities(direction: &DirectionSummary) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::from([
        ("messages", direction.messages),
        ("not JSON", direction.not_json),
        ("unnamed", direction.unnamed),
        ("unfinished bytes", direction.unfinished_bytes),
        ("lost framings", direction.lost_framings),
        ("unfollowed requests", direction.unfollowed_requests),
        ("other methods", direction.other_methods.count),
    ]);
    counts.retain(|_, count| *count > 0);
    counts
}
