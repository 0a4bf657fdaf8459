//! Taking secrets out of the chunks of a tape.

use std::collections::{BTreeMap, BTreeSet};

use cassette_format::json::{Framing, Message};
use cassette_format::schema::Chunk;

use crate::json_message::{is_broken, is_message};
use crate::scan::{FoundOnTape, Scan, feed};
use crate::secrets::{
    Replaced, SecretFilter, SecretName, SecretParts, SecretStream, StreamHit, StreamedTexts,
};
use crate::tape_messages::{Framings, StreamName, TapeMessages};

/// Taking one secret out may show another, that it stood in; never so many times.
const ROUNDS: usize = 8;

/// A tape whose secrets are taken out.
pub(crate) struct Redaction<'a> {
    filter: &'a SecretFilter,
    framings: &'a Framings,
    chunks: Vec<Chunk>,
    /// The chunks of each stream, in order.
    streams: BTreeMap<StreamName, Vec<usize>>,
    count: u64,
    names: BTreeSet<SecretName>,
}

/// A message that changes: where it lies in its stream, and what it becomes.
struct Edit {
    start: u64,
    end: u64,
    bytes: Vec<u8>,
}

/// What is read of a tape one after the other.
enum Item<'a> {
    Message(&'a StreamName, &'a Message<'a>),
    /// What the chunk with this index says of itself.
    Remark(usize, &'a Chunk),
}

impl<'a> Redaction<'a> {
    pub(crate) fn new(
        filter: &'a SecretFilter,
        framings: &'a Framings,
        chunks: Vec<Chunk>,
    ) -> Self {
        let mut streams: BTreeMap<StreamName, Vec<usize>> = BTreeMap::new();
        for (index, chunk) in chunks.iter().enumerate() {
            streams.entry(stream_of(chunk)).or_default().push(index);
        }
        Self {
            filter,
            framings,
            chunks,
            streams,
            count: 0,
            names: BTreeSet::new(),
        }
    }

    pub(crate) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Places that hold a token now.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &SecretName> {
        self.names.iter()
    }

    /// Takes out every secret; fails with one that is still there at the end.
    pub(crate) fn run(&mut self) -> Result<(), FoundOnTape> {
        let mut rounds = ROUNDS;
        while let Err(found) = self.scan() {
            if rounds == 0 {
                return Err(found);
            }
            rounds -= 1;
            // What has no messages keeps its bytes in their chunks.
            self.edit_streams(|framings, (id, _)| framings.is_raw(id))?;
            let parts = self.locate();
            self.edit_messages(&parts)?;
            self.edit_streams(|_, _| true)?;
        }
        Ok(())
    }

    fn scan(&self) -> Result<(), FoundOnTape> {
        let mut scan = Scan::new(self.filter, self.framings);
        for chunk in &self.chunks {
            scan.chunk(&stream_of(chunk), &chunk.data, chunk.message.as_bytes())?;
        }
        scan.finish()
    }

    /// Where secrets lie in the decoded texts, also over several messages.
    fn locate(&self) -> SecretParts {
        let mut texts = StreamedTexts::locating(self.filter);
        self.visit(|_, item| match item {
            Item::Message(name, message) => feed(&mut texts, name, message),
            Item::Remark(_, chunk) => {
                texts.remark(&chunk.connection_id, chunk.message.as_bytes());
            }
        });
        texts.into_parts()
    }

    /// Calls `each` with every message and remark, in an order that is always the same,
    /// and with its number in that.
    fn visit(&self, mut each: impl FnMut(u64, Item<'_>)) {
        let mut messages = TapeMessages::new(self.framings);
        let mut number = 0..;
        let mut next = move |item: Item<'_>| {
            if let Some(number) = number.next() {
                each(number, item);
            }
        };
        for (index, chunk) in self.chunks.iter().enumerate() {
            let name = stream_of(chunk);
            let _: Result<(), ()> = messages.push(&name, &chunk.data, |message| {
                next(Item::Message(&name, message));
                Ok(())
            });
            if !chunk.message.is_empty() {
                next(Item::Remark(index, chunk));
            }
        }
        let _: Result<(), ()> = messages.finish(|name, message| {
            next(Item::Message(name, message));
            Ok(())
        });
    }

    /// Takes secrets out of each message, and those parts out that belong to one over
    /// several.
    fn edit_messages(&mut self, parts: &SecretParts) -> Result<(), FoundOnTape> {
        let mut edits: BTreeMap<StreamName, Vec<Edit>> = BTreeMap::new();
        let mut remarks = Vec::new();
        let mut all = Vec::new();
        let mut broken: Option<FoundOnTape> = None;
        self.visit(|number, item| match item {
            Item::Message(name, message) => {
                let judged = message.judged();
                let Some(redacted) = self.redacted(parts, (number, judged), &mut all) else {
                    return;
                };
                if self.has_messages(name) && is_broken(judged, &redacted) {
                    broken = broken.take().or_else(|| self.left_in(name, judged));
                }
                edits.entry(name.clone()).or_default().push(Edit {
                    start: message.start,
                    end: message.end(),
                    bytes: message.with_judged(redacted),
                });
            }
            Item::Remark(index, chunk) => {
                let remark = chunk.message.as_bytes();
                if let Some(redacted) = self.redacted(parts, (number, remark), &mut all) {
                    remarks.push((index, String::from_utf8_lossy(&redacted).into_owned()));
                }
            }
        });
        broken.map_or(Ok(()), Err)?;
        for (index, remark) in remarks {
            self.chunks[index].message = remark;
        }
        for (name, edits) in edits {
            self.apply(&name, &edits);
        }
        for replaced in all {
            self.note(replaced.count, replaced.names);
        }
        Ok(())
    }

    /// Whether what a stream says is meant as messages.
    fn has_messages(&self, (id, _): &StreamName) -> bool {
        !self.framings.is_raw(id)
    }

    /// The first secret in a message that cannot be taken out.
    fn left_in(&self, (id, _): &StreamName, message: &[u8]) -> Option<FoundOnTape> {
        let hit = self.filter.find(message).next()?;
        Some(FoundOnTape {
            connection_id: id.clone(),
            name: hit.name,
        })
    }

    fn redacted(
        &self,
        parts: &SecretParts,
        (number, bytes): (u64, &[u8]),
        all: &mut Vec<Replaced>,
    ) -> Option<Vec<u8>> {
        let cut = parts.cut(self.filter, (number, bytes));
        let kept = cut.as_ref().map_or(bytes, |cut| &cut.bytes);
        let replaced = self.filter.replace(kept);
        let redacted = [&replaced, &cut].into_iter().flatten().next()?;
        let redacted = redacted.bytes.clone();
        all.extend([cut, replaced].into_iter().flatten());
        Some(redacted)
    }

    /// Stores each changed message whole in the chunk in which it ends.
    fn apply(&mut self, name: &StreamName, edits: &[Edit]) {
        let mut edits = edits.iter().peekable();
        let mut start = 0;
        for index in self.streams.get(name).into_iter().flatten() {
            let chunk = &mut self.chunks[*index];
            let end = start + chunk.data.len() as u64;
            let mut data = Vec::with_capacity(chunk.data.len());
            let mut at = start;
            while let Some(edit) = edits.peek().filter(|edit| edit.start < end) {
                let kept = offset(at, start)..offset(edit.start.max(at), start);
                data.extend_from_slice(&chunk.data[kept]);
                at = edit.end.min(end);
                if edit.end > end {
                    break;
                }
                data.extend_from_slice(&edit.bytes);
                edits.next();
            }
            data.extend_from_slice(&chunk.data[offset(at, start)..]);
            chunk.data = data;
            start = end;
        }
    }

    /// Takes out of the bytes of the streams what no message shows: secrets of streams
    /// without messages, and those over the border of two.
    fn edit_streams(
        &mut self,
        which: impl Fn(&Framings, &StreamName) -> bool,
    ) -> Result<(), FoundOnTape> {
        let streams = std::mem::take(&mut self.streams);
        let which = |(name, _): &(&StreamName, &Vec<usize>)| which(self.framings, name);
        let edited = streams
            .iter()
            .filter(which)
            .try_for_each(|(name, indices)| self.edit_stream(name, indices));
        self.streams = streams;
        edited
    }

    fn edit_stream(&mut self, name: &StreamName, indices: &[usize]) -> Result<(), FoundOnTape> {
        let hits = self.stream_hits(indices);
        let Some(first) = hits.first() else {
            return Ok(());
        };
        // Cutting them would contradict the length in a header.
        if self.framings.framing(name) == Framing::ContentLength
            || self.touches_json(name, indices, &hits)
        {
            return Err(FoundOnTape {
                connection_id: name.0.clone(),
                name: first.name.clone(),
            });
        }
        let mut start = 0;
        for index in indices {
            let chunk = &mut self.chunks[*index];
            let end = start + chunk.data.len() as u64;
            if let Some(data) = self.filter.replace_in_chunk(start, &chunk.data, &hits) {
                chunk.data = data;
            }
            start = end;
        }
        let names = hits.iter().map(|hit| hit.name.clone()).collect();
        self.note(hits.len(), names);
        Ok(())
    }

    /// Whether hits, which no message has whole, reach into a JSON message.
    fn touches_json(&self, name: &StreamName, indices: &[usize], hits: &[StreamHit]) -> bool {
        let mut messages = TapeMessages::new(self.framings);
        let mut touched = false;
        let mut look = |message: &Message<'_>| {
            let next = hits.partition_point(|hit| hit.end <= message.start);
            let is_hit = hits.get(next).is_some_and(|hit| hit.start < message.end());
            touched = touched || is_hit && is_message(message.judged());
            Ok::<(), ()>(())
        };
        if self.has_messages(name) {
            for index in indices {
                let _: Result<(), ()> = messages.push(name, &self.chunks[*index].data, &mut look);
            }
            let _: Result<(), ()> = messages.finish(|_, message| look(message));
        }
        touched
    }

    fn stream_hits(&self, indices: &[usize]) -> Vec<StreamHit> {
        let mut stream = SecretStream::new(self.filter);
        let mut hits = Vec::new();
        for index in indices {
            hits.extend(stream.push(&self.chunks[*index].data).hits);
        }
        hits.extend(stream.finish().hits);
        hits
    }

    fn note(&mut self, count: usize, names: Vec<SecretName>) {
        self.count += count as u64;
        self.names.extend(names);
    }
}

fn stream_of(chunk: &Chunk) -> StreamName {
    (chunk.connection_id.clone(), chunk.kind.clone())
}

/// Where an offset of a stream lies in a chunk that begins at `start`, and is in memory.
fn offset(at: u64, start: u64) -> usize {
    usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX)
}
