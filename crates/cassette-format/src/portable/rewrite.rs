//! What becomes of a single text: the places in it that name a directory, and
//! what the caller's rules make of it.

use std::borrow::Cow;

use super::field_class::FieldClass;
use super::file_uri;
use super::path_prefix::is_separator;
use super::roots::Roots;
use super::rules::Rules;
use crate::descriptor::Spelling;
use crate::json::Span;
use memchr::memchr2_iter;

/// A part of a text and what stands in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextEdit<'t> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) by: Cow<'t, str>,
}

/// Edits of one text, first to last.
pub(super) type TextEdits<'t> = Box<dyn Iterator<Item = TextEdit<'t>> + 't>;

/// What makes a path portable: the directory at its start, `prefix`, becomes a
/// token, and so does every segment that is made of the working directory. `None`
/// when nothing does.
pub(super) fn path_edits<'t>(
    text: &'t str,
    prefix: Option<TextEdit<'t>>,
    roots: &'t Roots,
) -> Option<TextEdits<'t>> {
    let start = prefix.as_ref().map_or(0, |edit| edit.end);
    let slugs = roots.cwd_slug().map(|(slug, token)| {
        whole_segments(text, start, slug).map(move |at| TextEdit {
            start: at,
            end: at + slug.len(),
            by: Cow::Borrowed(token),
        })
    });
    let mut slugs = slugs.into_iter().flatten().peekable();
    if prefix.is_none() && slugs.peek().is_none() {
        return None;
    }
    Some(Box::new(prefix.into_iter().chain(slugs)))
}

/// What makes free text portable: every whole name of a directory becomes its
/// token.
pub(super) fn text_edits<'t>(text: &'t str, roots: &'t Roots) -> FreeText<'t> {
    FreeText {
        text,
        roots,
        at: 0,
        end: 0,
    }
}

/// Edits of two kinds in one text, first to last; of those that meet, the one that begins first.
pub(super) fn together<'t>(one: TextEdits<'t>, other: TextEdits<'t>) -> TextEdits<'t> {
    let mut all: Vec<TextEdit<'t>> = one.chain(other).collect();
    all.sort_by_key(|edit| edit.start);
    let mut end = 0;
    all.retain(|edit| {
        let is_free = edit.start >= end;
        end = if is_free { edit.end } else { end };
        is_free
    });
    Box::new(all.into_iter())
}

/// Whether the string at `span` may be met once more, as a key: of bytes that are no JSON a
/// string is met as a value, and then as a key if a colon follows.
pub(super) fn may_be_key(message: &[u8], span: Span) -> bool {
    let behind = message[span.end..].iter();
    let mut behind = behind.skip_while(|byte| byte.is_ascii_whitespace());
    behind.next() == Some(&b':')
}

/// The text after `edits`.
pub(super) fn edited<'t>(text: &str, edits: impl Iterator<Item = TextEdit<'t>>) -> String {
    let mut output = String::with_capacity(text.len());
    let mut copied = 0;
    for edit in edits {
        output.push_str(&text[copied..edit.start]);
        output.push_str(&edit.by);
        copied = edit.end;
    }
    output.push_str(&text[copied..]);
    output
}

/// What the caller's rules make of a text: literals in their order, then the
/// redactor. `None` when they leave it.
pub(super) fn by_rules(text: &str, field: &str, rules: &Rules) -> Option<String> {
    let mut ruled: Option<String> = None;
    let literals = rules.literals.iter();
    for literal in literals.filter(|literal| !literal.text.is_empty()) {
        let current = ruled.as_deref().unwrap_or(text);
        if current.contains(&literal.text) {
            ruled = Some(current.replace(&literal.text, &literal.replacement));
        }
    }
    if let Some(redactor) = &rules.redactor {
        let redacted = redactor.redact(field, ruled.as_deref().unwrap_or(text));
        ruled = redacted.or(ruled);
    }
    ruled.filter(|ruled| ruled != text)
}

/// Whether a rule of the caller's could change a text of this class.
pub(super) fn has_rules(class: FieldClass, rules: &Rules) -> bool {
    class != FieldClass::Signature && (!rules.literals.is_empty() || rules.redactor.is_some())
}

/// Where `segment` stands in `text`, from `start` on, as whole segments of a path.
pub(super) fn whole_segments<'t>(
    text: &'t str,
    start: usize,
    segment: &'t str,
) -> impl Iterator<Item = usize> + 't {
    let rest = &text.as_bytes()[start..];
    let behind = memchr2_iter(b'/', b'\\', rest).map(move |at| start + at + 1);
    let top = (start == 0).then_some(0);
    let mut from = start;
    top.into_iter().chain(behind).filter(move |at| {
        // One that holds separators itself is not looked into.
        let tail = text[*at..].strip_prefix(segment).filter(|_| *at >= from);
        let found = tail.is_some_and(|tail| tail.is_empty() || tail.starts_with(is_separator));
        from = if found { at + segment.len() } else { from };
        found
    })
}

/// The directory at the start of a path, and its token. A path that has one is
/// portable.
pub(super) fn path_prefix<'t>(text: &str, roots: &'t Roots) -> Option<TextEdit<'t>> {
    let start = 0;
    if let Some(found) = roots.find(text) {
        return Some(TextEdit {
            start,
            end: found.len,
            by: Cow::Borrowed(found.token),
        });
    }
    if !roots.spells(Spelling::FileUris) {
        return None;
    }
    let path = file_uri::path_of(text)?;
    let found = roots.find(&path)?;
    Some(TextEdit {
        start,
        end: file_uri::raw_len(text, found.len),
        by: Cow::Owned(file_uri::with_token(found.token)),
    })
}

/// The iterator of [`text_edits`]. Goes over the text once.
pub(super) struct FreeText<'t> {
    text: &'t str,
    roots: &'t Roots,
    at: usize,
    /// Where the path, if one starts here, ends.
    end: usize,
}

impl<'t> Iterator for FreeText<'t> {
    type Item = TextEdit<'t>;

    fn next(&mut self) -> Option<TextEdit<'t>> {
        loop {
            let mut rest = self.text.as_bytes()[self.at..].iter();
            // The first byte of a name, so a character begins there.
            let start = self.at + rest.position(|byte| self.roots.may_begin_with(*byte))?;
            self.at = start + 1;
            let before = self.text[..start].chars().next_back();
            if before.is_some_and(continues_name) {
                continue;
            }
            if start >= self.end {
                let rest = &self.text[start..];
                self.end = start + rest.find(ends_path).unwrap_or(rest.len());
            }
            if let Some(found) = self.roots.find_in_text(&self.text[start..self.end])
                && found.len > 0
            {
                self.at = start + found.len;
                return Some(TextEdit {
                    start,
                    end: self.at,
                    by: Cow::Borrowed(found.token),
                });
            }
        }
    }
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
