//! What the agent said, as it is said on this side.

use cassette_format::json::{Edits, Span, ValueKind, decode_string, write_string};
use memchr::memmem;

use super::correspondence::Correspondence;
use super::field_names::IdentityKind;
use super::header::{Envelope, Header, HeaderKind};
use super::headers::Headers;
use super::matcher::Matcher;
use super::message_id::MessageId;
use super::rules::MatchRules;
use super::tree::Node;

/// A value and what stands in its place.
type Edit = (Span, Vec<u8>);

/// What stands for what in a message of the agent.
#[derive(Clone, Copy)]
struct Mapping<'k> {
    known: &'k Correspondence,
    /// The id that is sent in the place of an answer's.
    answered: &'k dyn Fn(&MessageId) -> Option<MessageId>,
}

impl Matcher {
    /// The edits that make `message`, the content of a recorded message of the agent,
    /// what it is on this side: directories in the place of tokens, identities and
    /// the ids of answers as the host has sent them. `None` where it stays as it is.
    ///
    /// Every other byte stays, and so does all of what is no JSON from its first byte
    /// to its last. Ids of requests that the agent makes are its own.
    pub fn rewrite(&mut self, message: &[u8], known: &Correspondence) -> Option<Edits> {
        let answered = |id: &MessageId| known.request_id(id).cloned();
        let answered = &answered;
        self.edits(message, Mapping { known, answered })
    }

    /// The same of an answer that goes to the request with the id `sent`, whatever
    /// request it answered in the recording.
    pub fn readdress(
        &mut self,
        answer: &[u8],
        sent: &MessageId,
        known: &Correspondence,
    ) -> Option<Edits> {
        let answered = &|_: &MessageId| Some(sent.clone());
        self.edits(answer, Mapping { known, answered })
    }

    fn edits(&mut self, message: &[u8], mapping: Mapping<'_>) -> Option<Edits> {
        let mut found = Vec::new();
        if mapping.known.identities.is_empty() {
            self.rules.edit_answers(message, mapping, &mut found)?;
        } else {
            self.edit_all(message, mapping, &mut found)?;
        }
        self.rules.edit_paths(message, &mut found);
        found.sort_by_key(|(span, _)| span.start);
        let mut edits = Edits::new();
        let mut end = 0;
        for (span, by) in &found {
            // A path that is an identity too is edited as the one that begins first.
            if span.start >= end {
                edits.replace(*span, by);
                end = span.end;
            }
        }
        (!edits.is_empty()).then_some(edits)
    }

    /// Edits of answers and identities.
    fn edit_all(
        &mut self,
        message: &[u8],
        mapping: Mapping<'_>,
        found: &mut Vec<Edit>,
    ) -> Option<()> {
        self.actual.read(message, &self.rules.names).ok()?;
        for top in self.actual.tops() {
            let members = self.actual.members(top);
            let header = Header::read(self.rules.dialect(), message, members);
            found.extend(edit_id(message, &header, mapping));
        }
        for (at, node) in (0..).zip(self.actual.nodes()) {
            if node.identity != Some(IdentityKind::Generated) {
                continue;
            }
            if node.kind == ValueKind::Array {
                let elements = self.actual.children(at);
                let elements = elements.filter_map(|element| self.actual.node(element));
                found.extend(elements.filter_map(|node| edit_identity(message, node, mapping)));
            } else {
                found.extend(edit_identity(message, node, mapping));
            }
        }
        self.actual.release();
        Some(())
    }
}

impl MatchRules {
    /// What a message is, by its outermost members.
    #[must_use]
    pub fn envelope(&self, message: &[u8]) -> Envelope {
        self.single(message)
            .map_or(Envelope::Other, |header| header.envelope(message))
    }

    /// The header of a message that is one value and nothing else.
    pub(super) fn single(&self, message: &[u8]) -> Option<Header> {
        let mut headers = Headers::new(self.dialect(), message);
        let header = headers.next().ok()??;
        (headers.next() == Ok(None)).then_some(header)
    }

    /// The ids of the requests that `bytes` are; none where they are not JSON.
    pub(super) fn request_ids(&self, bytes: &[u8]) -> Vec<MessageId> {
        let mut ids = Vec::new();
        let mut headers = Headers::new(self.dialect(), bytes);
        while let Ok(header) = headers.next() {
            let Some(header) = header else {
                return ids;
            };
            if header.kind == HeaderKind::Request {
                ids.extend(header.id.map(|id| MessageId::of(bytes, id)));
            }
        }
        Vec::new()
    }

    /// Edits of the ids of answers; `None` where the message is no JSON.
    fn edit_answers(
        &self,
        message: &[u8],
        mapping: Mapping<'_>,
        found: &mut Vec<Edit>,
    ) -> Option<()> {
        let mut headers = Headers::new(self.dialect(), message);
        while let Some(header) = headers.next().ok()? {
            found.extend(edit_id(message, &header, mapping));
        }
        Some(())
    }

    fn edit_paths(&self, message: &[u8], found: &mut Vec<Edit>) {
        if !self.may_hold_a_token(message) {
            return;
        }
        let resolved = self.resolution.message(message);
        let landed = resolved.landings.iter();
        found.extend(landed.map(|landing| {
            let by = landing.to.text(&resolved.bytes).to_vec();
            (landing.from, by)
        }));
    }

    /// Whether a token may stand in a message: as it is, or with escapes in how it
    /// begins.
    fn may_hold_a_token(&self, message: &[u8]) -> bool {
        let plain = self.cwd_token().is_empty() || self.cwd_token().starts_with("${");
        !plain || memmem::find(message, b"${").is_some() || memmem::find(message, b"\\u").is_some()
    }
}

fn edit_identity(message: &[u8], node: &Node, mapping: Mapping<'_>) -> Option<Edit> {
    if node.kind != ValueKind::String {
        return None;
    }
    let recorded = decode_string(message, node.span());
    let sent = mapping.known.identities.sent_for(&recorded)?;
    if sent == recorded {
        return None;
    }
    let mut by = Vec::new();
    write_string(&mut by, sent);
    Some((node.span(), by))
}

fn edit_id(message: &[u8], header: &Header, mapping: Mapping<'_>) -> Option<Edit> {
    let id = header
        .id
        .filter(|_| matches!(header.kind, HeaderKind::Answer(_)))?;
    let recorded = MessageId::of(message, id);
    let sent = (mapping.answered)(&recorded).filter(|sent| *sent != recorded)?;
    Some((id.span, sent.as_json().as_bytes().to_vec()))
}
