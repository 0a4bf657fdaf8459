//! The messages of a tape that has been recorded, in the order of their ends.

use std::collections::{BTreeMap, HashMap};

use cassette_format::descriptor::Registry;
use cassette_format::json::{Framer, Framing, FramingLimits, Message};
use cassette_format::schema::{ChunkKind, ConnectionId, ConnectionRecord};

use crate::inspector::framing_of;

/// A stream of a tape: of which connection, and which of its kinds.
pub(crate) type StreamName = (ConnectionId, ChunkKind);

/// How the streams of each connection are cut into messages.
#[derive(Debug)]
pub(crate) struct Framings(HashMap<ConnectionId, Framing>);

impl Framings {
    /// As the descriptors say. A provider that is not registered is read by lines.
    pub(crate) fn of(connections: &[ConnectionRecord], registry: &Registry) -> Self {
        let framings = connections.iter().filter_map(|record| {
            let descriptor = registry.by_provider(&record.provider)?;
            Some((record.connection_id.clone(), framing_of(descriptor.framing)))
        });
        Self(framings.collect())
    }

    /// How a stream is cut. One without messages has texts that are lines, if any.
    pub(crate) fn framing(&self, (id, kind): &StreamName) -> Framing {
        match (self.0.get(id), kind) {
            (Some(Framing::ContentLength), ChunkKind::Stderr) => Framing::Lines,
            (Some(Framing::ContentLength), _) => Framing::ContentLength,
            _ => Framing::Lines,
        }
    }

    /// Whether a stream has no messages at all.
    pub(crate) fn is_raw(&self, id: &ConnectionId) -> bool {
        self.0.get(id) == Some(&Framing::Raw)
    }
}

/// Cuts all streams of a tape into messages.
#[derive(Debug)]
pub(crate) struct TapeMessages<'a> {
    framings: &'a Framings,
    streams: BTreeMap<StreamName, Framer>,
}

impl<'a> TapeMessages<'a> {
    pub(crate) const fn new(framings: &'a Framings) -> Self {
        Self {
            framings,
            streams: BTreeMap::new(),
        }
    }

    /// Goes on with a chunk's data, and calls `each` with the messages that end there.
    pub(crate) fn push<E>(
        &mut self,
        name: &StreamName,
        data: &[u8],
        each: impl FnMut(&Message<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.streams.contains_key(name) {
            let framing = self.framings.framing(name);
            let framer = Framer::new(framing, FramingLimits::new(usize::MAX));
            self.streams.insert(name.clone(), framer);
        }
        let Some(framer) = self.streams.get_mut(name) else {
            return Ok(());
        };
        framer.push(data);
        drain(framer, each)
    }

    /// Calls `each` with what was left unfinished, stream by stream.
    pub(crate) fn finish<E>(
        self,
        mut each: impl FnMut(&StreamName, &Message<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for (name, mut framer) in self.streams {
            framer.finish();
            drain(&mut framer, |message| each(&name, message))?;
        }
        Ok(())
    }
}

fn drain<E>(
    framer: &mut Framer,
    mut each: impl FnMut(&Message<'_>) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        match framer.next_message() {
            Ok(Some(message)) => each(&message)?,
            Ok(None) => return Ok(()),
            Err(_) => framer.fall_back_to_lines(),
        }
    }
}
