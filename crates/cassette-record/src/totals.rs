//! What a tape holds, counted while it is written; the manifest shows it only when
//! the tape is complete.

use std::collections::BTreeMap;

use cassette_format::schema::{CassetteStatus, ChunkKind, FramesDigest, KindStats, Manifest};

#[derive(Debug, Default)]
pub(crate) struct Totals {
    frames: u64,
    payload_bytes: u64,
    stored_bytes: u64,
    max_frame_bytes: u64,
    kinds: BTreeMap<ChunkKind, KindStats>,
}

impl Totals {
    /// Counts a line.
    pub(crate) fn add(&mut self, kind: &ChunkKind, payload_bytes: u64, stored_bytes: u64) {
        self.frames += 1;
        self.payload_bytes += payload_bytes;
        self.stored_bytes += stored_bytes;
        self.max_frame_bytes = self.max_frame_bytes.max(payload_bytes);
        let kind = self.kinds.entry(kind.clone()).or_default();
        kind.add(payload_bytes, stored_bytes);
    }

    pub(crate) const fn frames(&self) -> u64 {
        self.frames
    }

    pub(crate) const fn stored_bytes(&self) -> u64 {
        self.stored_bytes
    }

    /// The manifest of the complete tape.
    pub(crate) fn complete(&self, manifest: Manifest, digest: FramesDigest) -> Manifest {
        Manifest {
            status: CassetteStatus::Complete,
            frame_count: self.frames,
            payload_bytes: self.payload_bytes,
            stored_bytes: self.stored_bytes,
            max_frame_bytes: self.max_frame_bytes,
            frames_by_kind: self.kinds.clone(),
            frames_sha256: digest,
            ..manifest
        }
    }
}
