//! The two streams of a connection, cut into messages that are counted.

use super::MessageSummary;
use super::tally::{Said, Tally};
use crate::descriptor::{Descriptor, Dialect, MessageFraming};
use crate::json::{Ending, Framer, Framing, FramingLimits};
use crate::schema::{ChunkKind, ElapsedMs};

/// What host and process say to each other.
pub(super) struct Conversation {
    dialect: Dialect,
    outbound: Speaker,
    inbound: Speaker,
}

/// One of them.
struct Speaker {
    framer: Framer,
    tally: Tally,
    /// When it last said something.
    last: ElapsedMs,
}

impl Conversation {
    /// A conversation that begins; `None` with a provider of whose messages nothing is
    /// known.
    pub(super) fn with(descriptor: &Descriptor) -> Option<Self> {
        let framing = match descriptor.framing {
            MessageFraming::Lines => Framing::Lines,
            MessageFraming::ContentLength => Framing::ContentLength,
            MessageFraming::Raw => Framing::Raw,
        };
        (descriptor.dialect != Dialect::Opaque).then(|| Self {
            dialect: descriptor.dialect,
            outbound: Speaker::new(framing),
            inbound: Speaker::new(framing),
        })
    }

    /// The next bytes of one of the streams; those of any other kind of chunk are
    /// passed over.
    pub(super) fn push(&mut self, kind: &ChunkKind, data: &[u8], at: ElapsedMs) {
        let (speaker, listener) = match kind {
            ChunkKind::Outbound => (&mut self.outbound, &mut self.inbound.tally),
            ChunkKind::Stdout => (&mut self.inbound, &mut self.outbound.tally),
            ChunkKind::Stderr | ChunkKind::Exit | ChunkKind::Unknown(_) => return,
        };
        if data.is_empty() {
            return;
        }
        speaker.last = at;
        speaker.framer.push(data);
        speaker.count(self.dialect, listener);
    }

    /// Both streams have ended.
    pub(super) fn finish(&mut self) {
        self.outbound.framer.finish();
        self.outbound.count(self.dialect, &mut self.inbound.tally);
        self.inbound.framer.finish();
        self.inbound.count(self.dialect, &mut self.outbound.tally);
    }

    /// Adds what was counted to the tallies of outbound and inbound.
    pub(super) fn add_to(&self, (outbound, inbound): (&mut Tally, &mut Tally)) {
        outbound.merge(&self.outbound.tally);
        inbound.merge(&self.inbound.tally);
    }

    /// What was counted.
    pub(super) fn summary(&self) -> MessageSummary {
        MessageSummary {
            outbound: self.outbound.tally.summary(),
            inbound: self.inbound.tally.summary(),
        }
    }
}

impl Speaker {
    fn new(framing: Framing) -> Self {
        Self {
            // What a tape holds is the limit.
            framer: Framer::new(framing, FramingLimits::new(usize::MAX)),
            tally: Tally::default(),
            last: ElapsedMs::default(),
        }
    }

    /// Counts the messages that have ended.
    fn count(&mut self, dialect: Dialect, listener: &mut Tally) {
        let at = self.last;
        loop {
            let is_line = self.framer.framing() == Framing::Lines;
            match self.framer.next_message() {
                Ok(Some(message)) => {
                    let said = |content| Said {
                        content,
                        dialect,
                        at,
                    };
                    match message.ending {
                        Ending::Complete => {
                            self.tally.message(said(message.content()), listener);
                        }
                        Ending::EndOfStream if is_line => {
                            self.tally.rest(said(message.bytes), listener);
                        }
                        Ending::EndOfStream => {
                            self.tally.unfinished_bytes += message.bytes.len() as u64;
                        }
                    }
                }
                Ok(None) => return,
                Err(_) => {
                    self.tally.lost_framings += 1;
                    self.framer.fall_back_to_lines();
                }
            }
        }
    }
}
