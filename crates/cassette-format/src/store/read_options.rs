//! What a reader is told: how much it may take in, which providers it knows.

use std::collections::BTreeSet;

use crate::schema::{
    MAX_FRAME_BYTES, MAX_LINE_BYTES, MAX_MANIFEST_BYTES, MAX_STORED_BYTES, ProviderId,
};

/// How much a reader takes in before it refuses, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Largest `manifest.json`. Default 16 MiB; more than 4 GiB - 1 is read as
    /// that.
    pub max_manifest_bytes: u64,
    /// Largest `frames.jsonl`. Default 256 MiB; more than 4 GiB - 1 is read as
    /// that.
    pub max_stored_bytes: u64,
    /// Longest line, its line feed counted. Default 16 MiB.
    pub max_line_bytes: u64,
    /// Largest payload of one chunk: decoded data plus message. Default 8 MiB.
    pub max_frame_bytes: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_manifest_bytes: MAX_MANIFEST_BYTES,
            max_stored_bytes: MAX_STORED_BYTES,
            max_line_bytes: MAX_LINE_BYTES,
            max_frame_bytes: MAX_FRAME_BYTES,
        }
    }
}

/// How a cassette is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// How much is taken in.
    pub limits: ReadLimits,
    /// The providers whose connections are accepted; any when absent.
    pub providers: Option<BTreeSet<ProviderId>>,
}

impl ReadOptions {
    /// Accepts connections of these providers only.
    #[must_use]
    pub fn for_providers(mut self, providers: impl IntoIterator<Item = ProviderId>) -> Self {
        self.providers = Some(providers.into_iter().collect());
        self
    }

    /// With these limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: ReadLimits) -> Self {
        self.limits = limits;
        self
    }
}
