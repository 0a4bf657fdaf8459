//! What the host has sent and is not settled yet.

use cassette_format::json::{Framer, Framing, FramingError, FramingLimits, Scanner};
use cassette_format::schema::MAX_STORED_BYTES;

use crate::expected::judged;

/// What the host sends, cut into messages.
#[derive(Debug)]
pub(crate) struct Input {
    framer: Framer,
    framing: Framing,
    skips_blanks: bool,
    /// The content of a message that is whole and waits.
    waiting: Option<Vec<u8>>,
    has_ended: bool,
}

impl Input {
    pub(crate) fn new(framing: Framing, skips_blanks: bool) -> Self {
        Self {
            framer: framer(framing),
            framing,
            skips_blanks,
            waiting: None,
            has_ended: false,
        }
    }

    /// Forgets what was sent: all of it is sent again.
    pub(crate) fn restart(&mut self) {
        *self = Self::new(self.framing, self.skips_blanks);
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.framer.push(bytes);
    }

    /// Ends the last message. Nothing comes behind it.
    pub(crate) fn end(&mut self) {
        self.framer.finish();
        self.has_ended = true;
    }

    pub(crate) const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether a message is begun and not whole.
    pub(crate) fn is_within_message(&self) -> bool {
        self.pending() > 0
    }

    /// Bytes behind the last message that was taken.
    pub(crate) fn pending(&self) -> usize {
        self.framer.pending()
    }

    /// Whether a whole message waits.
    pub(crate) const fn waits(&self) -> bool {
        self.waiting.is_some()
    }

    /// Takes the next whole message; one that is put back comes again.
    pub(crate) fn take(&mut self) -> Result<Option<Vec<u8>>, FramingError> {
        if self.waiting.is_some() {
            return Ok(self.waiting.take());
        }
        while let Some(message) = self.framer.next_message()? {
            if let Some(content) = judged(&message, self.skips_blanks) {
                return Ok(Some(content.to_vec()));
            }
        }
        Ok(None)
    }

    pub(crate) fn put_back(&mut self, message: Vec<u8>) {
        self.waiting = Some(message);
    }

    /// Ends a message that lacks its line end and is whole but for that: one JSON object
    /// or list.
    pub(crate) fn end_whole_message(&mut self) {
        if self.framing != Framing::Lines || !self.is_within_message() || self.waits() {
            return;
        }
        let mut ended = std::mem::replace(&mut self.framer, framer(self.framing));
        ended.finish();
        let Ok(Some(message)) = ended.next_message() else {
            return;
        };
        if is_whole(message.bytes) {
            self.waiting = judged(&message, self.skips_blanks).map(<[u8]>::to_vec);
        } else {
            self.framer.push(message.bytes);
        }
    }
}

/// No tape holds a longer message.
fn framer(framing: Framing) -> Framer {
    let limit = usize::try_from(MAX_STORED_BYTES).unwrap_or(usize::MAX);
    Framer::new(framing, FramingLimits::new(limit))
}

fn is_whole(bytes: &[u8]) -> bool {
    let is_closed = matches!(bytes.trim_ascii_end().last(), Some(b'}' | b']'));
    let mut scanner = Scanner::new(bytes);
    is_closed && matches!(scanner.skip_value(), Ok(Some(_))) && scanner.skip_value() == Ok(None)
}
