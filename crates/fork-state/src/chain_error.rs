//! What can be wrong with the transcripts that a fork refers to.

use crate::request::ProviderSessionId;

/// What can be wrong with the transcripts that a fork refers to
/// (`history_base` of a Codex rollout).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// A session is its own ancestor.
    #[error("session `{session}` is its own ancestor")]
    Cycle {
        /// The provider's session.
        session: ProviderSessionId,
    },
    /// There are more ancestors than any real fork has.
    #[error("session `{session}` has more than {limit} ancestors")]
    TooLong {
        /// The session that is bound.
        session: ProviderSessionId,
        /// How many are followed.
        limit: usize,
    },
    /// Neither home has the parent's transcript.
    #[error("session `{session}` goes on from `{parent}`, of which there is no transcript")]
    MissingParent {
        /// The session.
        session: ProviderSessionId,
        /// Its parent.
        parent: ProviderSessionId,
    },
    /// The parent's transcript ends before the place from which the session goes on.
    #[error("session `{session}` goes on from byte {offset} of `{parent}`, which has {size}")]
    OutsideParent {
        /// The session.
        session: ProviderSessionId,
        /// Its parent.
        parent: ProviderSessionId,
        /// Where it goes on, in decompressed bytes.
        offset: u64,
        /// How many there are.
        size: u64,
    },
    /// No record of the parent ends where the session goes on.
    #[error(
        "session `{session}` goes on from byte {offset} of `{parent}`, which is inside a record"
    )]
    InsideRecord {
        /// The session.
        session: ProviderSessionId,
        /// Its parent.
        parent: ProviderSessionId,
        /// Where it goes on, in decompressed bytes.
        offset: u64,
    },
    /// The record of the parent that ends there is another one than the session
    /// says.
    #[error(
        "session `{session}` goes on from record {expected} of `{parent}`, but byte {offset} is \
         where record {found} begins"
    )]
    Gap {
        /// The session.
        session: ProviderSessionId,
        /// Its parent.
        parent: ProviderSessionId,
        /// Where it goes on, in decompressed bytes.
        offset: u64,
        /// The ordinal that comes next, as the session says.
        expected: u64,
        /// The ordinal that comes next, as the parent says.
        found: u64,
    },
}
