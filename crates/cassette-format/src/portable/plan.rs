//! What the outermost members of a message decide about its inside: values that
//! are replaced or cut out whatever they are.

use super::Direction;
use super::account::AccountRequests;
use super::envelope::{Envelope, values_at};
use super::raw_text::{quoted, text_of};
use super::readable_members::State;
use super::removal::cuts;
use super::violation::{PORTABLE_EMAIL, Violation, ViolationKind};
use super::walk::{Met, Walk};
use crate::descriptor::{Descriptor, Dialect, EnvironmentOfStart};
use crate::json::{Span, ValueKind, string_eq};

/// What a start request carries that may be left out.
const ENVIRONMENT: &str = "env";

/// Edits that come from the envelopes of a message's values. They are looked for
/// as the walk comes to them, so that none is kept.
#[derive(Default)]
pub(super) struct Plan<'b> {
    edits: Vec<PlannedEdits<'b>>,
    /// What the walk is in or behind: the edit that was made last.
    made: Option<Span>,
    /// Where the envelope ends that was read last.
    read: usize,
    /// The first name of an environment that was not cut out.
    environment: Option<usize>,
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
    /// Reads the envelope of the message that begins at `start`. One that begins
    /// in another is part of that one, so that nothing is read ahead twice.
    pub(super) fn begin(&mut self, rules: &mut EnvelopeRules<'_>, bytes: &'b [u8], start: usize) {
        if start < self.read {
            return;
        }
        let envelope = Envelope::read(rules.descriptor.dialect, bytes, start);
        self.read = envelope.span.end;
        self.edits.retain(|edits| edits.next.is_some());
        self.edit_account(rules, bytes, &envelope);
        self.edit_generated(rules.descriptor, bytes, &envelope);
        if leaves_environment_out(rules.descriptor) {
            self.cut_environment(bytes, &envelope);
        }
    }

    /// Notes what was met and stays.
    pub(super) fn keep(&mut self, rules: &EnvelopeRules<'_>, bytes: &[u8], met: Met) {
        let (Met::Key(span) | Met::String(_, span, _)) = met else {
            return;
        };
        // Requests are the host's.
        if self.environment.is_none()
            && rules.direction == Direction::Outbound
            && leaves_environment_out(rules.descriptor)
            && string_eq(bytes, span, ENVIRONMENT)
        {
            self.environment = Some(span.start);
        }
    }

    /// The violation, if a message that was gone over is broken and may hold the
    /// environment of a start request in a place where it was not looked for.
    pub(super) fn judge(&self, walk: &Walk<'_>) -> Option<Violation> {
        let kind = ViolationKind::SensitiveField;
        let offset = self.environment.filter(|_| walk.is_broken())?;
        Some(Violation { kind, offset })
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

    fn edit_account(
        &mut self,
        rules: &mut EnvelopeRules<'_>,
        bytes: &'b [u8],
        envelope: &Envelope,
    ) {
        let Some(account) = &rules.descriptor.account_read else {
            return;
        };
        if rules.direction == Direction::Outbound {
            return rules.accounts.sent(account, bytes, envelope);
        }
        if let Some(pointer) = rules.accounts.received(account, bytes, envelope) {
            let emails = values_at(bytes, envelope.span, &pointer)
                .filter(|value| value.kind == ValueKind::String)
                .map(|value| value.span)
                // One that is portable already, or nobody's, stays as it is spelled.
                .filter(|span| !string_eq(bytes, *span, PORTABLE_EMAIL))
                .filter(|span| !text_of(bytes, *span).trim().is_empty());
            self.plan(emails, quoted(PORTABLE_EMAIL));
        }
    }

    fn edit_generated(&mut self, descriptor: &Descriptor, bytes: &'b [u8], envelope: &Envelope) {
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
                let text = text_of(bytes, *span);
                text.starts_with(&prefix) && text != portable
            };
            let values = values_at(bytes, envelope.span, &format!("{}/{key}", envelope.params))
                .filter(|value| value.kind == ValueKind::String)
                .map(|value| value.span)
                .filter(made_anew);
            self.plan(values, quoted(&field.portable));
        }
    }

    /// Of a message that breaks the type may be what is lost, so it is taken for a
    /// start request.
    fn cut_environment(&mut self, bytes: &'b [u8], envelope: &Envelope) {
        let is_start = envelope.method(bytes).as_deref() == Some("start");
        if is_start || envelope.state == State::Broken {
            let payloads = values_at(bytes, envelope.span, envelope.params);
            let cuts = payloads.flat_map(|payload| cuts(bytes, payload.span, ENVIRONMENT));
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

fn leaves_environment_out(descriptor: &Descriptor) -> bool {
    descriptor.environment_of_start == EnvironmentOfStart::Excluded
        && descriptor.dialect == Dialect::TypedEnvelope
}
