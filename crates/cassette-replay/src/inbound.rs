//! What the agent says, chunk by chunk, with the values that are others on this side.
//!
//! An edit stands in the chunk that holds the first byte of what it replaces, so a
//! message is read to its end before its first chunk is delivered. It is looked at then,
//! and not sooner: what the host has sent by then counts.

use std::collections::VecDeque;

use cassette_format::json::{Ending, Framer, Framing, FramingLimits, Landing, Message, Span};
use cassette_format::schema::ChunkKind;
use cassette_format::store::UndecodableData;

use crate::script::Script;

/// One stream of the agent.
#[derive(Debug)]
pub(crate) struct Inbound {
    kind: ChunkKind,
    framer: Framer,
    /// Index from which on chunks are still to be read.
    next: usize,
    chunks: VecDeque<ReadChunk>,
    /// Messages that begin in chunks still to come.
    messages: VecDeque<ReadMessage>,
    edits: VecDeque<Edit>,
    /// Where the last message ends of which a part was delivered, and where the last
    /// chunk ended.
    begun_to: u64,
    delivered_to: u64,
    is_within_line: bool,
    is_over: bool,
}

/// What becomes of a message.
pub(crate) enum Change {
    Stays,
    Vanishes,
    /// Its content becomes this, by these edits.
    Becomes(Vec<u8>, Vec<Landing>),
}

#[derive(Debug)]
struct ReadChunk {
    start: u64,
    data: Vec<u8>,
}

#[derive(Debug)]
struct ReadMessage {
    start: u64,
    content: Span,
    ending: Ending,
    bytes: Vec<u8>,
}

/// Bytes of the stream that are replaced.
#[derive(Debug)]
struct Edit {
    start: u64,
    end: u64,
    by: Vec<u8>,
}

impl Inbound {
    pub(crate) fn new(kind: ChunkKind, framing: Framing) -> Self {
        Self {
            kind,
            framer: Framer::new(framing, FramingLimits::new(usize::MAX)),
            next: 0,
            chunks: VecDeque::new(),
            messages: VecDeque::new(),
            edits: VecDeque::new(),
            begun_to: 0,
            delivered_to: 0,
            is_within_line: false,
            is_over: false,
        }
    }

    /// Whether something of the next chunk is replaced by what stands before it.
    pub(crate) fn has_edits(&self) -> bool {
        !self.edits.is_empty()
    }

    /// Whether what was delivered last is the beginning of a message.
    pub(crate) const fn is_within_message(&self) -> bool {
        self.begun_to > self.delivered_to
    }

    /// Whether what was delivered last is a line without an end, behind which nothing
    /// comes.
    pub(crate) const fn is_within_line(&self) -> bool {
        self.is_within_line
    }

    /// This is delivered.
    pub(crate) fn deliver(&mut self, data: &[u8]) {
        if let Some(last) = data.last() {
            self.is_within_line = *last != b'\n';
        }
    }

    /// The data of the next chunk of this stream, which has this index, as it is on this
    /// side.
    pub(crate) fn chunk(
        &mut self,
        script: &Script,
        index: usize,
        mut change: impl FnMut(&Message<'_>) -> Change,
    ) -> Result<Vec<u8>, UndecodableData> {
        if !script.has_data(index) {
            return script.data(index);
        }
        if self.chunks.is_empty() {
            self.read(script, index)?;
        }
        let end = self.chunks.front().map_or(0, ReadChunk::end);
        while let Some(message) = self.messages.pop_front_if(|it| it.start < end) {
            let message = message.message();
            let changed = change(&message);
            self.take(&message, changed);
        }
        loop {
            self.drain(end, &mut change);
            if self.is_over || self.framer.offset() >= end {
                break;
            }
            match script.next_of(&self.kind, self.next) {
                // One that cannot be read fails when it is its turn.
                Some(next) if self.read(script, next).is_ok() => {}
                _ => {
                    self.framer.finish();
                    self.is_over = true;
                }
            }
        }
        let Some(chunk) = self.chunks.pop_front() else {
            return Ok(Vec::new());
        };
        self.delivered_to = end;
        Ok(self.edited(chunk))
    }

    fn take(&mut self, message: &Message<'_>, change: Change) {
        if !matches!(change, Change::Vanishes) {
            self.begun_to = message.end();
        }
        self.edits.extend(edits(message, change));
    }

    /// Reads a chunk; behind the end of the messages its bytes stay as they are.
    fn read(&mut self, script: &Script, index: usize) -> Result<(), UndecodableData> {
        let data = script.data(index)?;
        let start = self.framer.offset() + self.framer.pending() as u64;
        self.framer.push(&data);
        self.next = index + 1;
        if !data.is_empty() {
            self.chunks.push_back(ReadChunk { start, data });
        }
        Ok(())
    }

    /// Takes the messages that are whole: looks at those that begin before `end`, and
    /// keeps the others.
    fn drain(&mut self, end: u64, change: &mut impl FnMut(&Message<'_>) -> Change) {
        loop {
            match self.framer.next_message() {
                Ok(Some(message)) if message.start < end => {
                    let changed = change(&message);
                    if !matches!(changed, Change::Vanishes) {
                        self.begun_to = message.end();
                    }
                    self.edits.extend(edits(&message, changed));
                }
                Ok(Some(message)) => self.messages.push_back(ReadMessage {
                    start: message.start,
                    content: message.content,
                    ending: message.ending,
                    bytes: message.bytes.to_vec(),
                }),
                Ok(None) => return,
                Err(_) => self.framer.fall_back_to_lines(),
            }
        }
    }

    /// The data of a chunk after the edits.
    fn edited(&mut self, chunk: ReadChunk) -> Vec<u8> {
        let (start, end) = (chunk.start, chunk.end());
        if self.edits.front().is_none_or(|edit| edit.start >= end) {
            return chunk.data;
        }
        let mut data = Vec::with_capacity(chunk.data.len());
        let mut at = start;
        while let Some(edit) = self.edits.front().filter(|edit| edit.start < end) {
            if edit.start >= at {
                data.extend_from_slice(chunk.part(at, edit.start));
                data.extend_from_slice(&edit.by);
            }
            at = edit.end.min(end);
            if edit.end > end {
                break;
            }
            self.edits.pop_front();
        }
        data.extend_from_slice(chunk.part(at, end));
        data
    }
}

impl ReadChunk {
    fn end(&self) -> u64 {
        self.start + self.data.len() as u64
    }

    /// The bytes between two offsets of the stream.
    fn part(&self, from: u64, to: u64) -> &[u8] {
        let offset = |at: u64| usize::try_from(at - self.start).unwrap_or(self.data.len());
        &self.data[offset(from)..offset(to)]
    }
}

impl ReadMessage {
    fn message(&self) -> Message<'_> {
        Message {
            bytes: &self.bytes,
            start: self.start,
            content: self.content,
            ending: self.ending,
        }
    }
}

/// The edits of a message in its stream, in order.
fn edits(message: &Message<'_>, change: Change) -> Vec<Edit> {
    let (start, end) = (message.start, message.end());
    match change {
        Change::Stays => Vec::new(),
        Change::Vanishes => vec![Edit {
            start,
            end,
            by: Vec::new(),
        }],
        Change::Becomes(content, landings) => {
            let mut edits = Vec::with_capacity(landings.len() + 1);
            edits.extend(header_edit(message, &content));
            let judged = judged_start(message);
            edits.extend(landings.iter().map(|landing| Edit {
                start: judged + landing.from.start as u64,
                end: judged + landing.from.end as u64,
                by: landing.to.text(&content).to_vec(),
            }));
            edits
        }
    }
}

/// Where in the stream what is looked at of a message begins.
const fn judged_start(message: &Message<'_>) -> u64 {
    match message.ending {
        Ending::Complete => message.start + message.content.start as u64,
        Ending::EndOfStream => message.start,
    }
}

/// The edit of the length in a header, where a content of another length follows.
fn header_edit(message: &Message<'_>, content: &[u8]) -> Option<Edit> {
    let header = message.content.start;
    if header == 0 || message.ending != Ending::Complete || content.len() == message.content.len() {
        return None;
    }
    let terminator = message.bytes.len() - message.content.end;
    let mut by = message.with_content(content);
    by.truncate(by.len() - terminator - content.len());
    let before = &message.bytes[..header];
    let start = same(before.iter(), by.iter());
    let rest = (&before[start..], &by[start..]);
    let behind = same(rest.0.iter().rev(), rest.1.iter().rev());
    by.truncate(by.len() - behind);
    by.drain(..start);
    Some(Edit {
        start: message.start + start as u64,
        end: message.start + (header - behind) as u64,
        by,
    })
}

/// How many bytes in front of the number that differs are the same.
fn same<'a>(a: impl Iterator<Item = &'a u8>, b: impl Iterator<Item = &'a u8>) -> usize {
    let pairs = a.zip(b).take_while(|(a, b)| a == b);
    let (mut count, mut without_digits) = (0, 0);
    for (byte, _) in pairs {
        count += 1;
        if !byte.is_ascii_digit() {
            without_digits = count;
        }
    }
    without_digits
}
