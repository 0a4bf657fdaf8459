//! The last look at a recording: whether what is on disk holds a secret that no single
//! message gave away.

use std::collections::HashMap;

use cassette_format::descriptor::Registry;
use cassette_format::json::{Ending, Framer, Framing, FramingLimits};
use cassette_format::portable::Direction;
use cassette_format::schema::{ChunkKind, ConnectionId};
use cassette_format::store::{CassetteDir, RawTape, ReadOptions};

use crate::FinishError;
use crate::inspector::framing_of;
use crate::secrets::{SecretFilter, SecretName, SecretStream, StreamHit, StreamedTexts};

/// Reads the frames again and looks for every secret that is known by now, in each
/// message and in the texts that several of them make up.
pub(crate) fn scan(
    dir: &CassetteDir,
    filter: &SecretFilter,
    registry: &Registry,
) -> Result<(), FinishError> {
    if filter.is_empty() {
        return Ok(());
    }
    let tape = RawTape::open(dir.path(), &ReadOptions::default()).map_err(FinishError::Reread)?;
    let framings: HashMap<ConnectionId, Framing> = tape
        .manifest()
        .connections
        .iter()
        .filter_map(|record| {
            let descriptor = registry.by_provider(&record.provider)?;
            Some((record.connection_id.clone(), framing_of(descriptor.framing)))
        })
        .collect();
    let mut scan = Scan {
        filter,
        texts: StreamedTexts::new(filter),
        streams: HashMap::new(),
    };
    for line in tape.lines() {
        let line = line.map_err(FinishError::Reread)?;
        let id = ConnectionId::from_recorded(line.connection_id());
        let framing = framings.get(&id).copied().unwrap_or(Framing::Lines);
        let Ok(data) = line.data() else {
            continue;
        };
        scan.find(line.message().as_bytes())?;
        scan.take(&id, line.kind(), (framing, &data))?;
    }
    scan.finish()
}

struct Scan<'a> {
    filter: &'a SecretFilter,
    texts: StreamedTexts,
    streams: HashMap<(ConnectionId, ChunkKind), Stream>,
}

/// One stream as far as it has been read: its bytes whatever they mean, and its
/// messages.
struct Stream {
    bytes: SecretStream,
    framer: Framer,
}

impl Scan<'_> {
    fn take(
        &mut self,
        id: &ConnectionId,
        kind: &ChunkKind,
        (framing, data): (Framing, &[u8]),
    ) -> Result<(), FinishError> {
        let framing = match kind {
            // A stream without messages has texts that are lines, if any.
            _ if framing == Framing::Raw => Framing::Lines,
            ChunkKind::Stderr => Framing::Lines,
            _ => framing,
        };
        let name = (id.clone(), kind.clone());
        let mut stream = self.streams.remove(&name).unwrap_or_else(|| Stream {
            bytes: SecretStream::new(self.filter),
            framer: Framer::new(framing, FramingLimits::new(usize::MAX)),
        });
        stream.framer.push(data);
        let settled = stream.bytes.push(data);
        first_of(&settled.hits)?;
        self.drain(&name, &mut stream.framer)?;
        self.streams.insert(name, stream);
        Ok(())
    }

    fn drain(
        &mut self,
        (id, kind): &(ConnectionId, ChunkKind),
        framer: &mut Framer,
    ) -> Result<(), FinishError> {
        loop {
            match framer.next_message() {
                Ok(Some(message)) => {
                    let content = match message.ending {
                        Ending::Complete => message.content(),
                        Ending::EndOfStream => message.bytes,
                    };
                    match kind {
                        ChunkKind::Stderr => self.texts.line(id, content),
                        ChunkKind::Outbound => {
                            self.texts.message(id, Direction::Outbound, content);
                        }
                        _ => self.texts.message(id, Direction::Inbound, content),
                    }
                    if let Some(hit) = self.texts.hits().first() {
                        return Err(found(&hit.name));
                    }
                }
                Ok(None) => return Ok(()),
                Err(_) => framer.fall_back_to_lines(),
            }
        }
    }

    fn find(&self, bytes: &[u8]) -> Result<(), FinishError> {
        let hit = self.filter.find(bytes).next();
        hit.map_or(Ok(()), |hit| Err(found(&hit.name)))
    }

    /// What was left unfinished.
    fn finish(mut self) -> Result<(), FinishError> {
        for (name, mut stream) in std::mem::take(&mut self.streams) {
            first_of(&stream.bytes.finish().hits)?;
            stream.framer.finish();
            self.drain(&name, &mut stream.framer)?;
        }
        Ok(())
    }
}

fn first_of(hits: &[StreamHit]) -> Result<(), FinishError> {
    let first = hits.first();
    first.map_or(Ok(()), |hit| Err(found(&hit.name)))
}

fn found(name: &SecretName) -> FinishError {
    FinishError::Secret { name: name.clone() }
}
