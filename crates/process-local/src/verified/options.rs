//! What a host may choose about verification.

use std::path::PathBuf;

/// How the bytes of an executable are held between their verification and the start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyOptions {
    /// The way.
    pub mode: VerifyMode,
    /// Where private copies are made; the directory for temporary files when absent. It
    /// must not be on a file system that is mounted `noexec`.
    pub copies: Option<PathBuf>,
}

/// The way in which the bytes of an executable are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum VerifyMode {
    /// [`Sealed`](Self::Sealed), else [`PrivateCopy`](Self::PrivateCopy).
    #[default]
    Auto,
    /// See [`Method::Sealed`](super::Method::Sealed).
    Sealed,
    /// See [`Method::Leased`](super::Method::Leased).
    Leased,
    /// See [`Method::PrivateCopy`](super::Method::PrivateCopy).
    PrivateCopy,
}
