//! What an inspection may take.

/// What an inspection may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many bytes a compressed transcript may come to; 4 GiB by default.
    pub decompressed_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            decompressed_bytes: 4 << 30,
        }
    }
}
