//! Counting the messages of one direction of a connection.

use super::message_head::MessageHead;
use super::method_table::{MethodName, MethodTable};
use super::open_requests::{OpenRequest, OpenRequests};
use super::{DirectionSummary, MessageKind};
use crate::descriptor::Dialect;
use crate::json::{Scanner, Value, ValueKind, elements};
use crate::schema::ElapsedMs;

/// What one direction has said, and what of it waits for an answer.
#[derive(Default)]
pub(super) struct Tally {
    messages: u64,
    not_json: u64,
    unnamed: u64,
    pub(super) unfinished_bytes: u64,
    pub(super) lost_framings: u64,
    methods: MethodTable,
    requests: OpenRequests,
}

/// A message among the others.
#[derive(Clone, Copy)]
pub(super) struct Said<'m> {
    pub(super) content: &'m [u8],
    pub(super) dialect: Dialect,
    /// When it ended.
    pub(super) at: ElapsedMs,
}

impl Tally {
    /// Counts a message to the direction that is answered by this one.
    pub(super) fn message(&mut self, said: Said<'_>, listener: &mut Self) {
        self.messages += 1;
        match values(said.content) {
            Values::None => self.not_json += 1,
            Values::One(value) => self.value(said, value, listener),
            Values::Several => {
                let mut scanner = Scanner::new(said.content);
                while let Ok(Some(value)) = scanner.skip_value() {
                    self.value(said, value, listener);
                }
            }
        }
    }

    /// Counts what a stream ended with: a message if it is whole JSON.
    pub(super) fn rest(&mut self, said: Said<'_>, listener: &mut Self) {
        match values(said.content) {
            Values::None => self.unfinished_bytes += said.content.len() as u64,
            Values::One(_) | Values::Several => self.message(said, listener),
        }
    }

    /// Adds all that `other` counted.
    pub(super) fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.not_json += other.not_json;
        self.unnamed += other.unnamed;
        self.unfinished_bytes += other.unfinished_bytes;
        self.lost_framings += other.lost_framings;
        self.requests.unfollowed += other.requests.unfollowed;
        self.methods.merge(&other.methods);
    }

    /// What was counted.
    pub(super) fn summary(&self) -> DirectionSummary {
        let (methods, other_methods) = self.methods.summary();
        DirectionSummary {
            messages: self.messages,
            not_json: self.not_json,
            unnamed: self.unnamed,
            unfinished_bytes: self.unfinished_bytes,
            lost_framings: self.lost_framings,
            unfollowed_requests: self.requests.unfollowed,
            methods,
            other_methods,
        }
    }

    /// A message, or a batch of them.
    fn value(&mut self, said: Said<'_>, value: Value, listener: &mut Self) {
        if said.dialect == Dialect::JsonRpc && value.kind == ValueKind::Array {
            for element in elements(said.content, value.span).flatten() {
                self.one(said, element, listener);
            }
        } else {
            self.one(said, value, listener);
        }
    }

    fn one(&mut self, said: Said<'_>, value: Value, listener: &mut Self) {
        let bytes = said.content;
        let Some(head) = MessageHead::read(said.dialect, bytes, value) else {
            self.unnamed += 1;
            return;
        };
        let size = value.span.len() as u64;
        if let MessageKind::Result | MessageKind::Error = head.kind {
            let name = listener.answered(said, head);
            self.methods.count(head.kind, name, size);
            return;
        }
        let name = MethodName::Named(head.name(bytes).into());
        let method = self.methods.count(head.kind, name, size);
        if let (MessageKind::Request, Some(id)) = (head.kind, head.id) {
            let asked = said.at;
            self.requests.ask(bytes, id, OpenRequest { method, asked });
        }
    }

    /// Takes an answer to a request of this direction; gives the request's name.
    fn answered(&mut self, said: Said<'_>, head: MessageHead) -> MethodName {
        let request = head
            .id
            .and_then(|id| self.requests.answer(said.content, id));
        let Some(OpenRequest { method, asked }) = request else {
            return MethodName::Unasked;
        };
        let after = said.at.get().saturating_sub(asked.get());
        self.methods.answered(method, after);
        self.methods.name(method)
    }
}

/// The JSON values that some bytes are.
enum Values {
    /// They are no JSON, or blank.
    None,
    One(Value),
    Several,
}

fn values(bytes: &[u8]) -> Values {
    let mut scanner = Scanner::new(bytes);
    let mut values = Values::None;
    loop {
        values = match (scanner.skip_value(), values) {
            (Ok(Some(value)), Values::None) => Values::One(value),
            (Ok(Some(_)), _) => Values::Several,
            (Ok(None), values) => return values,
            (Err(_), _) => return Values::None,
        };
    }
}
