//! What a whole tape holds.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{ConnectionSummary, MessageSummary, Summarizer};
use crate::descriptor::Registry;
use crate::schema::{ChunkKind, ElapsedMs, KindStats};
use crate::store::{RawTape, Tape, TapePrefix};

/// A tape in numbers. Shown as a text of several tables; as JSON by serde.
///
/// Bytes stored count each line with its line feed, so that they are one more than
/// the file has where its last line lacks it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Summary {
    /// All chunks.
    pub total: KindStats,
    /// The chunks of each kind, also of such as this version does not know.
    pub frames_by_kind: BTreeMap<ChunkKind, KindStats>,
    /// When the last chunk passed, since the capture began.
    #[serde(rename = "durationMs")]
    pub duration: ElapsedMs,
    /// Chunks of connections that the manifest does not list; in no other part but
    /// the two sums above.
    pub unlisted: KindStats,
    /// Lines that do not read as chunks; in no sum.
    pub unreadable_lines: u64,
    /// The messages of all connections together.
    pub messages: MessageSummary,
    /// Each connection, in the order of the manifest.
    pub connections: Vec<ConnectionSummary>,
}

impl Summary {
    /// What a verified tape holds.
    #[must_use]
    pub fn of(tape: &Tape, registry: &Registry) -> Self {
        let mut summarizer = Summarizer::new(tape.manifest(), registry);
        tape.chunks().for_each(|chunk| summarizer.chunk(&chunk));
        summarizer.finish()
    }

    /// What is left of a tape.
    #[must_use]
    pub fn of_prefix(prefix: &TapePrefix, registry: &Registry) -> Self {
        let mut summarizer = Summarizer::new(prefix.manifest(), registry);
        prefix.chunks().for_each(|chunk| summarizer.chunk(&chunk));
        summarizer.finish()
    }

    /// What can be read of a tape that nothing is known of.
    #[must_use]
    pub fn of_raw(tape: &RawTape, registry: &Registry) -> Self {
        let mut summarizer = Summarizer::new(tape.manifest(), registry);
        for line in tape.lines() {
            match line {
                Ok(line) => summarizer.line(&line),
                Err(_) => summarizer.unreadable_line(),
            }
        }
        summarizer.finish()
    }
}
