//! How large a cassette may be. The numbers are part of the format
//! (`docs/format.md`); a reader may be told others.

/// Largest payload of one chunk, in bytes: 8 MiB.
pub const MAX_FRAME_BYTES: u64 = 8 * 1024 * 1024;

/// Largest `frames.jsonl`, in bytes: 256 MiB.
pub const MAX_STORED_BYTES: u64 = 256 * 1024 * 1024;

/// Longest line of `frames.jsonl`, its line feed counted, in bytes: 16 MiB.
pub const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// Largest `manifest.json`, in bytes: 16 MiB.
pub const MAX_MANIFEST_BYTES: u64 = 16 * 1024 * 1024;

/// The limits a tape was recorded under (`limits` of the manifest), in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TapeLimits {
    /// Largest payload of one chunk: decoded data plus message.
    pub max_frame_bytes: u64,
    /// Largest `frames.jsonl`.
    pub max_stored_bytes: u64,
}

impl Default for TapeLimits {
    fn default() -> Self {
        Self {
            max_frame_bytes: MAX_FRAME_BYTES,
            max_stored_bytes: MAX_STORED_BYTES,
        }
    }
}
