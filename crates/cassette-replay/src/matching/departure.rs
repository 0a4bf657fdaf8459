//! One place where a message departs from the recorded one.

use std::fmt;

use cassette_format::json::ScanError;

/// One place where a message departs from the recorded one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// Where, such as `$.params.items[3].cwd`; keys that are no plain names stay
    /// hidden.
    pub path: String,
    /// In what way.
    pub kind: DepartureKind,
}

/// In what way a message departs from the recorded one.
///
/// Values are shown as JSON, on one line and shortened; objects and lists only by
/// their size. What may be secret is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DepartureKind {
    /// Another value of the same type.
    Value {
        /// What was recorded.
        expected: String,
        /// What was sent.
        found: String,
    },
    /// A value of another type.
    Type {
        /// What was recorded.
        expected: String,
        /// What was sent.
        found: String,
    },
    /// A member, or a whole message, was not sent.
    Missing {
        /// What was recorded.
        expected: String,
    },
    /// A member, or a whole message, was not recorded.
    Unexpected {
        /// What was sent.
        found: String,
    },
    /// A list has another length.
    Length {
        /// How many elements were recorded.
        expected: usize,
        /// How many were sent.
        found: usize,
    },
    /// An answer is to another request.
    AnswerId {
        /// The id that the agent gave its request.
        expected: String,
        /// The id that was answered.
        found: String,
    },
    /// An identity cannot stand for the recorded one.
    Identity {
        /// What was recorded.
        expected: String,
        /// What was sent.
        found: String,
        /// Why not.
        bound: Bound,
    },
    /// What was sent is no JSON.
    NotJson {
        /// Why not, and where.
        error: Option<ScanError>,
    },
    /// Something that is no JSON follows what was sent.
    TextBehind {
        /// The offset of the first byte that does not fit.
        offset: usize,
    },
    /// What is compared byte for byte differs: no JSON was recorded, or one of both
    /// is too deep to be read.
    Bytes {
        /// The first byte that differs, from 0.
        offset: usize,
        /// How many bytes were recorded.
        expected_len: usize,
        /// How many were sent.
        found_len: usize,
    },
}

/// To what one of two identities is bound already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    /// The recorded one was sent as this one before.
    SentAs(String),
    /// The one that was sent stands for this recorded one.
    StandsFor(String),
}

impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{}", self.kind)
    }
}

impl fmt::Display for DepartureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { expected, found } | Self::Type { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            Self::Missing { expected } => write!(f, "missing, expected {expected}"),
            Self::Unexpected { found } => write!(f, "unexpected, found {found}"),
            Self::Length { expected, found } => {
                write!(f, "expected {}, found {found}", elements(*expected))
            }
            Self::AnswerId { expected, found } => {
                write!(
                    f,
                    "expected an answer to request {expected}, found one to {found}"
                )
            }
            Self::Identity {
                expected,
                found,
                bound,
            } => write!(f, "found {found} for the recorded {expected}, {bound}"),
            Self::NotJson { error: Some(error) } => write!(f, "what was sent is no JSON: {error}"),
            Self::NotJson { error: None } => f.write_str("what was sent is no JSON"),
            Self::TextBehind { offset } => {
                write!(
                    f,
                    "what was sent is no JSON from byte {offset} on, behind a whole message"
                )
            }
            Self::Bytes {
                offset,
                expected_len,
                found_len,
            } => write!(
                f,
                "expected {expected_len} bytes, found {found_len} that differ at byte {offset}"
            ),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SentAs(sent) => write!(f, "which was sent as {sent} before"),
            Self::StandsFor(recorded) => write!(f, "but it stands for {recorded}"),
        }
    }
}

fn elements(count: usize) -> String {
    match count {
        1 => "1 element".to_owned(),
        count => format!("{count} elements"),
    }
}
