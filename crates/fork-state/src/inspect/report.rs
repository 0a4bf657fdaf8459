//! What is known of a transcript after it was read to its end.

use super::damage::{Damage, Note};
use super::digest::TranscriptDigest;
use crate::ProviderSessionId;

/// What is known of a transcript after it was read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TranscriptReport {
    /// Bytes of the content, which is not compressed.
    pub size: u64,
    /// SHA-256 of the content.
    pub sha256: TranscriptDigest,
    /// Lines that are not blank.
    pub records: u64,
    /// Whether the file holds the content compressed.
    pub is_compressed: bool,
    /// The sessions that it names as its own: those of a rollout's first record,
    /// at most two, or the first one of a project file.
    pub sessions: Vec<ProviderSessionId>,
    /// What its history goes on from.
    pub base: Option<HistoryBase>,
    /// What is wrong, in the order of the lines; the first 100.
    pub damages: Vec<Damage>,
    /// How many more damages there are.
    pub more_damages: u64,
    /// What is odd, in the order of the lines; the first 100.
    pub notes: Vec<Note>,
    /// How many more notes there are.
    pub more_notes: u64,
}

/// The part of another rollout that a rollout goes on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryBase {
    /// The session of the other rollout.
    pub session: ProviderSessionId,
    /// The ordinal of the first record that is no part of it.
    pub end_ordinal_exclusive: u64,
    /// Where it ends: a byte of the other's content, which is not compressed.
    pub end_byte_offset: u64,
}

impl TranscriptReport {
    /// Whether every line that is not blank is a record as the layout has them,
    /// and there is one.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.damages.is_empty()
    }
}
