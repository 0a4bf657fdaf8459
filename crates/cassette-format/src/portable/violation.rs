//! What may not be on a tape, judged value by value.

use super::field_class::FieldClass;
use super::raw_text::text_of;
use super::walk::{Met, Walk};
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
    #[error("field at `{path}` holds an absolute path")]
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
    /// The error about it in `bytes`.
    pub(super) fn into_error(self, bytes: &[u8]) -> ContentError {
        let path = path_at(bytes, self.offset);
        match self.kind {
            ViolationKind::CredentialMethod => ContentError::CredentialMethod { path },
            ViolationKind::SensitiveField => ContentError::SensitiveField { path },
            ViolationKind::NonPortablePath => ContentError::NonPortablePath { path },
        }
    }
}

/// Whether what was met last may be on a tape, as it stands.
pub(super) fn judge(bytes: &[u8], walk: &Walk<'_>, met: Met) -> Option<Violation> {
    use ViolationKind::SensitiveField;
    let kind = match met {
        Met::String(FieldClass::Plain | FieldClass::Signature, ..) => None,
        // The beginning of a path may be that of a known directory.
        Met::String(FieldClass::Path, ..) if walk.is_cut_off() => None,
        Met::String(class, span, _) => judge_text(class, &text_of(bytes, span)),
        Met::Scalar(FieldClass::Account, kind, _) => {
            (kind != TokenKind::Null).then_some(SensitiveField)
        }
        Met::Container(FieldClass::Credential | FieldClass::Account, ..) => Some(SensitiveField),
        _ => None,
    };
    let offset = met.span().start;
    kind.map(|kind| Violation { kind, offset })
}

/// What is wrong with a text as the value of a field of this class.
pub(super) fn judge_text(class: FieldClass, text: &str) -> Option<ViolationKind> {
    use ViolationKind::{NonPortablePath, SensitiveField};
    match class {
        FieldClass::Path => is_absolute(text).then_some(NonPortablePath),
        FieldClass::Email => {
            let nobody = text == PORTABLE_EMAIL || text.trim().is_empty();
            (!nobody).then_some(SensitiveField)
        }
        FieldClass::Credential | FieldClass::Account => {
            (!text.trim().is_empty()).then_some(SensitiveField)
        }
        FieldClass::Plain | FieldClass::Signature => None,
    }
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
