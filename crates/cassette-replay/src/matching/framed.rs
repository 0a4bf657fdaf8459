//! How the messages of a connection are cut and put together.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use cassette_format::descriptor::{Dialect, MessageFraming};
use cassette_format::json::Framing;
use cassette_format::portable::Direction;

use super::headers::Headers;
use super::{MatchRules, Matcher};

impl Matcher {
    pub(crate) fn shared_rules(&self) -> Arc<MatchRules> {
        Arc::clone(&self.rules)
    }
}

impl MatchRules {
    /// How the streams of the connection are cut into messages.
    pub(crate) const fn cut(&self) -> Framing {
        match self.framing() {
            MessageFraming::ContentLength => Framing::ContentLength,
            MessageFraming::Raw => Framing::Raw,
            _ => Framing::Lines,
        }
    }

    /// Whether the agent has messages that may have to be rewritten.
    pub(crate) fn has_messages(&self) -> bool {
        self.cut() != Framing::Raw && self.dialect() != Dialect::Opaque
    }

    /// Whether lines of white space mean nothing.
    pub(crate) fn skips_blanks(&self) -> bool {
        self.cut() == Framing::Lines && self.dialect() != Dialect::Opaque
    }

    /// A content as the agent would send it.
    pub(crate) fn framed(&self, content: &[u8]) -> Vec<u8> {
        let header = match self.cut() {
            Framing::ContentLength => format!("Content-Length: {}\r\n\r\n", content.len()),
            _ => String::new(),
        };
        let end: &[u8] = if self.cut() == Framing::Lines {
            b"\n"
        } else {
            b""
        };
        [header.as_bytes(), content, end].concat()
    }

    /// A text for a report, as the secrets leave it.
    pub(crate) fn masked(&self, text: &str) -> String {
        self.secrets.masked(text)
    }

    /// Whether messages that the host sends without waiting match in any order.
    pub(crate) fn takes_any_order(&self) -> bool {
        self.descriptor.pipelining == cassette_format::descriptor::Pipelining::AnyOrder
    }

    /// What a message says but for its id: equal for two that say the same in the same bytes.
    pub(crate) fn hash_without_id(&self, message: &[u8]) -> u64 {
        let header = Headers::new(self.dialect(), message).next();
        let id = header.ok().flatten().and_then(|header| header.id);
        let (before, behind) = id.map_or((message, &b""[..]), |id| {
            (&message[..id.span.start], &message[id.span.end..])
        });
        let mut hasher = DefaultHasher::new();
        (before, behind).hash(&mut hasher);
        hasher.finish()
    }

    /// What is sent as it would be recorded; as it is where it would be refused.
    pub(crate) fn portable(&self, actual: &[u8]) -> Vec<u8> {
        let mut projection = self.projection.clone();
        let portable = projection.message(Direction::Outbound, actual);
        portable.map_or_else(|_| actual.to_vec(), Cow::into_owned)
    }

    /// Whether some requests are answered at once.
    pub(crate) fn answers_at_once(&self) -> bool {
        !self.descriptor.startup_metadata.is_empty()
    }
}
