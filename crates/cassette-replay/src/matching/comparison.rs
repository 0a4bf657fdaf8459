//! Comparing two messages value by value.

use cassette_format::json::{ValueKind, decode_string};

use super::correspondence::Correspondence;
use super::findings::{Finding, Findings};
use super::header::{Header, HeaderKind};
use super::identities::{Identities, is_blank};
use super::key_hash::same_text;
use super::matched::{Equality, Matched};
use super::message_id::MessageId;
use super::pairing::{Pair, Read, pair_by_name, same_name};
use super::rules::MatchRules;
use super::spelling::{Field, Texts};
use super::tree::{Children, Node, Role};

/// How deep messages are compared; deeper ones only byte for byte.
pub(super) const MAX_DEPTH: usize = 512;

/// A comparison under way.
#[derive(Debug)]
pub(super) struct Comparison<'c> {
    rules: &'c MatchRules,
    expected: Read<'c>,
    actual: Read<'c>,
    known: &'c Correspondence,
    /// Identities that this message relates.
    new: Identities,
    pub(super) matched: Matched,
    pub(super) findings: Findings,
}

impl<'c> Comparison<'c> {
    pub(super) fn new(
        rules: &'c MatchRules,
        (expected, actual): (Read<'c>, Read<'c>),
        known: &'c Correspondence,
    ) -> Self {
        Self {
            rules,
            expected,
            actual,
            known,
            new: Identities::new(),
            matched: Matched::new(Equality::Content),
            findings: Findings::default(),
        }
    }

    /// Compares the messages; neither is deeper than [`MAX_DEPTH`].
    pub(super) fn run(&mut self) {
        let (mut recorded, mut sent) = (self.expected.tree.tops(), self.actual.tree.tops());
        loop {
            match (recorded.next(), sent.next()) {
                (Some(a), Some(b)) => self.message(a, b),
                (Some(at), None) => self.add_missing(at),
                (None, Some(at)) => self.add_unexpected(at),
                (None, None) => return,
            }
        }
    }

    fn message(&mut self, a: u32, b: u32) {
        let before = self.findings.count;
        self.value(a, b);
        if self.findings.count > before {
            self.tell_what_kind(a, b);
        }
    }

    fn value(&mut self, a: u32, b: u32) {
        let (Some(recorded), Some(sent)) = (self.expected.tree.node(a), self.actual.tree.node(b))
        else {
            return;
        };
        match (recorded.role, sent.role) {
            (Role::RequestId, Role::RequestId) => return self.request_id(recorded, sent),
            (Role::Ignored, Role::Ignored) => return,
            (Role::Generated, Role::Generated)
                if recorded.kind == ValueKind::String && sent.kind == ValueKind::String =>
            {
                return self.generated((a, recorded), (b, sent));
            }
            _ => {}
        }
        if recorded.kind != sent.kind {
            return self.differ(a, b);
        }
        match recorded.kind {
            ValueKind::Object => self.members(a, b),
            ValueKind::Array => self.elements(a, b),
            ValueKind::String => self.string((a, recorded), (b, sent)),
            _ => {
                let texts = (recorded.span(), sent.span());
                let same = texts.0.text(self.expected.bytes) == texts.1.text(self.actual.bytes);
                self.settle((a, b), same);
            }
        }
    }

    fn members(&mut self, a: u32, b: u32) {
        let mut recorded = self.expected.tree.children(a);
        let mut sent = self.actual.tree.children(b);
        if recorded.clone().next().is_none() && sent.clone().next().is_none() {
            self.findings.equal_leaves += 1;
        }
        loop {
            let (rest_recorded, rest_sent) = (recorded.clone(), sent.clone());
            match (recorded.next(), sent.next()) {
                (Some(a), Some(b)) if same_name((self.expected, a), (self.actual, b)) => {
                    self.value(a, b);
                }
                (None, None) => return,
                _ => return self.members_in_disorder(rest_recorded, rest_sent),
            }
        }
    }

    fn members_in_disorder(&mut self, recorded: Children<'_>, sent: Children<'_>) {
        let recorded = (self.expected, recorded.collect());
        let sent = (self.actual, sent.collect());
        for pair in pair_by_name(self.rules, recorded, sent) {
            match pair {
                Pair::Both(a, b) => self.value(a, b),
                Pair::Missing(at) => self.add_missing(at),
                Pair::Unexpected(at) => self.add_unexpected(at),
            }
        }
    }

    fn elements(&mut self, a: u32, b: u32) {
        let mut recorded = self.expected.tree.children(a);
        let mut sent = self.actual.tree.children(b);
        if recorded.clone().next().is_none() && sent.clone().next().is_none() {
            self.findings.equal_leaves += 1;
        }
        loop {
            let (rest_recorded, rest_sent) = (recorded.clone(), sent.clone());
            match (recorded.next(), sent.next()) {
                (Some(a), Some(b)) => self.value(a, b),
                (None, None) => return,
                _ => {
                    let missing = rest_recorded.leaves(self.expected.tree);
                    let leaves = missing + rest_sent.leaves(self.actual.tree);
                    self.findings.add(Finding::Length(a, b), leaves);
                    return;
                }
            }
        }
    }

    fn string(&mut self, (a, recorded): (u32, &Node), (b, sent): (u32, &Node)) {
        if recorded.identity.is_some() {
            return self.identity((a, recorded), (b, sent));
        }
        let texts = (self.expected.bytes, self.actual.bytes);
        let same = same_text(texts, (recorded.span(), sent.span()))
            || self.agrees((a, recorded), (b, sent));
        self.settle((a, b), same);
    }

    /// Whether two strings that differ mean the same.
    fn agrees(&self, (a, recorded): (u32, &Node), (_, sent): (u32, &Node)) -> bool {
        let texts = Texts {
            recorded: &decode_string(self.expected.bytes, recorded.span()),
            sent: &decode_string(self.actual.bytes, sent.span()),
        };
        let class = recorded.class(self.expected.bytes, &self.rules.names);
        let name = &self.expected.name(a);
        self.rules.texts_agree(Field { class, name }, texts)
    }

    fn identity(&mut self, (a, recorded): (u32, &Node), (b, sent): (u32, &Node)) {
        let was = decode_string(self.expected.bytes, recorded.span());
        let is = decode_string(self.actual.bytes, sent.span());
        if is_blank(&was) || is_blank(&is) {
            return self.settle((a, b), was == is);
        }
        let related = self.known.identities.related(&was, &is);
        let related = related.and_then(|known| {
            if known {
                Ok(())
            } else {
                self.new.bind(&was, &is)
            }
        });
        match related {
            Ok(()) => {
                let pair = (was.into_owned(), is.into_owned());
                self.matched.identities.push(pair);
                self.findings.equal_leaves += 1;
            }
            Err(conflict) => self.findings.add(Finding::Identity((a, b), conflict), 1),
        }
    }

    /// Portable values stand for any that is made anew; others are identities or
    /// plain texts.
    fn generated(&mut self, (a, recorded): (u32, &Node), (b, sent): (u32, &Node)) {
        let was = decode_string(self.expected.bytes, recorded.span());
        let is = decode_string(self.actual.bytes, sent.span());
        let name = self.expected.name(a);
        let portable = |text: &str| self.rules.portable_of_generated(&name, text);
        match (portable(&was), portable(&is)) {
            (None, None) => self.string((a, recorded), (b, sent)),
            (Some(was), Some(other)) if was == other => {
                let pair = (was.to_owned(), is.into_owned());
                self.matched.generated.push(pair);
                self.findings.equal_leaves += 1;
            }
            _ => self.differ(a, b),
        }
    }

    fn request_id(&mut self, recorded: &Node, sent: &Node) {
        let id = |read: Read<'_>, node: &Node| MessageId::of(read.bytes, node.value());
        let pair = (id(self.expected, recorded), id(self.actual, sent));
        self.matched.request_ids.push(pair);
    }

    fn settle(&mut self, (a, b): (u32, u32), same: bool) {
        if same {
            self.findings.equal_leaves += 1;
        } else {
            self.differ(a, b);
        }
    }

    fn differ(&mut self, a: u32, b: u32) {
        let leaves = self.expected.tree.leaves(a).max(self.actual.tree.leaves(b));
        self.findings.add(Finding::Value(a, b), leaves);
    }

    fn add_missing(&mut self, at: u32) {
        let leaves = self.expected.tree.leaves(at);
        self.findings.add(Finding::Missing(at), leaves);
    }

    fn add_unexpected(&mut self, at: u32) {
        let leaves = self.actual.tree.leaves(at);
        self.findings.add(Finding::Unexpected(at), leaves);
    }

    /// Says what two messages that differ are: whether they ask for the same, and
    /// whether what differs is which request they answer.
    fn tell_what_kind(&mut self, a: u32, b: u32) {
        let dialect = self.rules.dialect();
        let header = |read: Read<'_>, at| Header::read(dialect, read.bytes, read.tree.members(at));
        let (recorded, sent) = (header(self.expected, a), header(self.actual, b));
        let method = |read: Read<'_>, header: &Header| {
            super::header::text(read.bytes, header.method).map(std::borrow::Cow::into_owned)
        };
        self.findings.other_method |= recorded.kind != sent.kind
            || method(self.expected, &recorded) != method(self.actual, &sent);
        let both_answer = matches!(
            (recorded.kind, sent.kind),
            (HeaderKind::Answer(_), HeaderKind::Answer(_))
        );
        let (Some(was), Some(is)) = (recorded.id, sent.id) else {
            return;
        };
        for finding in &mut self.findings.told {
            if let Finding::Value(a, b) = *finding
                && both_answer
                && self.expected.tree.node(a).map(Node::span) == Some(was.span)
                && self.actual.tree.node(b).map(Node::span) == Some(is.span)
            {
                *finding = Finding::AnswerId(a, b);
            }
        }
    }
}

impl MatchRules {
    /// The portable value of a generated field that stands for `text`.
    pub(super) fn portable_of_generated(&self, parameter: &str, text: &str) -> Option<&str> {
        let mut fields = self.generated_fields().iter();
        let field = fields.find(|field| {
            let made_anew = text.starts_with(&field.prefix) || text == field.portable;
            field.parameter == parameter && made_anew
        });
        field.map(|field| field.portable.as_str())
    }
}
