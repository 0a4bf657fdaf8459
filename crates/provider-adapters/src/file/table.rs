//! One table of a file: its fields by name, and what is wrong with the names.

use std::collections::BTreeSet;

use super::MistakeKind;
use super::findings::Findings;
use super::nearest::nearest;
use super::node::{Member, Node};

/// A table whose names have been checked.
#[derive(Debug)]
pub(super) struct Table<'a> {
    path: String,
    offset: usize,
    members: Vec<Member<'a>>,
    /// Fields that an unknown one was probably meant to be.
    meant: BTreeSet<&'static str>,
}

/// A field that is there.
#[derive(Debug)]
pub(super) struct Field<'a> {
    /// Its way from the top, such as `optional-probes[0].result`.
    pub(super) path: String,
    pub(super) node: Node<'a>,
}

impl<'a> Table<'a> {
    /// The table that `field` is, with no other names than `known`; `None` where
    /// it is something else.
    pub(super) fn open(
        field: &Field<'a>,
        known: &[&'static str],
        findings: &mut Findings,
    ) -> Option<Self> {
        let Field { path, node } = field;
        let Some(mut members) = node.members() else {
            let kind = MistakeKind::WrongKind {
                expected: "a table",
                found: node.kind(),
            };
            findings.add(node.offset, path, kind);
            return None;
        };
        let mut meant = BTreeSet::new();
        let mut seen = BTreeSet::new();
        members.retain(|member| {
            let path = joined(path, &member.name);
            if !seen.insert(member.name.clone()) {
                findings.add(member.offset, &path, MistakeKind::Repeated);
                return false;
            }
            if known.contains(&&*member.name) {
                return true;
            }
            // Of what is not told nothing is guessed.
            let guessed = findings.tells(member.offset);
            let nearest = guessed.then(|| nearest(&member.name, known)).flatten();
            meant.extend(nearest);
            findings.add(member.offset, &path, MistakeKind::UnknownField { nearest });
            false
        });
        Some(Self {
            path: path.clone(),
            offset: node.offset,
            members,
            meant,
        })
    }

    /// The field, if it is there. JSON's `null` says that it is not.
    pub(super) fn field(&self, name: &str) -> Option<Field<'a>> {
        let member = self.members.iter().find(|member| member.name == name)?;
        let path = joined(&self.path, name);
        (!member.value.is_null()).then_some(Field {
            path,
            node: member.value,
        })
    }

    /// The field, which must be there. One that was probably misspelt is told of
    /// already.
    pub(super) fn required(
        &self,
        name: &str,
        expected: impl Into<String>,
        findings: &mut Findings,
    ) -> Option<Field<'a>> {
        let field = self.field(name);
        if field.is_none() && !self.meant.contains(name) {
            let kind = MistakeKind::Missing {
                expected: expected.into(),
            };
            findings.add(self.offset, &joined(&self.path, name), kind);
        }
        field
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
