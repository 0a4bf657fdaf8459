//! What may not be on a tape, judged value by value.

use super::field_class::{FieldClass, text_of};
use super::walk::Met;
use crate::json::{TokenKind, path_at};

/// The e-mail address that stands for any account's.
pub const PORTABLE_EMAIL: &str = "replay-user@example.invalid";

/// A message holds what may not be on a tape. Names the place, never the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// Its method carries credentials.
    #[error("method at `{path}` carries credentials")]
    CredentialMethod {
        /// The place, such as `$.method`.
        path: String,
    },
    /// A field holds something personal or secret.
    #[error("field at `{path}` holds personal or secret content")]
    SensitiveField {
        /// The place.
        path: String,
    },
    /// A path field holds an absolute path outside every known directory.
    #[error("field at `{path}` holds an absolute path outside the known directories")]
    NonPortablePath {
        /// The place.
        path: String,
    },
}

/// The kind of a violation and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Violation {
    pub(super) kind: ViolationKind,
    pub(super) offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ViolationKind {
    CredentialMethod,
    SensitiveField,
    NonPortablePath,
}

impl Violation {
    pub(super) fn into_error(self, bytes: &[u8]) -> ContentError {
        let path = path_at(bytes, self.offset);
        match self.kind {
            ViolationKind::CredentialMethod => ContentError::CredentialMethod { path },
            ViolationKind::SensitiveField => ContentError::SensitiveField { path },
            ViolationKind::NonPortablePath => ContentError::NonPortablePath { path },
        }
    }
}

/// Whether what was met may be on a tape, as it stands.
pub(super) fn judge(bytes: &[u8], met: Met) -> Option<Violation> {
    use ViolationKind::{NonPortablePath, SensitiveField};
    let (kind, offset) = match met {
        Met::String(FieldClass::Path, span, _) => {
            let absolute = is_absolute(&text_of(bytes, span));
            (absolute.then_some(NonPortablePath), span.start)
        }
        Met::String(FieldClass::Email, span, _) => {
            let other = text_of(bytes, span) != PORTABLE_EMAIL;
            (other.then_some(SensitiveField), span.start)
        }
        Met::String(FieldClass::Credential | FieldClass::Account, span, _) => {
            let filled = !text_of(bytes, span).trim().is_empty();
            (filled.then_some(SensitiveField), span.start)
        }
        Met::Scalar(FieldClass::Account, kind, span) => (
            (kind != TokenKind::Null).then_some(SensitiveField),
            span.start,
        ),
        Met::Container(FieldClass::Credential | FieldClass::Account, _, span) => {
            (Some(SensitiveField), span.start)
        }
        _ => (None, 0),
    };
    kind.map(|kind| Violation { kind, offset })
}

/// `/…`, `\…`, `C:\…`, `C:/…`, also behind `file://` and white space.
pub(super) fn is_absolute(path: &str) -> bool {
    let path = path.trim();
    let path = path.strip_prefix("file://").unwrap_or(path);
    match path.as_bytes() {
        [b'/' | b'\\', ..] => true,
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}
