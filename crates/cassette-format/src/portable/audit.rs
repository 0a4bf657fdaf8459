//! Whether a message may be on a tape: the judgement of the recording side,
//! without its edits.

use super::account::AccountRequests;
use super::field_class::FieldClasses;
use super::plan::{EnvelopeRules, Plan};
use super::violation::{ContentError, judge};
use super::walk::{Met, Walk};
use super::{Direction, Rules};
use crate::descriptor::Descriptor;

/// Audits the messages of one connection.
#[derive(Debug, Clone)]
pub struct Audit {
    descriptor: Descriptor,
    classes: FieldClasses,
}

impl Audit {
    /// The audit of a connection of `descriptor`'s provider.
    #[must_use]
    pub fn new(descriptor: &Descriptor, rules: &Rules) -> Self {
        let classes = FieldClasses::new(descriptor, rules);
        Self {
            descriptor: descriptor.clone(),
            classes,
        }
    }

    /// Whether `message` may be on a tape as it stands.
    ///
    /// # Errors
    /// The first content in document order that may not.
    pub fn message(&self, message: &[u8]) -> Result<(), ContentError> {
        let mut plan = Plan::default();
        let mut accounts = AccountRequests::default();
        let mut walk = Walk::new(message, &self.classes);
        while let Some(met) = walk.next() {
            if let Met::Container(_, kind, span) = met {
                // Credentials are refused either way; nothing is remembered.
                let (direction, descriptor) = (Direction::Outbound, &self.descriptor);
                let mut rules = EnvelopeRules {
                    descriptor,
                    accounts: &mut accounts,
                    direction,
                };
                plan.meet(&mut rules, message, (walk.depth(), kind, span));
            }
            let offset = met.span().start;
            if let Some(violation) = plan.refused_before(offset).or_else(|| judge(message, met)) {
                return Err(violation.into_error(message, walk.start()));
            }
        }
        match plan.refused_before(message.len()) {
            Some(refused) => Err(refused.into_error(message, walk.start())),
            None => Ok(()),
        }
    }
}
