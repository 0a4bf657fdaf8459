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

/// Edits and refusals that come from the envelopes of a message's values, in
/// document order.
#[derive(Debug, Default)]
pub(super) struct Plan {
    edits: Vec<(Span, Vec<u8>)>,
    /// How many of them the walk has passed.
    passed: usize,
    refused: Option<Violation>,
    /// Whether the value at the top is a list, so that its objects are messages.
    in_batch: bool,
}

/// What reads envelopes: the provider's rules and the connection's memory.
#[derive(Debug)]
pub(super) struct EnvelopeRules<'a> {
    pub(super) descriptor: &'a Descriptor,
    pub(super) accounts: &'a mut AccountRequests,
    pub(super) direction: Direction,
}

impl Plan {
    /// Looks at a container that starts at `span`, `depth` levels deep.
    pub(super) fn meet(
        &mut self,
        rules: &mut EnvelopeRules<'_>,
        bytes: &[u8],
        (depth, kind, span): (usize, TokenKind, Span),
    ) {
        let object = kind == TokenKind::BeginObject;
        match (depth, object) {
            (1, true) => {
                self.in_batch = false;
                let envelope = Envelope::read(rules.descriptor.dialect, bytes, span.start);
                self.refuse_credentials(rules.descriptor, bytes, &envelope);
                self.edit_account(rules, bytes, &envelope);
                self.edit_generated(rules.descriptor, bytes, &envelope);
                self.cut_environment(rules.descriptor, bytes, &envelope);
                self.edits.sort_by_key(|(span, _)| span.start);
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
        let (span, replacement) = self.edits.get(self.passed)?;
        if span.start > offset {
            return None;
        }
        self.passed += 1;
        Some((*span, replacement))
    }

    /// Whether what stands at `offset` is replaced or cut out.
    pub(super) fn covers(&self, offset: usize) -> bool {
        let passed = self.edits[..self.passed].last();
        passed.is_some_and(|(span, _)| (span.start..span.end).contains(&offset))
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
        if let Some(span) = envelope.methods.iter().find(carries) {
            let (kind, offset) = (ViolationKind::CredentialMethod, span.start);
            self.refused.get_or_insert(Violation { kind, offset });
        }
    }

    fn edit_account(&mut self, rules: &mut EnvelopeRules<'_>, bytes: &[u8], envelope: &Envelope) {
        let Some(account) = &rules.descriptor.account_read else {
            return;
        };
        if rules.direction == Direction::Outbound {
            return rules.accounts.sent(account, bytes, envelope);
        }
        for email in rules.accounts.received(account, bytes, envelope) {
            // One that is portable already stays as it is spelled.
            if !string_eq(bytes, email, PORTABLE_EMAIL) {
                self.edits.push((email, quoted(PORTABLE_EMAIL)));
            }
        }
    }

    fn edit_generated(&mut self, descriptor: &Descriptor, bytes: &[u8], envelope: &Envelope) {
        let (Some(method), Some(params)) = (envelope.method(bytes), envelope.params) else {
            return;
        };
        for field in descriptor
            .generated_fields
            .iter()
            .filter(|field| field.method == method)
        {
            let key = field.parameter.replace('~', "~0").replace('/', "~1");
            for value in values_at(bytes, params, &format!("/{key}")) {
                if value.kind != ValueKind::String {
                    continue;
                }
                let text = decode_string(bytes, value.span);
                if text.starts_with(&field.prefix) && text != field.portable {
                    self.edits.push((value.span, quoted(&field.portable)));
                }
            }
        }
    }

    fn cut_environment(&mut self, descriptor: &Descriptor, bytes: &[u8], envelope: &Envelope) {
        let excluded = descriptor.environment_of_start == EnvironmentOfStart::Excluded
            && descriptor.dialect == Dialect::TypedEnvelope
            && envelope.method(bytes).as_deref() == Some("start");
        if let Some(payload) = envelope.params.filter(|_| excluded) {
            let cuts = cuts(bytes, payload, "env").into_iter();
            self.edits.extend(cuts.map(|cut| (cut, Vec::new())));
        }
    }
}
