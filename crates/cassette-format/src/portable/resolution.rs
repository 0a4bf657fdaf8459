//! From tokens back to directories: the replaying side.

use std::borrow::Cow;

use super::field_class::{FieldClass, FieldClasses};
use super::file_uri;
use super::path_prefix::{is_separator, without_trailing_separators};
use super::raw_text::{inside_string, prefix_span, quoted};
use super::rewrite::replace_segments;
use super::roots::{HOME_TOKEN, slug, slug_token};
use super::rules::{FreeText, Rules};
use super::walk::{Met, Walk};
use super::{Roots, path_prefix};
use crate::descriptor::{Descriptor, Spelling};
use crate::json::{Edits, Span, Spliced, decode_string};

/// Puts this side's directories in the place of a recorded connection's tokens.
#[derive(Debug, Clone)]
pub struct Resolution {
    classes: FieldClasses,
    /// Tokens and what they stand for here.
    places: Vec<(String, String)>,
    /// The token of the slug, and the slug here.
    slug: Option<(String, String)>,
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
        let mut slugged = None;
        if let Some(cwd) = roots.cwd().filter(|_| !cwd_token.is_empty()) {
            places.push((cwd_token.to_owned(), cwd.to_owned()));
            if roots.spells(Spelling::CwdSlug) {
                slugged = Some((slug_token(cwd_token), slug(&path_prefix::resolved(cwd))));
            }
        }
        let first = roots.homes().first().map_or(fallback_home, String::as_str);
        places.push((HOME_TOKEN.to_owned(), first.to_owned()));
        for (at, home) in roots.homes().iter().enumerate().skip(1) {
            places.push((format!("${{REPLAY_HOME:{}}}", at + 1), home.clone()));
        }
        Self {
            classes: FieldClasses::new(descriptor, rules),
            places,
            slug: slugged,
            keys: roots.spells(Spelling::ObjectKeys),
            uris: roots.spells(Spelling::FileUris),
            free_text: rules.free_text,
        }
    }

    /// `message` with this side's directories; nothing else changes.
    #[must_use]
    pub fn message<'m>(&self, message: &'m [u8]) -> Spliced<'m> {
        let mut edits = Edits::new();
        if memchr::memmem::find(message, b"${").is_some() || message.contains(&b'\\') {
            let mut walk = Walk::new(message, &self.classes);
            while let Some(met) = walk.next() {
                if let Some((span, replacement)) = self.change(message, met) {
                    edits.replace(span, &replacement);
                }
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
        let (len, place) = self.token_at_start(path)?;
        let rest = &path[len..];
        let place = if rest.is_empty() {
            place
        } else {
            without_trailing_separators(place)
        };
        Some(format!("{place}{rest}"))
    }

    fn change(&self, message: &[u8], met: Met) -> Option<(Span, Vec<u8>)> {
        let (span, class) = match met {
            Met::Key(span) if self.keys => (span, FieldClass::Path),
            Met::String(class, span, _) => (span, class),
            _ => return None,
        };
        let text = decode_string(message, span);
        if class != FieldClass::Path {
            let mapped = self.free_text == FreeText::Mapped && class != FieldClass::Signature;
            let resolved = if mapped { self.anywhere(&text) } else { None };
            return resolved.map(|text| (span, quoted(&text)));
        }
        let (prefix, place) = match self.token_at_start(&text) {
            Some((len, place)) => {
                let whole = text.len() == len;
                let place = if whole {
                    place
                } else {
                    without_trailing_separators(place)
                };
                (len, place.to_owned())
            }
            None => self.uri_at_start(&text).unwrap_or((0, String::new())),
        };
        let rest = &text[prefix..];
        let slugged = self
            .slug
            .as_ref()
            .and_then(|(token, slug)| replace_segments(rest, token, slug));
        match slugged {
            Some(rest) => Some((span, quoted(&format!("{place}{rest}")))),
            None if prefix == 0 => None,
            None => Some((prefix_span(message, span, prefix), inside_string(&place))),
        }
    }

    /// The token that `text` starts with, whole, and its place.
    fn token_at_start(&self, text: &str) -> Option<(usize, &str)> {
        let (token, place) = self.places.iter().find(|(token, _)| {
            let rest = text.strip_prefix(token.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(is_separator))
        })?;
        Some((token.len(), place))
    }

    fn uri_at_start(&self, text: &str) -> Option<(usize, String)> {
        let rest = file_uri::token_rest(text).filter(|_| self.uris)?;
        let (len, place) = self.token_at_start(rest)?;
        let whole = rest.len() == len;
        let place = if whole {
            place
        } else {
            without_trailing_separators(place)
        };
        Some((text.len() - rest.len() + len, file_uri::of_path(place)))
    }

    /// `text` with every token replaced, wherever it stands.
    fn anywhere(&self, text: &str) -> Option<String> {
        let mut resolved: Option<String> = None;
        for (token, place) in &self.places {
            let current = resolved.as_deref().unwrap_or(text);
            if current.contains(token.as_str()) {
                resolved = Some(current.replace(token.as_str(), place));
            }
        }
        resolved
    }
}
