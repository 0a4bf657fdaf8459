//! One view of TOML and JSON: values with their places. Nothing is copied; an
//! inner value is looked at when it is asked for.

use std::borrow::Cow;

use cassette_format::json::{Value, ValueKind, as_u64, decode_string, elements, members};
use toml::de::{DeTable, DeValue};

/// A value of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'a> {
    /// Where it starts in the text.
    pub(super) offset: usize,
    content: Content<'a>,
}

/// A member of a table.
#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) name: Cow<'a, str>,
    /// Where its name starts in the text.
    pub(super) offset: usize,
    pub(super) value: Node<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Content<'a> {
    TomlTable(&'a DeTable<'a>),
    Toml(&'a DeValue<'a>),
    /// A value of a text that was scanned whole before.
    Json(&'a [u8], Value),
}

impl<'a> Node<'a> {
    /// A whole TOML file.
    pub(super) const fn of_toml(table: &'a DeTable<'a>) -> Self {
        Self {
            offset: 0,
            content: Content::TomlTable(table),
        }
    }

    /// A value of a JSON text that is known to be JSON.
    pub(super) const fn of_json(text: &'a [u8], value: Value) -> Self {
        Self {
            offset: value.span.start,
            content: Content::Json(text, value),
        }
    }

    /// What it is, for people.
    pub(super) const fn kind(&self) -> &'static str {
        match self.content {
            Content::TomlTable(_) | Content::Toml(DeValue::Table(_)) => "a table",
            Content::Toml(DeValue::String(_)) => "a text",
            Content::Toml(DeValue::Integer(_) | DeValue::Float(_)) => "a number",
            Content::Toml(DeValue::Boolean(_)) => "a boolean",
            Content::Toml(DeValue::Datetime(_)) => "a date",
            Content::Toml(DeValue::Array(_)) => "a list",
            Content::Json(_, value) => match value.kind {
                ValueKind::Object => "a table",
                ValueKind::Array => "a list",
                ValueKind::String => "a text",
                ValueKind::Number => "a number",
                ValueKind::True | ValueKind::False => "a boolean",
                ValueKind::Null => "null",
            },
        }
    }

    /// Whether it is JSON's way to say that there is nothing.
    pub(super) const fn is_null(&self) -> bool {
        matches!(
            self.content,
            Content::Json(
                _,
                Value {
                    kind: ValueKind::Null,
                    ..
                }
            )
        )
    }

    /// The members of a table, in the order of the file.
    pub(super) fn members(&self) -> Option<Vec<Member<'a>>> {
        let mut members: Vec<Member<'a>> = match self.content {
            Content::TomlTable(table) | Content::Toml(DeValue::Table(table)) => {
                table.iter().map(Member::of_toml).collect()
            }
            Content::Json(text, value) if value.kind == ValueKind::Object => {
                let members = json_members(text, value);
                members.collect()
            }
            _ => return None,
        };
        members.sort_by_key(|member| member.offset);
        Some(members)
    }

    /// The elements of a list.
    pub(super) fn elements(&self) -> Option<Vec<Self>> {
        match self.content {
            Content::Toml(DeValue::Array(array)) => Some(
                array
                    .iter()
                    .map(|item| Self {
                        offset: item.span().start,
                        content: Content::Toml(item.get_ref()),
                    })
                    .collect(),
            ),
            Content::Json(text, value) if value.kind == ValueKind::Array => {
                let values = elements(text, value.span).flatten();
                Some(values.map(|value| Node::of_json(text, value)).collect())
            }
            _ => None,
        }
    }

    /// The text that it is.
    pub(super) fn text(&self) -> Option<Cow<'a, str>> {
        match self.content {
            Content::Toml(DeValue::String(text)) => Some(Cow::Borrowed(text)),
            Content::Json(text, value) if value.kind == ValueKind::String => {
                Some(decode_string(text, value.span))
            }
            _ => None,
        }
    }

    /// The whole number that it is, 0 or more.
    pub(super) fn number(&self) -> Option<u64> {
        match self.content {
            Content::Toml(DeValue::Integer(number)) => {
                u64::from_str_radix(number.as_str(), number.radix()).ok()
            }
            Content::Json(text, value) if value.kind == ValueKind::Number => {
                as_u64(text, value.span)
            }
            _ => None,
        }
    }
}

impl<'a> Member<'a> {
    fn of_toml(
        (name, value): (
            &'a toml::Spanned<Cow<'a, str>>,
            &'a toml::Spanned<DeValue<'a>>,
        ),
    ) -> Self {
        let node = Node {
            offset: value.span().start,
            content: Content::Toml(value.get_ref()),
        };
        Self {
            name: Cow::Borrowed(name.get_ref()),
            offset: name.span().start,
            value: node,
        }
    }
}

fn json_members<'a>(text: &'a [u8], object: Value) -> impl Iterator<Item = Member<'a>> {
    members(text, object.span)
        .flatten()
        .map(move |member| Member {
            name: decode_string(text, member.key),
            offset: member.key.start,
            value: Node::of_json(text, member.value),
        })
}
