//! Counting a tape chunk by chunk, whatever it is read from.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use super::conversation::Conversation;
use super::tally::Tally;
use super::{ConnectionSummary, Exit, MessageSummary, Summary};
use crate::descriptor::Registry;
use crate::schema::{ChunkKind, ConnectionId, ElapsedMs, KindStats, Manifest};
use crate::store::{ChunkView, LineView};

/// Makes a [`Summary`] of the chunks that it is given, in the order of the tape.
/// They need not be all of it, nor sound.
///
/// [`Summary::of`] and its kin give it what they have; by itself it is for what a
/// caller chooses.
pub struct Summarizer {
    summary: Summary,
    conversations: Vec<Option<Conversation>>,
    numbers: HashMap<ConnectionId, usize>,
}

/// What is counted of a chunk.
struct Counted<'c> {
    connection: Option<usize>,
    kind: ChunkKind,
    elapsed: ElapsedMs,
    /// None where it is no base64.
    data: Option<&'c [u8]>,
    message_bytes: u64,
    stored_bytes: u64,
    exit_code: Option<i64>,
}

impl Summarizer {
    /// Begins a summary of the connections that the manifest lists; nothing else is
    /// taken from it.
    #[must_use]
    pub fn new(manifest: &Manifest, registry: &Registry) -> Self {
        let mut connections = Vec::with_capacity(manifest.connections.len());
        let mut conversations = Vec::with_capacity(manifest.connections.len());
        let mut numbers = HashMap::with_capacity(manifest.connections.len());
        for (record, number) in manifest.connections.iter().zip(0..) {
            let descriptor = registry.by_provider(&record.provider);
            let dialect = descriptor.map(|descriptor| descriptor.dialect);
            connections.push(ConnectionSummary::of(record, dialect));
            conversations.push(descriptor.and_then(Conversation::with));
            let id = record.connection_id.clone();
            numbers.entry(id).or_insert(number);
        }
        Self {
            summary: Summary {
                total: KindStats::default(),
                frames_by_kind: BTreeMap::new(),
                duration: ElapsedMs::default(),
                unlisted: KindStats::default(),
                unreadable_lines: 0,
                messages: MessageSummary::default(),
                connections,
            },
            conversations,
            numbers,
        }
    }

    /// Counts the next chunk of a tape or of what is left of one.
    pub fn chunk(&mut self, chunk: &ChunkView<'_>) {
        let data = chunk.data().ok();
        self.count(&Counted {
            connection: self.numbers.get(chunk.connection_id()).copied(),
            kind: chunk.kind(),
            elapsed: chunk.elapsed(),
            data: data.as_deref(),
            message_bytes: chunk.message().len() as u64,
            stored_bytes: chunk.stored_bytes(),
            exit_code: chunk.exit_code(),
        });
    }

    /// Counts the next line of a tape that nothing is known of.
    pub fn line(&mut self, line: &LineView<'_>) {
        let data = line.data().ok();
        let id = ConnectionId::from_recorded(line.connection_id());
        self.count(&Counted {
            connection: self.numbers.get(&id).copied(),
            kind: line.kind().clone(),
            elapsed: line.elapsed(),
            data: data.as_deref(),
            message_bytes: line.message().len() as u64,
            stored_bytes: line.stored_bytes(),
            exit_code: line.exit_code(),
        });
    }

    /// Counts a line that does not read as a chunk.
    pub const fn unreadable_line(&mut self) {
        self.summary.unreadable_lines += 1;
    }

    /// The summary; what has not ended ends here.
    #[must_use]
    pub fn finish(mut self) -> Summary {
        let (mut outbound, mut inbound) = (Tally::default(), Tally::default());
        let connections = self.summary.connections.iter_mut();
        for (connection, conversation) in connections.zip(self.conversations) {
            let Some(mut conversation) = conversation else {
                continue;
            };
            conversation.finish();
            conversation.add_to((&mut outbound, &mut inbound));
            connection.messages = Some(conversation.summary());
        }
        self.summary.messages = MessageSummary {
            outbound: outbound.summary(),
            inbound: inbound.summary(),
        };
        self.summary
    }

    fn count(&mut self, chunk: &Counted<'_>) {
        let data_bytes = chunk.data.map_or(0, |data| data.len() as u64);
        let payload = data_bytes.saturating_add(chunk.message_bytes);
        let add = |stats: &mut KindStats| stats.add(payload, chunk.stored_bytes);
        let summary = &mut self.summary;
        add(&mut summary.total);
        add(kind_of(&mut summary.frames_by_kind, &chunk.kind));
        summary.duration = chunk.elapsed;
        let Some(number) = chunk.connection else {
            return add(&mut summary.unlisted);
        };
        let connection = &mut summary.connections[number];
        add(&mut connection.total);
        add(kind_of(&mut connection.frames_by_kind, &chunk.kind));
        connection.first_elapsed.get_or_insert(chunk.elapsed);
        connection.last_elapsed = Some(chunk.elapsed);
        connection.undecodable_chunks += u64::from(chunk.data.is_none());
        if chunk.kind == ChunkKind::Exit {
            connection.exit = Some(Exit {
                code: chunk.exit_code,
                elapsed: chunk.elapsed,
            });
        }
        if let Some(conversation) = &mut self.conversations[number] {
            let data = chunk.data.unwrap_or_default();
            conversation.push(&chunk.kind, data, chunk.elapsed);
        }
    }
}

impl fmt::Debug for Summarizer {
    /// Shows what was counted of chunks; ids of requests that wait are not for showing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summarizer")
            .field("total", &self.summary.total)
            .field("connections", &self.summary.connections)
            .finish_non_exhaustive()
    }
}

fn kind_of<'k>(
    kinds: &'k mut BTreeMap<ChunkKind, KindStats>,
    kind: &ChunkKind,
) -> &'k mut KindStats {
    kinds.entry(kind.clone()).or_default()
}
