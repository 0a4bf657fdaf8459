//! What a binding is to do, or has done, file by file.

use std::path::PathBuf;

use crate::inspect::TranscriptDigest;
use crate::outcome::Outcome;
use crate::request::{ForkRequest, ProviderSessionId};

/// What a binding is to do, or has done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binding {
    /// What it comes to.
    pub outcome: Outcome,
    /// The transcripts of the fork, parents first. A fork that holds its whole
    /// history is one; one that refers to its parent's is several. Empty for
    /// [`Outcome::NoRolloutYet`] and [`Outcome::Unsupported`].
    pub files: Vec<BoundFile>,
    /// What else lies in the source's home and is never brought, by name:
    /// databases with absolute paths, locks, snapshots of environments,
    /// credentials, configuration. Sorted. Transcripts of other sessions are not
    /// listed.
    pub left_out: Vec<String>,
}

impl Binding {
    /// Whether the same is to be done. What else lies in the source's home makes no
    /// difference.
    pub(crate) fn is_still(&self, planned: &Self) -> bool {
        self.outcome == planned.outcome && self.files == planned.files
    }
}

/// One transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoundFile {
    /// The provider's session.
    pub session: ProviderSessionId,
    /// What is done.
    pub action: Action,
    /// The file in the source's home, below it; none where it has none.
    pub source: Option<PathBuf>,
    /// The file in the target's home, below it.
    pub target: PathBuf,
    /// Bytes of the transcript that the target has then, decompressed.
    pub bytes: u64,
    /// The digest of these.
    pub sha256: TranscriptDigest,
}

/// What is done about one transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// The target has it already; nothing is written.
    Kept,
    /// It is written where none was.
    Copied,
    /// The beginning of it that the target has is replaced.
    Replaced,
}

/// A binding that was looked into and not made. [`Binder::apply`](crate::Binder::apply)
/// makes it if the transcripts are as they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub(crate) request: ForkRequest,
    pub(crate) binding: Binding,
}

impl Plan {
    /// What was asked for.
    #[must_use]
    pub fn request(&self) -> &ForkRequest {
        &self.request
    }

    /// What is to be done.
    #[must_use]
    pub fn binding(&self) -> &Binding {
        &self.binding
    }
}
