//! From tokens back to directories: the replaying side.

use std::borrow::Cow;

use super::field_class::{FieldClass, FieldClasses};
use super::file_uri;
use super::path_prefix::{directory, is_separator, without_trailing_separators};
use super::raw_text::{RawText, inside_string, text_of};
use super::rewrite::{TextEdit, TextEdits, edited, may_be_key, together, whole_segments};
use super::roots::{HOME_TOKEN, Roots, slug_token};
use super::rules::{FreeText, Rules};
use super::walk::{Met, Walk};
use crate::descriptor::{Descriptor, Spelling};
use crate::json::{Edits, Span, Spliced};
use memchr::memmem;

/// Puts this side's directories in the place of a recorded connection's tokens.
#[derive(Debug, Clone)]
pub struct Resolution {
    classes: FieldClasses,
    /// Tokens and the directories that they stand for here.
    places: Vec<(String, String)>,
    /// The token of the slug, and the slug here.
    slug: Option<(String, String)>,
    /// What every token begins with, if it is the same.
    lead: Option<u8>,
    keys: bool,
    uris: bool,
    free_text: FreeText,
}

impl Resolution {
    /// The resolution of a connection whose recorded working directory has the
    /// token `cwd_token`, into this side's `roots`. `fallback_home` stands for
    /// `${REPLAY_HOME}` where this side has no personal directory.
    #[must_use]
    pub fn new(
        descriptor: &Descriptor,
        roots: &Roots,
        (cwd_token, fallback_home): (&str, &str),
        rules: &Rules,
    ) -> Self {
        let mut places = Vec::new();
        let mut slug = None;
        if let Some(cwd) = roots.cwd().filter(|_| !cwd_token.is_empty()) {
            places.push((cwd_token.to_owned(), directory(cwd)));
            let here = roots.cwd_slug().map(|(slug, _)| slug.to_owned());
            slug = here.map(|slug| (slug_token(cwd_token), slug));
        }
        let first = roots.homes().first().map_or(fallback_home, String::as_str);
        places.push((HOME_TOKEN.to_owned(), directory(first)));
        for (at, home) in roots.homes().iter().enumerate().skip(1) {
            places.push((format!("${{REPLAY_HOME:{}}}", at + 1), home.clone()));
        }
        let tokens = places.iter().chain(&slug).map(|(token, _)| token);
        let lead = cwd_token.bytes().next().unwrap_or(b'$');
        let shared = tokens
            .into_iter()
            .all(|token| token.as_bytes().starts_with(&[lead]));
        Self {
            classes: FieldClasses::new(descriptor, rules),
            lead: shared.then_some(lead),
            places,
            slug,
            keys: roots.spells(Spelling::ObjectKeys),
            uris: roots.spells(Spelling::FileUris),
            free_text: rules.free_text,
        }
    }

    /// `message` with this side's directories; nothing else changes.
    #[must_use]
    pub fn message<'m>(&self, message: &'m [u8]) -> Spliced<'m> {
        let mut edits = Edits::new();
        if self.may_hold_a_token(message) {
            let mut walk = Walk::new(message, &self.classes);
            while let Some(met) = walk.next() {
                let (span, class) = match met {
                    _ if walk.is_signed() => continue,
                    Met::Key(span) if self.keys => (span, FieldClass::Path),
                    Met::String(class, span, _) => (span, class),
                    _ => continue,
                };
                self.resolve((message, span), class, &mut edits);
            }
        }
        // Values come in document order and never overlap.
        let unchanged = Spliced {
            bytes: Cow::Borrowed(message),
            landings: Vec::new(),
        };
        edits.apply(message).unwrap_or(unchanged)
    }

    /// `path` with this side's directory, if it starts with a token.
    #[must_use]
    pub fn path(&self, path: &str) -> Option<String> {
        let edit = self.token_at_start(path, starts_with_separator)?;
        Some(edited(path, std::iter::once(edit)))
    }

    /// Whether there is anything to look for: a token as it is, or escapes that
    /// may spell one.
    fn may_hold_a_token(&self, message: &[u8]) -> bool {
        let tokens = self.places.iter().map(|(token, _)| token);
        let mut tokens = tokens.chain(self.slug.iter().map(|(token, _)| token));
        memchr::memchr(b'\\', message).is_some()
            || tokens.any(|token| memmem::find(message, token.as_bytes()).is_some())
    }

    fn resolve(&self, (message, span): (&[u8], Span), class: FieldClass, edits: &mut Edits) {
        let mapped = match class {
            FieldClass::Signature => return,
            FieldClass::Path => true,
            _ => self.free_text == FreeText::Mapped,
        };
        // Escapes may spell a token, else its first byte stands there.
        let raw = span.text(message);
        let hopeless = |lead| memchr::memchr2(lead, b'\\', raw).is_none();
        if !mapped || self.lead.is_some_and(hopeless) {
            return;
        }
        let text = text_of(message, span);
        let found: TextEdits<'_> = if class == FieldClass::Path {
            self.in_path(&text)
        } else if self.keys && may_be_key(message, span) {
            together(self.in_path(&text), Box::new(self.anywhere(&text)))
        } else {
            Box::new(self.anywhere(&text))
        };
        let mut raw = RawText::new(message, span);
        for edit in found {
            let span = raw.span(edit.start, edit.end);
            // Of bytes that are no JSON a string may be met as a value and as a key.
            if span.start >= edits.end() {
                edits.replace(span, &inside_string(&edit.by));
            }
        }
    }

    /// The token at the start of a path, and slugs behind it.
    fn in_path<'t>(&'t self, text: &'t str) -> TextEdits<'t> {
        let prefix = self
            .token_at_start(text, starts_with_separator)
            .or_else(|| self.uri_at_start(text));
        let start = prefix.as_ref().map_or(0, |edit| edit.end);
        let slugs = self.slug.iter().flat_map(move |(token, slug)| {
            whole_segments(text, start, token).map(move |at| TextEdit {
                start: at,
                end: at + token.len(),
                by: Cow::Borrowed(slug.as_str()),
            })
        });
        Box::new(prefix.into_iter().chain(slugs))
    }

    /// The token that `text` starts with, whole, and its place. What follows it
    /// begins with a separator, which `goes_on` knows.
    fn token_at_start(&self, text: &str, goes_on: fn(&str) -> bool) -> Option<TextEdit<'_>> {
        let (token, place, rest) = self.places.iter().find_map(|(token, place)| {
            let rest = text.strip_prefix(token.as_str())?;
            (rest.is_empty() || goes_on(rest)).then_some((token, place, rest))
        })?;
        let place = if rest.is_empty() {
            place
        } else {
            without_trailing_separators(place)
        };
        Some(TextEdit {
            start: 0,
            end: token.len(),
            by: Cow::Borrowed(place),
        })
    }

    fn uri_at_start(&self, text: &str) -> Option<TextEdit<'_>> {
        let rest = file_uri::token_rest(text).filter(|_| self.uris)?;
        let token = self.token_at_start(rest, file_uri::starts_with_separator)?;
        Some(TextEdit {
            start: 0,
            end: text.len() - rest.len() + token.end,
            by: Cow::Owned(file_uri::of_path(&token.by)),
        })
    }

    /// Every token, wherever it stands.
    fn anywhere<'t>(&'t self, text: &'t str) -> impl Iterator<Item = TextEdit<'t>> + 't {
        let found = |(token, place): &'t (String, String)| {
            let found = memmem::find_iter(text.as_bytes(), token.as_bytes());
            (token, place, found.peekable())
        };
        let mut places: Vec<_> = self.places.iter().map(found).collect();
        std::iter::from_fn(move || {
            let next = |(at, (.., found)): (usize, &mut (_, _, std::iter::Peekable<_>))| {
                found.peek().map(|start: &usize| (*start, at))
            };
            let (start, at) = places.iter_mut().enumerate().filter_map(next).min()?;
            let (token, place, found) = places.get_mut(at)?;
            found.next();
            let end = start + token.len();
            let place = if starts_with_separator(&text[end..]) {
                without_trailing_separators(place)
            } else {
                place
            };
            let by = Cow::Borrowed(place);
            Some(TextEdit { start, end, by })
        })
    }
}

fn starts_with_separator(rest: &str) -> bool {
    rest.starts_with(is_separator)
}
