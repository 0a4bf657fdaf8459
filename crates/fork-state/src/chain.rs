//! What a fork that does not hold its whole history refers to.

use crate::chain_error::ChainError;
use crate::inspect::Inspection;
use crate::member::Member;
use crate::request::ProviderSessionId;

/// From where a session goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The session that goes on.
    pub(crate) session: ProviderSessionId,
    pub(crate) parent: ProviderSessionId,
    /// Bytes of the parent's transcript, decompressed.
    pub(crate) offset: u64,
    /// The ordinal that its next record would have.
    pub(crate) ordinal: u64,
}

impl Reference {
    /// What this transcript refers to, if anything.
    pub(crate) fn of(member: &Member) -> Option<Self> {
        let base = member.inspection.report.base.as_ref()?;
        Some(Self {
            session: member.session().clone(),
            parent: base.session.clone(),
            offset: base.end_byte_offset,
            ordinal: base.end_ordinal_exclusive,
        })
    }

    pub(crate) fn missing(&self) -> ChainError {
        ChainError::MissingParent {
            session: self.session.clone(),
            parent: self.parent.clone(),
        }
    }

    /// Whether the parent's transcript, read with this offset as boundary, has what
    /// is referred to.
    pub(crate) fn check(&self, parent: &Inspection) -> Result<(), ChainError> {
        let (session, offset) = (self.session.clone(), self.offset);
        let (name, size) = (self.parent.clone(), parent.report.size);
        if size < offset {
            return Err(ChainError::OutsideParent {
                session,
                parent: name,
                offset,
                size,
            });
        }
        let Some(boundary) = parent.boundary else {
            return Err(ChainError::InsideRecord {
                session,
                parent: name,
                offset,
            });
        };
        match boundary.next_ordinal {
            Some(found) if found != self.ordinal => Err(ChainError::Gap {
                session,
                parent: name,
                offset,
                expected: self.ordinal,
                found,
            }),
            _ => Ok(()),
        }
    }
}
