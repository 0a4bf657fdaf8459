//! Judging what the host sends.

use std::fmt;
use std::sync::Arc;

use cassette_format::descriptor::MessageFraming;
use cassette_format::json::{ValueKind, decode_string};

use super::broken_text::{of_bytes, of_unreadable};
use super::comparison::{Comparison, MAX_DEPTH};
use super::correspondence::Correspondence;
use super::departure::Departure;
use super::difference::Difference;
use super::identities::Identities;
use super::matched::{Equality, Matched};
use super::message_id::MessageId;
use super::pairing::Read;
use super::rules::MatchRules;
use super::shown::Shown;
use super::tree::{Role, Tree};

/// Judges the messages of one connection. Keeps its memory from message to message;
/// what it knows of the messages before is in the [`Correspondence`].
pub struct Matcher {
    pub(super) rules: Arc<MatchRules>,
    pub(super) expected: Tree,
    pub(super) actual: Tree,
}

impl Matcher {
    /// A matcher of a connection with these rules.
    #[must_use]
    pub fn new(rules: impl Into<Arc<MatchRules>>) -> Self {
        Self {
            rules: rules.into(),
            expected: Tree::default(),
            actual: Tree::default(),
        }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &MatchRules {
        &self.rules
    }

    /// Whether `actual`, the content of a message that the host sends, is what was
    /// recorded, `expected`.
    ///
    /// Equal bytes are. Else both are read as JSON, one value or several, and are
    /// equal if their values are: members in any order, of several with one name the
    /// last, numbers as they are written, texts by their characters. The id of a
    /// request may be any; identities stand for each other one to one; directories,
    /// secrets and the caller's rules are taken into account; fields that may differ
    /// do not count. Values deeper than 512 levels, and what is no JSON, match byte
    /// for byte only. An answer matches with its id only.
    ///
    /// # Errors
    /// How it differs.
    pub fn judge(
        &mut self,
        expected: &[u8],
        actual: &[u8],
        known: &Correspondence,
    ) -> Result<Matched, Box<Difference>> {
        let verdict = if expected == actual {
            Ok(self.equal_bytes(actual, known))
        } else {
            self.judge_content(expected, actual, known)
        };
        self.expected.release();
        self.actual.release();
        verdict
    }

    fn judge_content(
        &mut self,
        expected: &[u8],
        actual: &[u8],
        known: &Correspondence,
    ) -> Result<Matched, Box<Difference>> {
        if self.rules.framing() == MessageFraming::Raw {
            return Err(alone(of_bytes(expected, actual)));
        }
        let unreadable = self.read_both(expected, actual);
        let is_deep = self.expected.depth() > MAX_DEPTH || self.actual.depth() > MAX_DEPTH;
        if let Some(departure) = unreadable.or_else(|| is_deep.then(|| of_bytes(expected, actual)))
        {
            return if self.rules.bytes_agree(expected, actual) {
                Ok(Matched::new(Equality::Content))
            } else {
                Err(alone(departure))
            };
        }
        self.compare((expected, actual), known)
    }

    fn compare(
        &mut self,
        (expected, actual): (&[u8], &[u8]),
        known: &Correspondence,
    ) -> Result<Matched, Box<Difference>> {
        exempt(&self.rules, expected, &mut self.expected);
        exempt(&self.rules, actual, &mut self.actual);
        let expected = Read {
            bytes: expected,
            tree: &self.expected,
        };
        let actual = Read {
            bytes: actual,
            tree: &self.actual,
        };
        let mut comparison = Comparison::new(&self.rules, (expected, actual), known);
        comparison.run();
        let findings = comparison.findings;
        if findings.count == 0 {
            return Ok(comparison.matched);
        }
        let shown = Shown {
            rules: &self.rules,
            expected,
            actual,
        };
        let told = findings.told.iter();
        Err(Box::new(Difference::new(
            told.map(|finding| shown.departure(finding)).collect(),
            findings.count,
            (findings.equal_leaves, findings.different_leaves),
            findings.other_method,
        )))
    }

    /// Reads both messages; what stands against it, if anything does.
    fn read_both(&mut self, expected: &[u8], actual: &[u8]) -> Option<Departure> {
        let names = &self.rules.names;
        if self.expected.read(expected, names).is_err() {
            return Some(of_bytes(expected, actual));
        }
        self.actual.read(actual, names).err().map(of_unreadable)
    }

    /// What equal bytes show: they match whatever is known, so that an identity
    /// which stands for another already is left out.
    fn equal_bytes(&mut self, bytes: &[u8], known: &Correspondence) -> Matched {
        let mut matched = Matched::new(Equality::Bytes);
        let is_raw = self.rules.framing() == MessageFraming::Raw;
        if is_raw {
            return matched;
        }
        if self.rules.names.has_no_identities() {
            let id = |id: MessageId| (id.clone(), id);
            matched.request_ids = self.rules.request_ids(bytes).into_iter().map(id).collect();
            return matched;
        }
        if self.actual.read(bytes, &self.rules.names).is_err() {
            return matched;
        }
        exempt(&self.rules, bytes, &mut self.actual);
        let mut new = Identities::new();
        let mut at = 0;
        while let Some(node) = self.actual.node(at) {
            at = if node.counts() { at + 1 } else { node.next() };
            if node.role == Role::RequestId {
                let id = MessageId::of(bytes, node.value());
                matched.request_ids.push((id.clone(), id));
            }
            if node.identity.is_none() || node.kind != ValueKind::String || !node.counts() {
                continue;
            }
            let text = decode_string(bytes, node.span()).into_owned();
            let is_generated = node.role == Role::Generated;
            let name = decode_string(bytes, node.key());
            let portable = self.rules.portable_of_generated(&name, &text);
            if let Some(portable) = portable.filter(|_| is_generated) {
                matched.generated.push((portable.to_owned(), text));
                continue;
            }
            let related = known.identities.related(&text, &text);
            if related.is_ok_and(|known| known || new.bind(&text, &text).is_ok()) {
                matched.identities.push((text.clone(), text));
            }
        }
        matched
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matcher")
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}

pub(super) fn exempt(rules: &MatchRules, bytes: &[u8], tree: &mut Tree) {
    let mut next = tree.tops().next();
    while let Some(top) = next {
        rules.exempt(bytes, tree, top);
        next = tree.next_top(top);
    }
}

fn alone(departure: Departure) -> Box<Difference> {
    Box::new(Difference::alone(vec![departure]))
}
