//! Looking for a message that is sent among many that were recorded.

use std::fmt;

use cassette_format::descriptor::MessageFraming;
use cassette_format::portable::Direction;

use super::comparison::{Comparison, MAX_DEPTH};
use super::correspondence::Correspondence;
use super::difference::{WHOLE, similarity};
use super::header::HeaderKind;
use super::headers::Headers;
use super::matcher::{Matcher, exempt};
use super::pairing::Read;
use super::rules::MatchRules;

/// Compares one message that is sent with many that were recorded. It is read once.
pub struct Search<'m> {
    matcher: &'m mut Matcher,
    actual: &'m [u8],
    known: &'m Correspondence,
    sent: Sent,
}

/// What is sent, as far as it can be read.
enum Sent {
    /// The matcher holds its values.
    Read(Asked),
    /// It is compared as it would be recorded.
    Bytes(Option<Vec<u8>>),
}

/// What the first message asks for.
#[derive(PartialEq, Eq)]
struct Asked {
    kind: HeaderKind,
    method: Option<String>,
}

impl Matcher {
    /// A search for `actual` among recorded messages. Nothing is learned from it.
    pub fn search<'m>(&'m mut self, actual: &'m [u8], known: &'m Correspondence) -> Search<'m> {
        let is_read = self.rules.framing() != MessageFraming::Raw
            && self.actual.read(actual, &self.rules.names).is_ok()
            && self.actual.depth() <= MAX_DEPTH;
        let sent = if is_read {
            exempt(&self.rules, actual, &mut self.actual);
            Sent::Read(self.rules.asked(actual))
        } else {
            let mut projection = self.rules.projection.clone();
            let projected = projection.message(Direction::Outbound, actual);
            Sent::Bytes(projected.ok().map(std::borrow::Cow::into_owned))
        };
        Search {
            matcher: self,
            actual,
            known,
            sent,
        }
    }
}

impl Search<'_> {
    /// How similar a recorded message is, from 0 to 1000: 1000 where what is sent
    /// matches it, 0 where it asks for something else or cannot be compared by its
    /// values; else as [`Difference::similarity`](super::Difference::similarity).
    pub fn similarity(&mut self, expected: &[u8]) -> u16 {
        if expected == self.actual {
            return WHOLE;
        }
        let is_raw = self.matcher.rules.framing() == MessageFraming::Raw;
        match &self.sent {
            _ if is_raw => 0,
            Sent::Bytes(projected) => {
                let same = projected.as_deref() == Some(expected)
                    || self
                        .matcher
                        .rules
                        .redacted_bytes_agree(expected, self.actual);
                if same { WHOLE } else { 0 }
            }
            Sent::Read(asked) if self.matcher.rules.asked(expected) != *asked => 0,
            Sent::Read(_) => self.compare(expected),
        }
    }

    fn compare(&mut self, expected: &[u8]) -> u16 {
        let Matcher {
            rules,
            expected: tree,
            actual,
        } = &mut *self.matcher;
        if tree.read(expected, &rules.names).is_err() || tree.depth() > MAX_DEPTH {
            return 0;
        }
        exempt(rules, expected, tree);
        let recorded = Read {
            bytes: expected,
            tree,
        };
        let sent = Read {
            bytes: self.actual,
            tree: actual,
        };
        let mut comparison = Comparison::new(rules, (recorded, sent), self.known);
        comparison.run();
        let findings = comparison.findings;
        if findings.count == 0 {
            return WHOLE;
        }
        let leaves = (findings.equal_leaves, findings.different_leaves);
        similarity(leaves, findings.other_method)
    }
}

impl Drop for Search<'_> {
    fn drop(&mut self) {
        self.matcher.expected.release();
        self.matcher.actual.release();
    }
}

impl MatchRules {
    fn asked(&self, message: &[u8]) -> Asked {
        let header = Headers::new(self.dialect(), message).next();
        let header = header.ok().flatten().unwrap_or_default();
        let method = super::header::text(message, header.method);
        Asked {
            kind: header.kind,
            method: method.map(std::borrow::Cow::into_owned),
        }
    }
}

impl fmt::Debug for Search<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("len", &self.actual.len())
            .finish_non_exhaustive()
    }
}
