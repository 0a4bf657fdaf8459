//! Making a message portable: the recording side.

use std::borrow::Cow;

use super::account::AccountRequests;
use super::field_class::FieldClasses;
use super::plan::{EnvelopeRules, Plan};
use super::rewrite::{Change, key_recorded, names_a_root, recorded};
use super::violation::{ContentError, judge};
use super::walk::{Met, Walk};
use super::{Roots, Rules};
use crate::descriptor::{Descriptor, Spelling};
use crate::json::{Span, Splicer, decode_string, path_at};

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the host to the process.
    Outbound,
    /// From the process to the host.
    Inbound,
}

/// Makes the messages of one connection portable, in the order in which they
/// passed. Only edited values change; every other byte stays.
#[derive(Debug, Clone)]
pub struct Projection {
    descriptor: Descriptor,
    classes: FieldClasses,
    roots: Roots,
    rules: Rules,
    accounts: AccountRequests,
}

impl Projection {
    /// The projection of a connection whose directories are `roots`.
    #[must_use]
    pub fn new(descriptor: &Descriptor, roots: Roots, rules: Rules) -> Self {
        Self {
            descriptor: descriptor.clone(),
            classes: FieldClasses::new(descriptor, &rules),
            roots,
            rules,
            accounts: AccountRequests::default(),
        }
    }

    /// The directories of the connection.
    #[must_use]
    pub const fn roots(&self) -> &Roots {
        &self.roots
    }

    /// The portable form of `message`, which may hold several JSON values and
    /// text that is none: what can be read is rewritten and judged. Borrowed when
    /// nothing changes.
    ///
    /// # Errors
    /// The first content in document order that may not be on a tape.
    pub fn message<'m>(
        &mut self,
        direction: Direction,
        message: &'m [u8],
    ) -> Result<Cow<'m, [u8]>, ContentError> {
        let mut plan = Plan::default();
        let mut splicer = Splicer::new(message);
        let mut walk = Walk::new(message, &self.classes);
        while let Some(met) = walk.next() {
            if let Met::Container(_, kind, span) = met {
                let (descriptor, accounts) = (&self.descriptor, &mut self.accounts);
                let mut rules = EnvelopeRules {
                    descriptor,
                    accounts,
                    direction,
                };
                plan.meet(&mut rules, message, (walk.depth(), kind, span));
            }
            let start = met.span().start;
            if let Some(refused) = plan.refused_before(start) {
                return Err(refused.into_error(message));
            }
            apply(&mut plan, start, &mut splicer);
            if plan.covers(start) {
                continue;
            }
            if let Some(Change { span, replacement }) = self.change(message, met) {
                // Changes come in document order and never overlap.
                let _landed = splicer.replace(span, &replacement);
            } else if let Some(violation) = judge(message, met) {
                return Err(violation.into_error(message));
            }
        }
        if let Some(refused) = plan.refused_before(message.len()) {
            return Err(refused.into_error(message));
        }
        apply(&mut plan, message.len(), &mut splicer);
        Ok(splicer.finish())
    }

    /// Where strings that are no paths name one of the directories: JSON paths,
    /// in document order. Such text is recorded as it is unless
    /// [`Rules::free_text`] says otherwise.
    #[must_use]
    pub fn roots_left(&self, message: &[u8]) -> Vec<String> {
        let mut walk = Walk::new(message, &self.classes);
        let mut left = Vec::new();
        while let Some(met) = walk.next() {
            if let Met::String(_, span, _) | Met::Key(span) = met
                && names_a_root(&decode_string(message, span), &self.roots)
            {
                left.push(path_at(message, span.start));
            }
        }
        left
    }

    fn change(&self, message: &[u8], met: Met) -> Option<Change> {
        match met {
            Met::String(class, span, field) => {
                recorded((message, span), (class, field), &self.roots, &self.rules)
            }
            Met::Key(span) if self.roots.spells(Spelling::ObjectKeys) => {
                key_recorded(message, span, &self.roots)
            }
            _ => None,
        }
    }
}

/// Makes the planned edits that start at or before `offset`.
fn apply(plan: &mut Plan, offset: usize, splicer: &mut Splicer<'_>) {
    while let Some((span, replacement)) = plan.next_edit(offset) {
        // What the plan cuts out is left out by the walk, so nothing overlaps.
        let _landed = splicer.replace(span, replacement);
    }
}

impl Met {
    pub(super) const fn span(self) -> Span {
        match self {
            Self::Key(span)
            | Self::String(_, span, _)
            | Self::Scalar(_, _, span)
            | Self::Container(_, _, span) => span,
        }
    }
}
