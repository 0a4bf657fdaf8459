//! What a single string becomes: on the tape, or back on the replaying side.

use super::field_class::FieldClass;
use super::file_uri;
use super::path_prefix::is_separator;
use super::raw_text::{inside_string, prefix_span, quoted};
use super::roots::Roots;
use super::rules::{FreeText, Rules};
use crate::descriptor::Spelling;
use crate::json::{Span, decode_string};

/// A change of one string: the bytes to replace, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) span: Span,
    pub(super) replacement: Vec<u8>,
}

/// What the string at `span` is recorded as; `None` when it stays. `field` is
/// the name of its field, decoded by the caller's rules only.
pub(super) fn recorded(
    (bytes, span): (&[u8], Span),
    (class, field): (FieldClass, Option<Span>),
    roots: &Roots,
    rules: &Rules,
) -> Option<Change> {
    if class == FieldClass::Signature {
        return None;
    }
    let text = decode_string(bytes, span);
    let mapped = match class {
        FieldClass::Path => path_recorded(&text, roots),
        _ if rules.free_text == FreeText::Mapped => free_text_recorded(&text, roots),
        _ => None,
    };
    let whole = match &mapped {
        Some(Mapped::Prefix(len, token)) => Some(format!("{token}{}", &text[*len..])),
        Some(Mapped::Whole(text)) => Some(text.clone()),
        None => None,
    };
    if let Some(ruled) = by_rules(whole.as_deref().unwrap_or(&text), bytes, field, rules) {
        return Some(Change {
            span,
            replacement: quoted(&ruled),
        });
    }
    Some(match mapped? {
        Mapped::Prefix(len, token) => Change {
            span: prefix_span(bytes, span, len),
            replacement: inside_string(&token),
        },
        Mapped::Whole(text) => Change {
            span,
            replacement: quoted(&text),
        },
    })
}

/// What the key at `span` is recorded as.
pub(super) fn key_recorded(bytes: &[u8], span: Span, roots: &Roots) -> Option<Change> {
    let text = decode_string(bytes, span);
    let found = roots.find(&text).filter(|_| text.contains(is_separator))?;
    let span = prefix_span(bytes, span, found.len);
    Some(Change {
        span,
        replacement: inside_string(found.token),
    })
}

/// Whether a text that is no path names one of the directories.
pub(super) fn names_a_root(text: &str, roots: &Roots) -> bool {
    free_text_recorded(text, roots).is_some()
}

/// How a text changes.
enum Mapped {
    /// Its first bytes become this.
    Prefix(usize, String),
    /// All of it becomes this.
    Whole(String),
}

fn path_recorded(text: &str, roots: &Roots) -> Option<Mapped> {
    let prefix = roots
        .find(text)
        .map(|found| (found.len, found.token.to_owned()))
        .or_else(|| {
            let path = file_uri::path_of(text).filter(|_| roots.spells(Spelling::FileUris))?;
            let found = roots.find(&path)?;
            Some((
                file_uri::raw_len(text, found.len),
                file_uri::with_token(found.token),
            ))
        });
    let rest = prefix.as_ref().map_or(text, |(len, _)| &text[*len..]);
    let Some(slugged) = slug_recorded(rest, roots) else {
        return prefix.map(|(len, token)| Mapped::Prefix(len, token));
    };
    let token = prefix.map(|(_, token)| token).unwrap_or_default();
    Some(Mapped::Whole(format!("{token}{slugged}")))
}

/// `text` with every segment that is the slug of the working directory replaced.
fn slug_recorded(text: &str, roots: &Roots) -> Option<String> {
    let slug = roots
        .cwd_slug()
        .filter(|slug| text.contains(slug.as_str()))?;
    replace_segments(text, &slug, &roots.cwd_slug_token())
}

/// `text` with every whole path segment `segment` replaced by `by`.
pub(super) fn replace_segments(text: &str, segment: &str, by: &str) -> Option<String> {
    let mut output = String::with_capacity(text.len());
    let mut changed = false;
    for piece in text.split_inclusive(is_separator) {
        let name = piece.trim_end_matches(is_separator);
        if name == segment {
            output.push_str(by);
            output.push_str(&piece[name.len()..]);
            changed = true;
        } else {
            output.push_str(piece);
        }
    }
    changed.then_some(output)
}

/// Replaces every place where a whole directory name stands in free text.
fn free_text_recorded(text: &str, roots: &Roots) -> Option<Mapped> {
    let mut output = String::with_capacity(text.len());
    let (mut copied, mut at) = (0, 0);
    let mut before: Option<char> = None;
    while let Some(character) = text[at..].chars().next() {
        let begins = !before.is_some_and(continues_name);
        let end = at + text[at..].find(ends_path).unwrap_or(text.len() - at);
        let found = if begins && end > at {
            roots.find(&text[at..end])
        } else {
            None
        };
        match found.filter(|found| found.len > 1) {
            Some(found) => {
                output.push_str(&text[copied..at]);
                output.push_str(found.token);
                at += found.len;
                copied = at;
                before = None;
            }
            None => {
                at += character.len_utf8();
                before = Some(character);
            }
        }
    }
    if copied == 0 {
        return None;
    }
    output.push_str(&text[copied..]);
    Some(Mapped::Whole(output))
}

/// Whether a path cannot begin behind this character.
fn continues_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '/' | '\\' | '.' | '-' | '_' | '~' | '}')
}

/// Whether a path in free text ends before this character.
fn ends_path(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '"' | '\'' | '`' | ',' | ';' | ':' | '(' | ')' | '[' | ']' | '<' | '>'
        )
}

/// What the caller's rules make of a text; `None` when they leave it.
fn by_rules(text: &str, bytes: &[u8], field: Option<Span>, rules: &Rules) -> Option<String> {
    let mut ruled: Option<String> = None;
    for literal in rules
        .literals
        .iter()
        .filter(|literal| !literal.text.is_empty())
    {
        let current = ruled.as_deref().unwrap_or(text);
        if current.contains(&literal.text) {
            ruled = Some(current.replace(&literal.text, &literal.replacement));
        }
    }
    if let Some(redactor) = &rules.redactor {
        let field = field
            .map(|span| decode_string(bytes, span))
            .unwrap_or_default();
        let redacted = redactor.redact(&field, ruled.as_deref().unwrap_or(text));
        ruled = redacted.or(ruled);
    }
    ruled.filter(|ruled| ruled != text)
}
