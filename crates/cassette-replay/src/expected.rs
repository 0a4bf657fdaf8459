//! What the host is expected to send: the recorded messages of a connection, read as far
//! ahead as is needed.

use std::collections::VecDeque;

use cassette_format::json::{Framer, Framing, FramingLimits, Message};
use cassette_format::schema::ChunkKind;
use cassette_format::store::UndecodableData;

use crate::places::Places;
use crate::script::Script;

/// The recorded messages of the host that are still to come.
#[derive(Debug)]
pub(crate) struct Expected {
    framer: Framer,
    /// Index from which on chunks are still to be read.
    next: usize,
    /// Chunks whose bytes are not all in messages yet: index, and where in the stream
    /// they begin and end.
    open: VecDeque<(usize, u64, u64)>,
    messages: VecDeque<ExpectedMessage>,
    count: u64,
    places: Places,
    skips_blanks: bool,
    is_over: bool,
    /// A chunk that cannot be read; nothing behind it is.
    broken: Option<(usize, UndecodableData)>,
}

/// A recorded message of the host.
#[derive(Debug, Clone)]
pub(crate) struct ExpectedMessage {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// What of it is compared.
    pub(crate) content: Vec<u8>,
    /// Index of the chunk in which it begins.
    pub(crate) first: usize,
    /// Index of the chunk in which it ends.
    pub(crate) last: usize,
    /// Whether nothing else is in its chunks.
    pub(crate) is_alone: bool,
}

impl Expected {
    /// `skips_blanks`: lines of white space mean nothing.
    pub(crate) fn new(framing: Framing, skips_blanks: bool) -> Self {
        Self {
            framer: Framer::new(framing, FramingLimits::new(usize::MAX)),
            next: 0,
            open: VecDeque::new(),
            messages: VecDeque::new(),
            count: 0,
            places: Places::default(),
            skips_blanks,
            is_over: false,
            broken: None,
        }
    }

    /// Reads every message that begins in the chunks up to this one.
    pub(crate) fn read_to(&mut self, script: &Script, index: usize) {
        loop {
            let pending = self.framer.pending() > 0;
            let begun = self.open.front().filter(|_| pending);
            let next = script.next_of(&ChunkKind::Outbound, self.next);
            self.next = next.unwrap_or_else(|| script.len());
            let is_needed = begun.is_some_and(|(first, ..)| *first <= index)
                || next.is_some_and(|next| next <= index);
            if self.is_over || !is_needed {
                return;
            }
            self.read_chunk(script, next);
        }
    }

    /// The next message, if there is one, whichever chunk it begins in.
    pub(crate) fn next_message(&mut self, script: &Script) -> Option<ExpectedMessage> {
        while self.messages.is_empty() && !self.is_over {
            let next = script.next_of(&ChunkKind::Outbound, self.next);
            self.read_chunk(script, next);
        }
        self.messages.pop_front()
    }

    /// The messages that were read and are still to come.
    pub(crate) const fn messages(&self) -> &VecDeque<ExpectedMessage> {
        &self.messages
    }

    /// Where the first of the messages that were read stands that has this hash.
    pub(crate) fn find(&mut self, sought: u64, hash: impl Fn(&[u8]) -> u64) -> Option<usize> {
        self.places.find(&self.messages, sought, hash)
    }

    /// Takes a message out: it was sent, or is left out.
    pub(crate) fn take(&mut self, at: usize) -> Option<ExpectedMessage> {
        self.messages.remove(at)
    }

    /// Why the chunk with this index cannot be read.
    pub(crate) fn broken_at(&self, index: usize) -> Option<&UndecodableData> {
        let (at, error) = self.broken.as_ref()?;
        (*at == index).then_some(error)
    }

    fn read_chunk(&mut self, script: &Script, next: Option<usize>) {
        let data = next.map(|next| (next, script.data(next)));
        match data {
            Some((index, Ok(data))) => {
                let start = self.framer.offset() + self.framer.pending() as u64;
                if !data.is_empty() {
                    self.open
                        .push_back((index, start, start + data.len() as u64));
                }
                self.framer.push(&data);
                self.next = index + 1;
            }
            // What is begun before it is no message.
            Some((index, Err(error))) => {
                self.broken = Some((index, error));
                self.is_over = true;
            }
            None => {
                self.framer.finish();
                self.is_over = true;
            }
        }
        self.drain();
    }

    fn drain(&mut self) {
        loop {
            match self.framer.next_message() {
                Ok(Some(message)) => {
                    let (start, end) = (message.start, message.end());
                    let content = judged(&message, self.skips_blanks).map(<[u8]>::to_vec);
                    let (first, last, is_alone) = self.chunks_of(start, end);
                    if let Some(content) = content {
                        self.count += 1;
                        self.messages.push_back(ExpectedMessage {
                            number: self.count,
                            content,
                            first,
                            last,
                            is_alone,
                        });
                    }
                }
                Ok(None) => return,
                Err(_) => self.framer.fall_back_to_lines(),
            }
        }
    }

    /// In which chunks a message begins and ends, and whether it fills them. Forgets those
    /// that end with it.
    fn chunks_of(&mut self, start: u64, end: u64) -> (usize, usize, bool) {
        while self.open.front().is_some_and(|(.., to)| *to <= start) {
            self.open.pop_front();
        }
        let (first, from) = self
            .open
            .front()
            .map_or((0, start), |(at, from, _)| (*at, *from));
        while self.open.len() > 1 && self.open.front().is_some_and(|(.., to)| *to < end) {
            self.open.pop_front();
        }
        let (last, to) = self
            .open
            .front()
            .map_or((first, end), |(at, _, to)| (*at, *to));
        if to == end {
            self.open.pop_front();
        }
        (first, last, from == start && to == end)
    }
}

/// What of a message is compared, and whether it says nothing.
pub(crate) fn judged<'a>(message: &Message<'a>, skips_blanks: bool) -> Option<&'a [u8]> {
    let content = message.judged();
    let is_blank = skips_blanks && content.iter().all(u8::is_ascii_whitespace);
    (!is_blank).then_some(content)
}
