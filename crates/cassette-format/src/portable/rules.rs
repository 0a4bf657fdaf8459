//! What a caller adds to the rules of a provider.

use std::fmt;
use std::sync::Arc;

/// Replaces texts by a rule of its own.
///
/// Must be a function of its arguments alone: the replaying side applies it to
/// live messages before they are compared.
pub trait Redactor: Send + Sync {
    /// What stands in place of `text`, the value of the field `field`; `None` to
    /// leave it.
    fn redact(&self, field: &str, text: &str) -> Option<String>;
}

/// What a caller adds to the rules of a provider.
///
/// The order for each string: signatures are left; directories become tokens;
/// literals are replaced, in their order; the redactor is asked; what has come of
/// it is judged, so that a rule which touches a secret does not let it pass.
#[derive(Clone, Default)]
pub struct Rules {
    /// Further fields that hold paths.
    pub path_fields: Vec<String>,
    /// Further fields that hold secrets: no text, object or list may stand there.
    pub sensitive_fields: Vec<String>,
    /// Texts that are replaced wherever they stand in a string value.
    pub literals: Vec<Literal>,
    /// A rule of the caller's own, applied last.
    pub redactor: Option<Arc<dyn Redactor>>,
    /// Whether directories are made portable in strings that are no paths.
    pub free_text: FreeText,
    /// Whether each personal directory has a token of its own. For whoever makes the
    /// [`Roots`](super::Roots) of a connection, as a recorder does; a projection has
    /// them made.
    pub home_tokens: HomeTokens,
}

/// A text and what stands in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The text; an empty one is never found.
    pub text: String,
    /// What is recorded in its place.
    pub replacement: String,
}

/// Whether directories are made portable in strings that are no paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FreeText {
    /// They are left.
    #[default]
    Kept,
    /// They are replaced where a whole path stands.
    Mapped,
}

/// Whether each personal directory has a token of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HomeTokens {
    /// All share `${REPLAY_HOME}`; on replay it is this side's first. A path below
    /// another one comes back below the first.
    #[default]
    Shared,
    /// The first is `${REPLAY_HOME}`, the n-th `${REPLAY_HOME:n}`. Other programs that
    /// play cassettes may not know those.
    Numbered,
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("path_fields", &self.path_fields)
            .field("sensitive_fields", &self.sensitive_fields)
            .field("literals", &self.literals.len())
            .field("redactor", &self.redactor.is_some())
            .field("free_text", &self.free_text)
            .field("home_tokens", &self.home_tokens)
            .finish()
    }
}
