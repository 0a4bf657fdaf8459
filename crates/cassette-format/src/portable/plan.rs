//! What the outermost members of a message decide about its inside: values that
//! are replaced or cut out whatever they are, and methods that are refused.

use super::Direction;
use super::account::AccountRequests;
use super::envelope::{Envelope, values_at};
use super::raw_text::quoted;
use super::removal::cuts;
use super::violation::{PORTABLE_EMAIL, Violation, ViolationKind};
use crate::descriptor::{Descriptor, Dialect, EnvironmentOfStart};
use crate::json::{Span, TokenKind, ValueKind, decode_string, string_eq};

/// Edits and refusals that come from the envelopes of a message's values. Edits
/// are looked for as the walk comes to them, so that none is kept.
#[derive(Default)]
pub(super) struct Plan<'b> {
    edits: Vec<PlannedEdits<'b>>,
    /// What the walk is in or behind: the edit that was made last.
    made: Option<Span>,
    refused: Option<Violation>,
    /// Whether the value at the top is a list, so that its objects are messages.
    in_batch: bool,
}

/// Spans that become the same, first to last.
struct PlannedEdits<'b> {
    next: Option<Span>,
    rest: Box<dyn Iterator<Item = Span> + 'b>,
    replacement: Vec<u8>,
}

/// What reads envelopes: the provider's rules and the connection's memory.
#[derive(Debug)]
pub(super) struct EnvelopeRules<'a> {
    pub(super) descriptor: &'a Descriptor,
    pub(super) accounts: &'a mut AccountRequests,
    pub(super) direction: Direction,
}

impl<'b> Plan<'b> {
    /// Looks at a container that starts at `span`, `depth` levels deep.
    pub(super) fn meet(
        &mut self,
        rules: &mut EnvelopeRules<'_>,
        bytes: &'b [u8],
        (depth, kind, span): (usize, TokenKind, Span),
    ) {
        let object = kind == TokenKind::BeginObject;
        match (depth, object) {
            (1, true) => {
                self.in_batch = false;
                let envelope = Envelope::read(rules.descriptor.dialect, bytes, span.start);
                let object = Span::new(span.start, bytes.len());
                self.refuse_credentials(rules.descriptor, bytes, &envelope);
                self.edits.retain(|edits| edits.next.is_some());
                self.edit_account(rules, bytes, (object, &envelope));
                self.edit_generated(rules.descriptor, bytes, (object, &envelope));
                self.cut_environment(rules.descriptor, bytes, (object, &envelope));
            }
            (1, false) => self.in_batch = true,
            (2, true) if self.in_batch => {
                let envelope = Envelope::read(rules.descriptor.dialect, bytes, span.start);
                self.refuse_credentials(rules.descriptor, bytes, &envelope);
            }
            _ => {}
        }
    }

    /// The next planned edit that starts at or before `offset`.
    pub(super) fn next_edit(&mut self, offset: usize) -> Option<(Span, &[u8])> {
        if self.edits.is_empty() {
            return None;
        }
        loop {
            let waiting = self.edits.iter().enumerate();
            let starts = waiting.filter_map(|(at, edits)| Some((edits.next?.start, at)));
            let (start, first) = starts.min().filter(|(start, _)| *start <= offset)?;
            let inside = self.covers(start);
            let edits = self.edits.get_mut(first)?;
            let span = edits.next.take()?;
            edits.next = edits.rest.next();
            // What lies in a cut is gone already.
            if !inside {
                self.made = Some(span);
                return Some((span, &self.edits.get(first)?.replacement));
            }
        }
    }

    /// Whether what stands at `offset` is replaced or cut out.
    pub(super) fn covers(&self, offset: usize) -> bool {
        self.made
            .is_some_and(|span| (span.start..span.end).contains(&offset))
    }

    /// The refused method, if it stands at or before `offset`.
    pub(super) fn refused_before(&self, offset: usize) -> Option<Violation> {
        self.refused.filter(|refused| refused.offset <= offset)
    }

    fn refuse_credentials(&mut self, descriptor: &Descriptor, bytes: &[u8], envelope: &Envelope) {
        let carries = |span: &&Span| {
            let method = decode_string(bytes, **span);
            let method = method.trim().to_lowercase();
            let mut listed = descriptor.credential_methods.iter();
            listed.any(|listed| listed.trim().to_lowercase() == method)
        };
        if descriptor.credential_methods.is_empty() {
            return;
        }
        if let Some(span) = envelope.methods.iter().find(carries) {
            let (kind, offset) = (ViolationKind::CredentialMethod, span.start);
            self.refused.get_or_insert(Violation { kind, offset });
        }
    }

    fn edit_account(
        &mut self,
        rules: &mut EnvelopeRules<'_>,
        bytes: &'b [u8],
        (object, envelope): (Span, &Envelope),
    ) {
        let Some(account) = &rules.descriptor.account_read else {
            return;
        };
        if rules.direction == Direction::Outbound {
            return rules.accounts.sent(account, bytes, envelope);
        }
        if let Some(pointer) = rules.accounts.received(account, bytes, envelope) {
            let emails = values_at(bytes, object, &pointer)
                .filter(|value| value.kind == ValueKind::String)
                .map(|value| value.span)
                // One that is portable already, or nobody's, stays as it is spelled.
                .filter(|span| !string_eq(bytes, *span, PORTABLE_EMAIL))
                .filter(|span| !decode_string(bytes, *span).trim().is_empty());
            self.plan(emails, quoted(PORTABLE_EMAIL));
        }
    }

    fn edit_generated(
        &mut self,
        descriptor: &Descriptor,
        bytes: &'b [u8],
        (object, envelope): (Span, &Envelope),
    ) {
        if descriptor.generated_fields.is_empty() {
            return;
        }
        let Some(method) = envelope.method(bytes) else {
            return;
        };
        for field in descriptor
            .generated_fields
            .iter()
            .filter(|field| field.method == method)
        {
            let key = field.parameter.replace('~', "~0").replace('/', "~1");
            let (prefix, portable) = (field.prefix.clone(), field.portable.clone());
            let made_anew = move |span: &Span| {
                let text = decode_string(bytes, *span);
                text.starts_with(&prefix) && text != portable
            };
            let values = values_at(bytes, object, &format!("{}/{key}", envelope.params))
                .filter(|value| value.kind == ValueKind::String)
                .map(|value| value.span)
                .filter(made_anew);
            self.plan(values, quoted(&field.portable));
        }
    }

    fn cut_environment(
        &mut self,
        descriptor: &Descriptor,
        bytes: &'b [u8],
        (object, envelope): (Span, &Envelope),
    ) {
        let excluded = descriptor.environment_of_start == EnvironmentOfStart::Excluded
            && descriptor.dialect == Dialect::TypedEnvelope
            && envelope.method(bytes).as_deref() == Some("start");
        if excluded {
            let payloads = values_at(bytes, object, envelope.params);
            let cuts = payloads.flat_map(|payload| cuts(bytes, payload.span, "env"));
            self.plan(cuts, Vec::new());
        }
    }

    fn plan(&mut self, mut spans: impl Iterator<Item = Span> + 'b, replacement: Vec<u8>) {
        let next = spans.next();
        if next.is_some() {
            let rest = Box::new(spans);
            self.edits.push(PlannedEdits {
                next,
                rest,
                replacement,
            });
        }
    }
}
