//! Methods whose messages carry credentials.

use super::raw_text::text_of;
use super::violation::{Violation, ViolationKind};
use super::walk::{Met, Walk};
use crate::descriptor::Descriptor;

/// The methods of a provider that carry credentials. They compare after
/// trimming, without case.
#[derive(Debug, Clone)]
pub(super) struct CredentialMethods {
    folded: Vec<String>,
}

impl CredentialMethods {
    pub(super) fn new(descriptor: &Descriptor) -> Self {
        let listed = descriptor.credential_methods.iter();
        Self {
            folded: listed.map(|method| folded(method)).collect(),
        }
    }

    /// The violation, if what was met last is such a method. Every duplicate is
    /// judged, since each may be the one that is acted on.
    pub(super) fn judge(&self, bytes: &[u8], walk: &Walk<'_>, met: Met) -> Option<Violation> {
        let Met::String(_, span, Some(key)) = met else {
            return None;
        };
        if self.folded.is_empty() || !walk.is_method(key) {
            return None;
        }
        let (kind, offset) = (ViolationKind::CredentialMethod, span.start);
        let is_listed = self.lists(text_of(bytes, span).trim());
        is_listed.then_some(Violation { kind, offset })
    }

    fn lists(&self, method: &str) -> bool {
        if method.is_ascii() {
            let mut listed = self.folded.iter();
            return listed.any(|listed| listed.eq_ignore_ascii_case(method));
        }
        self.folded.contains(&folded(method))
    }
}

fn folded(method: &str) -> String {
    method.trim().to_lowercase()
}
