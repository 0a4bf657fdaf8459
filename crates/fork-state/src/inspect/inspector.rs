//! Inspecting a content while it passes.

use super::digest::{Digests, TranscriptDigest};
use super::judge::{Identity, Judge, RecordLayout};
use super::report::TranscriptReport;
use super::scanner::RecordScanner;
use crate::ProviderSessionId;

/// What else is to be found out.
#[derive(Debug, Clone, Default)]
pub(crate) struct InspectOptions {
    /// The digests of the first so many bytes.
    pub(crate) beginnings: Vec<u64>,
    /// Whether a record ends behind so many bytes.
    pub(crate) boundary: Option<u64>,
}

/// Inspects a content that comes in buffers of any cut.
#[derive(Debug, Clone)]
pub(crate) struct Inspector {
    scanner: RecordScanner,
    digests: Digests,
}

/// What an inspection came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inspection {
    pub(crate) report: TranscriptReport,
    /// Whose transcript it is.
    pub(crate) identity: Identity,
    /// Those beginnings that were asked for and are not longer than the content, by
    /// their lengths.
    pub(crate) beginnings: Vec<(u64, TranscriptDigest)>,
    /// The boundary that was asked for, if a sound record and its line feed end there.
    pub(crate) boundary: Option<Boundary>,
}

/// A place at which a record ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Boundary {
    /// The ordinal that the next record should have, where the one before has one.
    pub(crate) next_ordinal: Option<u64>,
}

impl Inspector {
    /// An inspector of a transcript that should be the session's that is asked
    /// for. Without one, the first record that names one decides.
    pub(crate) fn new(
        layout: RecordLayout,
        asked: Option<&ProviderSessionId>,
        options: InspectOptions,
    ) -> Self {
        Self {
            scanner: RecordScanner::new(Judge::new(layout, asked), options.boundary),
            digests: Digests::new(options.beginnings),
        }
    }

    /// Reads the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.scanner.push(bytes);
        self.digests.push(bytes);
    }

    /// The content has ended.
    pub(crate) fn finish(self) -> Inspection {
        let scan = self.scanner.finish();
        let identity = scan.identity();
        let (sessions, base) = scan.judge.into_parts();
        let (damages, more_damages) = scan.damages.into_parts();
        let (notes, more_notes) = scan.notes.into_parts();
        let size = self.digests.size();
        let (sha256, beginnings) = self.digests.finish();
        let report = TranscriptReport {
            size,
            sha256,
            records: scan.records,
            is_compressed: false,
            sessions,
            base,
            damages,
            more_damages,
            notes,
            more_notes,
        };
        Inspection {
            report,
            identity,
            beginnings,
            boundary: scan.boundary,
        }
    }
}
