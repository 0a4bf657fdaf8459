//! Reading named fields of a JSON object by position, strictly: no field
//! twice, none in another case, numbers only where they are written as such.

use std::fmt;

use super::quoted::quoted;
use crate::json::{
    Member, ScanError, Scanner, Span, Value, ValueKind, as_i64, as_u64, decode_string, members,
};
use crate::schema::{UnknownField, UnknownFields};

/// One field of a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct FieldError {
    /// The field, as an RFC 6901 pointer; empty for the whole text.
    pub pointer: String,
    /// The line in the text that was read, from 1; `None` where that text is
    /// itself one line of a file.
    pub line: Option<u64>,
    /// The byte in that line, from 1.
    pub column: u64,
    /// What is wrong with it.
    pub problem: FieldProblem,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldProblem {
    /// The text is not JSON.
    #[error("not json: expected {}, found {}", .0.expected, .0.found)]
    NotJson(ScanError),
    /// There is nothing.
    #[error("nothing is there")]
    Nothing,
    /// More follows the object.
    #[error("more text follows")]
    TrailingText,
    /// The value is of another kind.
    #[error("found {found}, expected {expected}")]
    WrongKind {
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// The value is a number, but not one that the field can hold.
    #[error("found the number {}, expected {expected}", quoted(found))]
    WrongNumber {
        /// What it should be.
        expected: &'static str,
        /// The number as it stands there.
        found: String,
    },
    /// The field stands there twice.
    #[error("the field is there twice")]
    Twice,
    /// The field is spelled with another case.
    #[error("found {}, which differs only by case", quoted(found))]
    Miscased {
        /// The spelling there.
        found: String,
    },
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pointer,
            line,
            column,
            problem,
        } = self;
        if let Some(line) = line {
            write!(f, "line {line} ")?;
        }
        write!(f, "column {column}")?;
        if !pointer.is_empty() {
            write!(f, ", field {}", quoted(pointer))?;
        }
        write!(f, ": {problem}")
    }
}

/// An object whose known fields have been found.
pub(super) struct Object<'t, const N: usize> {
    text: &'t [u8],
    pointer: String,
    names: [&'static str; N],
    found: [Option<Value>; N],
    /// Members with other names.
    pub(super) others: Vec<Member>,
}

/// The one value that `text` consists of.
pub(super) fn sole_value(text: &[u8]) -> Result<Value, FieldError> {
    let mut scanner = Scanner::new(text);
    let not_json = |error: ScanError| problem(text, error.offset, "", FieldProblem::NotJson(error));
    let Some(value) = scanner.skip_value().map_err(not_json)? else {
        return Err(problem(text, 0, "", FieldProblem::Nothing));
    };
    match scanner.skip_value() {
        Ok(None) => Ok(value),
        Ok(Some(more)) => Err(problem(
            text,
            more.span.start,
            "",
            FieldProblem::TrailingText,
        )),
        Err(_) => Err(problem(
            text,
            value.span.end,
            "",
            FieldProblem::TrailingText,
        )),
    }
}

/// The error of what stands at `offset` of `text`.
pub(super) fn problem(
    text: &[u8],
    offset: usize,
    pointer: impl Into<String>,
    problem: FieldProblem,
) -> FieldError {
    let before = &text[..offset.min(text.len())];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    FieldError {
        pointer: pointer.into(),
        line: Some(memchr::memchr_iter(b'\n', before).count() as u64 + 1),
        column: (before.len() - line_start) as u64 + 1,
        problem,
    }
}

impl<'t, const N: usize> Object<'t, N> {
    /// Finds the fields `names` of the object `value`. A field whose value is
    /// `null` counts as absent.
    pub(super) fn read(
        text: &'t [u8],
        value: Value,
        pointer: impl Into<String>,
        names: [&'static str; N],
    ) -> Result<Self, FieldError> {
        let pointer = pointer.into();
        let mut object = Self {
            text,
            pointer,
            names,
            found: [None; N],
            others: Vec::new(),
        };
        if value.kind != ValueKind::Object {
            return Err(wrong_kind(text, value, object.pointer, "an object"));
        }
        let mut seen = [false; N];
        for member in members(text, value.span) {
            let member = member.map_err(|error| {
                problem(
                    text,
                    error.offset,
                    &*object.pointer,
                    FieldProblem::NotJson(error),
                )
            })?;
            let key = decode_string(text, member.key);
            let Some(at) = names.iter().position(|name| equal_but_for_case(name, &key)) else {
                object.others.push(member);
                continue;
            };
            let refuse = |wrong: FieldProblem| {
                problem(text, member.key.start, object.pointer_to(names[at]), wrong)
            };
            if names[at] != key {
                return Err(refuse(FieldProblem::Miscased {
                    found: key.into_owned(),
                }));
            }
            if std::mem::replace(&mut seen[at], true) {
                return Err(refuse(FieldProblem::Twice));
            }
            object.found[at] = Some(member.value).filter(|value| value.kind != ValueKind::Null);
        }
        Ok(object)
    }

    /// The field's value, unread.
    pub(super) fn value(&self, name: &'static str) -> Option<Value> {
        let at = self.names.iter().position(|known| *known == name)?;
        self.found[at]
    }

    /// An integer of 0 to 2^64 - 1; 0 when absent.
    pub(super) fn unsigned(&self, name: &'static str) -> Result<u64, FieldError> {
        let Some(value) = self.value(name) else {
            return Ok(0);
        };
        let expected = "an integer of 0 to 2^64 - 1";
        as_u64(self.text, value.span).ok_or_else(|| self.wrong_number(value, name, expected))
    }

    /// An integer of 64 bits with sign.
    pub(super) fn signed(&self, name: &'static str) -> Result<Option<i64>, FieldError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let read = as_i64(self.text, value.span).map(Some);
        read.ok_or_else(|| self.wrong_number(value, name, "an integer of 64 bits"))
    }

    fn wrong_number(&self, value: Value, name: &str, expected: &'static str) -> FieldError {
        let pointer = self.pointer_to(name);
        if value.kind != ValueKind::Number {
            return wrong_kind(self.text, value, pointer, expected);
        }
        let found = String::from_utf8_lossy(value.span.text(self.text)).into_owned();
        let wrong = FieldProblem::WrongNumber { expected, found };
        problem(self.text, value.span.start, pointer, wrong)
    }

    /// A string's position, quotes included.
    pub(super) fn string_span(&self, name: &'static str) -> Result<Option<Span>, FieldError> {
        match self.value(name) {
            None => Ok(None),
            Some(value) if value.kind == ValueKind::String => Ok(Some(value.span)),
            Some(value) => Err(wrong_kind(
                self.text,
                value,
                self.pointer_to(name),
                "a string",
            )),
        }
    }

    /// A string, decoded; `None` when absent.
    pub(super) fn string(&self, name: &'static str) -> Result<Option<String>, FieldError> {
        let span = self.string_span(name)?;
        Ok(span.map(|span| decode_string(self.text, span).into_owned()))
    }

    /// A string, decoded; empty when absent.
    pub(super) fn text(&self, name: &'static str) -> Result<String, FieldError> {
        self.string(name).map(Option::unwrap_or_default)
    }

    /// A list's value, checked to be one.
    pub(super) fn list(&self, name: &'static str) -> Result<Option<Value>, FieldError> {
        match self.value(name) {
            Some(value) if value.kind != ValueKind::Array => Err(wrong_kind(
                self.text,
                value,
                self.pointer_to(name),
                "a list",
            )),
            other => Ok(other),
        }
    }

    /// The fields that are not known, as they were written.
    pub(super) fn unknown(&self) -> UnknownFields {
        let keep = |member: &Member| {
            let written = |span: Span| String::from_utf8_lossy(span.text(self.text)).into_owned();
            let key = decode_string(self.text, member.key).into_owned();
            UnknownField::from_scanned(key, written(member.key), written(member.value.span))
        };
        self.others.iter().map(keep).collect()
    }

    /// The pointer of a field of this object.
    pub(super) fn pointer_to(&self, name: &str) -> String {
        if name.is_empty() {
            return self.pointer.clone();
        }
        format!(
            "{}/{}",
            self.pointer,
            name.replace('~', "~0").replace('/', "~1")
        )
    }
}

/// Whether the known name and the key are the same to a reader that ignores
/// case. The two letters beyond ASCII are those that the reference folds too.
fn equal_but_for_case(name: &str, key: &str) -> bool {
    let fold = |character| match character {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    name.eq_ignore_ascii_case(key)
        || !key.is_ascii() && key.chars().map(fold).eq(name.chars().map(fold))
}

/// The error of a value of the wrong kind.
pub(super) fn wrong_kind(
    text: &[u8],
    value: Value,
    pointer: impl Into<String>,
    expected: &'static str,
) -> FieldError {
    let found = match value.kind {
        ValueKind::Object => "an object",
        ValueKind::Array => "a list",
        ValueKind::String => "a string",
        ValueKind::Number => "a number",
        ValueKind::True | ValueKind::False => "a truth value",
        ValueKind::Null => "null",
    };
    problem(
        text,
        value.span.start,
        pointer,
        FieldProblem::WrongKind { expected, found },
    )
}
