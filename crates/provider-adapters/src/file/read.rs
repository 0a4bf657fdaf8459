//! The ways in: a file, a text.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cassette_format::descriptor::Descriptor;
use cassette_format::json::{ScanError, Scanner, Value};
use toml::de::DeTable;

use super::findings::Findings;
use super::node::Node;
use super::{DescriptorMistake, DescriptorMistakes, MistakeKind, fields};

/// How long a descriptor file may be: 1 MiB.
pub const MAX_DESCRIPTOR_BYTES: u64 = 1024 * 1024;

/// A descriptor file that was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptorFileError {
    /// Its name says neither of the formats.
    #[error("descriptor file `{}` is named neither `.toml` nor `.json`", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be opened or read.
    #[error("descriptor file `{}` cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is a directory, a pipe, a device.
    #[error("descriptor file `{}` is no regular file", path.display())]
    NotAFile {
        /// The file.
        path: PathBuf,
    },
    /// It is longer than [`MAX_DESCRIPTOR_BYTES`].
    #[error("descriptor file `{}` is longer than {MAX_DESCRIPTOR_BYTES} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// It is not UTF-8.
    #[error("{}:{line}: not utf-8", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// The line of the first byte that is none, from 1.
        line: usize,
    },
    /// It says something that a descriptor cannot say: one line a mistake, as
    /// `path:line:column: field: what`, then `and N more` if there are more than
    /// are told.
    #[error("{}", Placed(path, mistakes))]
    Mistakes {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        mistakes: DescriptorMistakes,
    },
}

/// Reads a descriptor file, TOML or JSON as its name ends.
///
/// A link is followed; a pipe or a device is refused without being opened.
///
/// # Errors
/// See [`DescriptorFileError`]; the mistakes of the content are told at once.
pub fn read_descriptor(path: &Path) -> Result<Descriptor, DescriptorFileError> {
    let parse = match path.extension() {
        Some(end) if end.eq_ignore_ascii_case("toml") => parse_toml,
        Some(end) if end.eq_ignore_ascii_case("json") => parse_json,
        _ => {
            return Err(DescriptorFileError::UnknownFormat {
                path: path.to_owned(),
            });
        }
    };
    let text = read_text(path)?;
    parse(&text).map_err(|mistakes| DescriptorFileError::Mistakes {
        path: path.to_owned(),
        mistakes,
    })
}

/// The descriptor that a TOML text is.
///
/// # Errors
/// What is wrong with it, in the order of the text. Of a text that is
/// not TOML, where it is not, at most once a line, and no more.
pub fn parse_toml(text: &str) -> Result<Descriptor, DescriptorMistakes> {
    let mut findings = Findings::default();
    let (table, errors) = DeTable::parse_recoverable(text);
    let descriptor = if errors.iter().all(is_repetition) {
        for error in &errors {
            let key = error.span().unwrap_or_default();
            let name = text.get(key.clone()).unwrap_or_default();
            findings.add(
                key.start,
                name.trim_matches(['"', '\'']),
                MistakeKind::Repeated,
            );
        }
        fields::descriptor(Node::of_toml(table.get_ref()), &mut findings)
    } else {
        not_toml(text, errors, &mut findings);
        None
    };
    outcome(text, descriptor, findings)
}

/// The descriptor that a JSON text is.
///
/// # Errors
/// What is wrong with it, in the order of the text. A text that is
/// not one JSON value is told so and no more.
pub fn parse_json(text: &str) -> Result<Descriptor, DescriptorMistakes> {
    let mut findings = Findings::default();
    let descriptor = match one_value(text.as_bytes()) {
        Ok(value) => fields::descriptor(Node::of_json(text.as_bytes(), value), &mut findings),
        Err((offset, problem)) => {
            findings.add(
                offset,
                "",
                MistakeKind::Syntax {
                    format: "json",
                    problem,
                },
            );
            None
        }
    };
    outcome(text, descriptor, findings)
}

/// The paths and mistakes of a file, one line each.
struct Placed<'a>(&'a Path, &'a DescriptorMistakes);

impl fmt::Display for Placed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.1.write(f, &format!("{}:", self.0.display()))
    }
}

/// The descriptor, if nothing is wrong with it.
fn outcome(
    text: &str,
    descriptor: Option<Descriptor>,
    findings: Findings,
) -> Result<Descriptor, DescriptorMistakes> {
    match (findings.into_mistakes(text), descriptor) {
        (None, Some(descriptor)) => Ok(descriptor),
        (Some(mistakes), _) => Err(mistakes),
        // A descriptor is left out only with a finding; told rather than relied on.
        (None, None) => {
            let kind = MistakeKind::Missing {
                expected: "a descriptor".into(),
            };
            let (line, column, field) = (1, 1, String::new());
            let told = vec![DescriptorMistake {
                line,
                column,
                field,
                kind,
            }];
            Err(DescriptorMistakes::new(told, 0))
        }
    }
}

/// Whether a field is given twice, which leaves the rest of the text readable.
fn is_repetition(error: &toml::de::Error) -> bool {
    error.message().trim_end() == "duplicate key" && error.span().is_some()
}

/// Notes where a text is not TOML. What follows on the same line mostly follows
/// from it.
fn not_toml(text: &str, errors: Vec<toml::de::Error>, findings: &mut Findings) {
    let place = |error: &toml::de::Error| error.span().map_or(text.len(), |span| span.start);
    let mut errors: Vec<_> = errors
        .into_iter()
        .map(|error| (place(&error), error))
        .collect();
    errors.sort_by_key(|(offset, _)| *offset);
    let mut told: Option<usize> = None;
    for (offset, error) in errors {
        let between = told.map_or(Some("\n"), |told| text.get(told..offset));
        if between.is_none_or(|between| between.contains('\n')) {
            let problem = error.message().trim_end().to_owned();
            findings.add(
                offset,
                "",
                MistakeKind::Syntax {
                    format: "toml",
                    problem,
                },
            );
            told = Some(offset);
        }
    }
}

/// The one value of a JSON text; else where it goes wrong, and how.
fn one_value(text: &[u8]) -> Result<Value, (usize, String)> {
    let wrong = |error: ScanError| {
        (
            error.offset,
            format!("expected {}, found {}", error.expected, error.found),
        )
    };
    let mut scanner = Scanner::new(text);
    let first = scanner.skip_value().map_err(wrong)?;
    let value = first.ok_or_else(|| (text.len(), "expected a value, found the end".to_owned()))?;
    match scanner.skip_value().map_err(wrong)? {
        None => Ok(value),
        Some(second) => Err((
            second.span.start,
            "expected the end, found another value".to_owned(),
        )),
    }
}

fn read_text(path: &Path) -> Result<String, DescriptorFileError> {
    let unreadable = |source| DescriptorFileError::Unreadable {
        path: path.to_owned(),
        source,
    };
    // Before opening, since opening a pipe waits for its other end.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(DescriptorFileError::NotAFile {
            path: path.to_owned(),
        });
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_DESCRIPTOR_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_DESCRIPTOR_BYTES {
        return Err(DescriptorFileError::TooLong {
            path: path.to_owned(),
        });
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        DescriptorFileError::NotText {
            path: path.to_owned(),
            line,
        }
    })
}
