//! Identities that differ from run to run: what was recorded, and what stands for
//! it now.

use std::collections::HashMap;

/// A one-to-one relation between recorded identities and those of this run.
///
/// Blank texts are no identities. The portable values of generated fields stand
/// beside it: they stand for several values, one after the other.
#[derive(Debug, Clone, Default)]
pub struct Identities {
    sent: HashMap<String, String>,
    recorded: HashMap<String, String>,
    generated: HashMap<String, String>,
}

/// Two identities that cannot stand for each other, since one of them stands for
/// another already.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityConflict {
    /// The recorded one was sent as another.
    #[error("the recorded identity was sent as another before")]
    Recorded {
        /// As what it was sent.
        sent: String,
    },
    /// The one that is sent stands for another.
    #[error("the identity that is sent stands for another recorded one")]
    Sent {
        /// For what it stands.
        recorded: String,
    },
}

impl Identities {
    /// No identities.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What stands for a recorded identity now: of a generated field's portable
    /// value the one that was sent last.
    #[must_use]
    pub fn sent_for(&self, recorded: &str) -> Option<&str> {
        let sent = self.sent.get(recorded);
        sent.or_else(|| self.generated.get(recorded))
            .map(String::as_str)
    }

    /// Which recorded identity one of this run stands for.
    #[must_use]
    pub fn recorded_for(&self, sent: &str) -> Option<&str> {
        self.recorded.get(sent).map(String::as_str)
    }

    /// Whether none is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.generated.is_empty()
    }

    /// Relates two identities.
    ///
    /// # Errors
    /// If one of them is related to another already; nothing changes then.
    pub fn bind(&mut self, recorded: &str, sent: &str) -> Result<(), IdentityConflict> {
        if is_blank(recorded) || is_blank(sent) || self.related(recorded, sent)? {
            return Ok(());
        }
        self.sent.insert(recorded.to_owned(), sent.to_owned());
        self.recorded.insert(sent.to_owned(), recorded.to_owned());
        Ok(())
    }

    /// Whether two identities are related.
    ///
    /// # Errors
    /// If they cannot be, since one of them is related to another.
    pub fn related(&self, recorded: &str, sent: &str) -> Result<bool, IdentityConflict> {
        match self.sent.get(recorded) {
            Some(bound) if bound == sent => return Ok(true),
            Some(bound) => {
                let sent = bound.clone();
                return Err(IdentityConflict::Recorded { sent });
            }
            None => {}
        }
        match self.recorded.get(sent) {
            Some(bound) => {
                let recorded = bound.clone();
                Err(IdentityConflict::Sent { recorded })
            }
            None => Ok(false),
        }
    }

    /// Remembers what was sent for a generated field's portable value.
    pub(super) fn generate(&mut self, portable: &str, sent: &str) {
        self.generated.insert(portable.to_owned(), sent.to_owned());
    }
}

pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_relation_is_one_to_one_and_a_conflict_changes_nothing() {
        let mut identities = Identities::new();
        identities.bind("a", "x").unwrap();
        identities.bind("a", "x").unwrap();
        let sent = "x".to_owned();
        assert_eq!(
            identities.bind("a", "y"),
            Err(IdentityConflict::Recorded { sent })
        );
        let recorded = "a".to_owned();
        assert_eq!(
            identities.bind("b", "x"),
            Err(IdentityConflict::Sent { recorded })
        );
        assert_eq!(identities.bind("b", "y"), Ok(()));
        assert_eq!(identities.sent_for("b"), Some("y"));
        assert_eq!(identities.recorded_for("x"), Some("a"));
    }

    #[test]
    fn blank_texts_are_no_identities() {
        let mut identities = Identities::new();
        identities.bind("a", "  ").unwrap();
        identities.bind("", "x").unwrap();
        assert!(identities.is_empty());
    }

    #[test]
    fn a_generated_value_stands_for_what_was_sent_last() {
        let mut identities = Identities::new();
        identities.generate("plan:<any>", "plan:1");
        identities.generate("plan:<any>", "plan:2");
        assert_eq!(identities.sent_for("plan:<any>"), Some("plan:2"));
        assert_eq!(identities.recorded_for("plan:2"), None);
    }
}
