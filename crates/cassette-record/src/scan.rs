//! The last look at what is on disk: whether it holds a secret that no single message
//! gave away.

use std::collections::BTreeMap;

use cassette_format::json::Message;
use cassette_format::portable::Direction;
use cassette_format::schema::{ChunkKind, ConnectionId};
use cassette_format::store::{CassetteDir, LineStream, OpenError, ReadOptions};

use crate::secrets::{SecretFilter, SecretName, SecretStream, StreamHit, StreamedTexts};
use crate::tape_messages::{Framings, StreamName, TapeMessages};

/// A tape holds a secret, or cannot be read.
#[derive(Debug)]
pub(crate) enum ScanError {
    Secret(FoundOnTape),
    Read(OpenError),
}

/// Whose value was found, and where.
#[derive(Debug, Clone)]
pub(crate) struct FoundOnTape {
    pub(crate) connection_id: ConnectionId,
    pub(crate) name: SecretName,
}

/// Reads the frames again and looks for every secret that is known by now.
pub(crate) fn scan(
    dir: &CassetteDir,
    filter: &SecretFilter,
    framings: &Framings,
) -> Result<(), ScanError> {
    if filter.is_empty() {
        return Ok(());
    }
    let mut lines = LineStream::open(dir, &ReadOptions::default()).map_err(ScanError::Read)?;
    let mut scan = Scan::new(filter, framings);
    while let Some(line) = lines.next_line() {
        let line = line.map_err(ScanError::Read)?;
        let id = ConnectionId::from_recorded(line.connection_id());
        // The recorder wrote it.
        let data = line.data().unwrap_or_default();
        let message = line.message();
        scan.chunk(&(id, line.kind().clone()), &data, message.as_bytes())
            .map_err(ScanError::Secret)?;
    }
    scan.finish().map_err(ScanError::Secret)
}

/// Looks for secrets in chunks, one after the other: in their bytes whatever they mean,
/// in each message, and in the texts that several of them make up.
pub(crate) struct Scan<'a> {
    filter: &'a SecretFilter,
    texts: StreamedTexts,
    messages: TapeMessages<'a>,
    bytes: BTreeMap<StreamName, SecretStream>,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(filter: &'a SecretFilter, framings: &'a Framings) -> Self {
        Self {
            filter,
            texts: StreamedTexts::new(filter),
            messages: TapeMessages::new(framings),
            bytes: BTreeMap::new(),
        }
    }

    /// Goes on with a chunk: its data, and what it says of itself.
    pub(crate) fn chunk(
        &mut self,
        name: &StreamName,
        data: &[u8],
        remark: &[u8],
    ) -> Result<(), FoundOnTape> {
        let (id, _) = name;
        if !self.bytes.contains_key(name) {
            let stream = SecretStream::new(self.filter);
            self.bytes.insert(name.clone(), stream);
        }
        if let Some(stream) = self.bytes.get_mut(name) {
            first_of(id, &stream.push(data).hits)?;
        }
        let texts = &mut self.texts;
        self.messages
            .push(name, data, |message| take(texts, name, message))?;
        if !remark.is_empty() {
            self.texts.remark(id, remark);
            first_text(&self.texts, id)?;
        }
        Ok(())
    }

    /// Looks at what was left unfinished.
    pub(crate) fn finish(self) -> Result<(), FoundOnTape> {
        for ((id, _), stream) in self.bytes {
            first_of(&id, &stream.finish().hits)?;
        }
        let mut texts = self.texts;
        self.messages
            .finish(|name, message| take(&mut texts, name, message))
    }
}

fn take(
    texts: &mut StreamedTexts,
    name: &StreamName,
    message: &Message<'_>,
) -> Result<(), FoundOnTape> {
    feed(texts, name, message);
    first_text(texts, &name.0)
}

/// Goes on with a message of a stream.
pub(crate) fn feed(texts: &mut StreamedTexts, (id, kind): &StreamName, message: &Message<'_>) {
    let content = message.judged();
    match kind {
        ChunkKind::Stderr => texts.line(id, content),
        ChunkKind::Outbound => texts.message(id, Direction::Outbound, content),
        _ => texts.message(id, Direction::Inbound, content),
    }
}

fn first_text(texts: &StreamedTexts, id: &ConnectionId) -> Result<(), FoundOnTape> {
    let first = texts.hits().first();
    first.map_or(Ok(()), |hit| Err(found(id, &hit.name)))
}

fn first_of(id: &ConnectionId, hits: &[StreamHit]) -> Result<(), FoundOnTape> {
    let first = hits.first();
    first.map_or(Ok(()), |hit| Err(found(id, &hit.name)))
}

fn found(id: &ConnectionId, name: &SecretName) -> FoundOnTape {
    FoundOnTape {
        connection_id: id.clone(),
        name: name.clone(),
    }
}
