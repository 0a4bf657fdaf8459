//! Whether a message may be on a tape: the judgement of the recording side,
//! without its edits.

use super::Rules;
use super::credentials::CredentialMethods;
use super::field_class::FieldClasses;
use super::violation::{ContentError, judge};
use super::walk::Walk;
use crate::descriptor::Descriptor;

/// Audits the messages of one connection.
#[derive(Debug, Clone)]
pub struct Audit {
    classes: FieldClasses,
    credentials: CredentialMethods,
}

impl Audit {
    /// The audit of a connection of `descriptor`'s provider.
    #[must_use]
    pub fn new(descriptor: &Descriptor, rules: &Rules) -> Self {
        Self {
            classes: FieldClasses::new(descriptor, rules),
            credentials: CredentialMethods::new(descriptor),
        }
    }

    /// Whether `message` may be on a tape as it stands.
    ///
    /// # Errors
    /// The first content in document order that may not.
    pub fn message(&self, message: &[u8]) -> Result<(), ContentError> {
        let mut walk = Walk::new(message, &self.classes);
        while let Some(met) = walk.next() {
            let credential = self.credentials.judge(message, &walk, met);
            if let Some(violation) = credential.or_else(|| judge(message, &walk, met)) {
                return Err(violation.into_error(message));
            }
        }
        Ok(())
    }
}
