//! What can be wrong with a descriptor file, in words.

use cassette_format::json::ScanError;

use super::shown::{listed, shown};

/// What is wrong at one place of a descriptor file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MistakeKind {
    /// The text is not of the format; nothing is said of its content then.
    #[error("not {format}: {problem}")]
    Syntax {
        /// `toml` or `json`.
        format: &'static str,
        /// What was expected, what was found.
        problem: String,
    },
    /// No descriptor has such a field.
    #[error("no such field{}", hint(*.nearest))]
    UnknownField {
        /// A field whose name is much like it.
        nearest: Option<&'static str>,
    },
    /// The field was there before.
    #[error("given twice")]
    Repeated,
    /// A field that must be there is not.
    #[error("missing; expected {expected}")]
    Missing {
        /// What should stand there.
        expected: String,
    },
    /// A value of another kind stands there.
    #[error("expected {expected}, found {found}")]
    WrongKind {
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// None of the values that the field can have.
    #[error("`{}` is not known; expected {}{}", shown(.value), listed(.known), hint(*.nearest))]
    UnknownValue {
        /// What stands there.
        value: String,
        /// What could stand there.
        known: Vec<&'static str>,
        /// One of them that is much like it.
        nearest: Option<&'static str>,
    },
    /// Nothing, or only white space.
    #[error("blank; expected {expected}")]
    Blank {
        /// What should stand there.
        expected: &'static str,
    },
    /// A name that is no other than that of another field.
    #[error("the same as `{}`", shown(.first))]
    SameAs {
        /// The field that has it first.
        first: String,
    },
    /// A name with a character that would steer a terminal or end a line.
    #[error("holds a control character")]
    ControlCharacter,
    /// A result that would be more than one message.
    #[error("has several lines; expected one, since a line is a message")]
    SeveralLines,
    /// A value that says nothing in the descriptor's dialect.
    #[error("means nothing in this dialect; expected `{expected}`")]
    OtherDialect {
        /// The dialect that knows it.
        expected: &'static str,
    },
    /// A version that this crate neither reads nor writes.
    #[error("version {found} is not known; expected {expected}")]
    Version {
        /// The version that is written there.
        found: u64,
        /// The only one that is known.
        expected: u64,
    },
    /// A result that is not one JSON value.
    #[error("the text is not json: {problem}")]
    NotJson {
        /// Where and why.
        problem: ScanError,
    },
    /// A result with something behind its JSON value.
    #[error("the text is more than one json value")]
    SeveralJsonValues,
    /// Not a pointer as RFC 6901 has it.
    #[error("`{}` is no json pointer: expected {expected}", shown(.pointer))]
    BadPointer {
        /// What stands there.
        pointer: String,
        /// The rule that it breaks.
        expected: &'static str,
    },
    /// A path where a name, or a path below a home directory, is wanted.
    #[error("`{}` would lead elsewhere; expected {expected}", shown(.path))]
    NotBelowHome {
        /// What stands there.
        path: String,
        /// What should stand there.
        expected: &'static str,
    },
}

fn hint(nearest: Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{nearest}`?")
    })
}
