//! Values of fields: texts, pointers, lists, one of several names.

use cassette_format::json::Scanner;

use super::MistakeKind;
use super::findings::Findings;
use super::nearest::nearest;
use super::pointer::broken_rule;
use super::shown::listed;
use super::table::{Field, Table};

/// The values of a field that takes one of several names.
pub(super) type Choices<T> = [(&'static str, T)];

/// A text that is not blank.
pub(super) fn text(field: &Field<'_>, findings: &mut Findings) -> Option<String> {
    let Some(text) = field.node.text() else {
        let kind = MistakeKind::WrongKind {
            expected: "a text",
            found: field.node.kind(),
        };
        findings.add(field.node.offset, &field.path, kind);
        return None;
    };
    if text.trim().is_empty() {
        let kind = MistakeKind::Blank { expected: "a text" };
        findings.add(field.node.offset, &field.path, kind);
        return None;
    }
    Some(text.into_owned())
}

/// A text that identifies something, and is shown to people.
pub(super) fn identity(field: &Field<'_>, findings: &mut Findings) -> Option<String> {
    let text = text(field, findings)?;
    if text.chars().any(char::is_control) {
        findings.add(
            field.node.offset,
            &field.path,
            MistakeKind::ControlCharacter,
        );
        return None;
    }
    Some(text)
}

/// A text that is one JSON value.
pub(super) fn json_text(field: &Field<'_>, findings: &mut Findings) -> Option<String> {
    let text = text(field, findings)?;
    let mut scanner = Scanner::new(text.as_bytes());
    let kind = match scanner.skip_value().and_then(|_| scanner.skip_value()) {
        Ok(None) => return Some(text),
        Ok(Some(_)) => MistakeKind::SeveralJsonValues,
        Err(problem) => MistakeKind::NotJson { problem },
    };
    findings.add(field.node.offset, &field.path, kind);
    None
}

/// An RFC 6901 pointer.
pub(super) fn pointer(field: &Field<'_>, findings: &mut Findings) -> Option<String> {
    let pointer = text(field, findings)?;
    if let Some(expected) = broken_rule(&pointer) {
        findings.add(
            field.node.offset,
            &field.path,
            MistakeKind::BadPointer { pointer, expected },
        );
        return None;
    }
    Some(pointer)
}

/// The name of one directory.
pub(super) fn directory_name(field: &Field<'_>, findings: &mut Findings) -> Option<String> {
    below_home(field, "the name of one directory", is_name, findings)
}

/// A path that stays below the home directory that it is meant for.
pub(super) fn relative_path(field: &Field<'_>, findings: &mut Findings) -> Option<String> {
    let stays = |path: &str| path.split('/').all(is_name);
    below_home(field, "names with `/` between them", stays, findings)
}

fn below_home(
    field: &Field<'_>,
    expected: &'static str,
    stays: impl Fn(&str) -> bool,
    findings: &mut Findings,
) -> Option<String> {
    let path = text(field, findings)?;
    if !stays(&path) {
        findings.add(
            field.node.offset,
            &field.path,
            MistakeKind::NotBelowHome { path, expected },
        );
        return None;
    }
    Some(path)
}

fn is_name(part: &str) -> bool {
    !matches!(part.trim(), "" | "." | "..") && !part.contains(['/', '\\', ':', '\0'])
}

/// The only version that is known.
pub(super) fn version(field: &Field<'_>, expected: u64, findings: &mut Findings) {
    let kind = match field.node.number() {
        Some(found) if found == expected => return,
        Some(found) => MistakeKind::Version { found, expected },
        None => MistakeKind::WrongKind {
            expected: "a whole number",
            found: field.node.kind(),
        },
    };
    findings.add(field.node.offset, &field.path, kind);
}

/// One of several names.
pub(super) fn choice<T: Copy>(
    field: &Field<'_>,
    choices: &Choices<T>,
    findings: &mut Findings,
) -> Option<T> {
    let value = text(field, findings)?;
    if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == value) {
        return Some(*choice);
    }
    let known = names(choices);
    let nearest = nearest(&value, &known);
    findings.add(
        field.node.offset,
        &field.path,
        MistakeKind::UnknownValue {
            value,
            known,
            nearest,
        },
    );
    None
}

/// The names that a choice has, for people.
pub(super) fn one_of<T>(choices: &Choices<T>) -> String {
    listed(&names(choices))
}

fn names<T>(choices: &Choices<T>) -> Vec<&'static str> {
    choices.iter().map(|(name, _)| *name).collect()
}

/// A list, each element read by `read`; those that cannot be are told of and
/// left out.
pub(super) fn list<'a, T>(
    field: Option<Field<'a>>,
    findings: &mut Findings,
    mut read: impl FnMut(&Field<'a>, &mut Findings) -> Option<T>,
) -> Vec<T> {
    let Some(Field { path, node }) = field else {
        return Vec::new();
    };
    let Some(elements) = node.elements() else {
        let kind = MistakeKind::WrongKind {
            expected: "a list",
            found: node.kind(),
        };
        findings.add(node.offset, &path, kind);
        return Vec::new();
    };
    let fields = elements.into_iter().enumerate();
    let fields = fields.map(|(at, node)| Field {
        path: format!("{path}[{at}]"),
        node,
    });
    fields.filter_map(|field| read(&field, findings)).collect()
}

/// A field of `table` that must be there, read by `read`.
pub(super) fn required<'a, T>(
    table: &Table<'a>,
    name: &str,
    findings: &mut Findings,
    read: impl FnOnce(&Field<'a>, &mut Findings) -> Option<T>,
) -> Option<T> {
    let field = table.required(name, "a text", findings)?;
    read(&field, findings)
}
