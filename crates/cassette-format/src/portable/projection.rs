//! Making a message portable: the recording side.

use std::borrow::Cow;

use super::account::AccountRequests;
use super::credentials::CredentialMethods;
use super::field_class::{FieldClass, FieldClasses};
use super::plan::{EnvelopeRules, Plan};
use super::raw_text::{RawText, inside_string, quoted, text_of};
use super::rewrite::{
    TextEdits, by_rules, edited, has_rules, may_be_key, path_edits, path_prefix, text_edits,
    together,
};
use super::violation::{ContentError, Violation, judge, judge_text};
use super::walk::{Level, Met, Walk};
use super::{FreeText, Roots, Rules};
use crate::descriptor::{Descriptor, Spelling};
use crate::json::{Span, Splicer, decode_string, paths_at};

/// How many places [`Projection::roots_left`] names.
pub const MAX_ROOTS_LEFT: usize = 100;

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the host to the process.
    Outbound,
    /// From the process to the host.
    Inbound,
}

/// Makes the messages of one connection portable, in the order in which they
/// passed. Only edited values change; every other byte stays.
///
/// In a batch (a list of messages) path fields are made portable, and sensitive
/// fields and credential methods refused, as anywhere. What depends on the rest of
/// a message is not done there: generated fields and the environment of a start
/// request stay, and the answer to an account-read request, or to one in a batch,
/// is refused for its e-mail.
///
/// A start request that breaks, or breaks off, loses its environment too; so does
/// every message of such a provider that does, since its type may be what is lost.
/// Where the environment itself does not end in order, all that follows goes with
/// it. A message of the host that is broken is refused if anything in it is named
/// as the environment is and was not found in its place.
#[derive(Debug, Clone)]
pub struct Projection {
    descriptor: Descriptor,
    classes: FieldClasses,
    credentials: CredentialMethods,
    roots: Roots,
    rules: Rules,
    accounts: AccountRequests,
}

impl Projection {
    /// The projection of a connection whose directories are `roots`.
    #[must_use]
    pub fn new(descriptor: &Descriptor, roots: Roots, rules: Rules) -> Self {
        Self {
            descriptor: descriptor.clone(),
            classes: FieldClasses::new(descriptor, &rules),
            credentials: CredentialMethods::new(descriptor),
            roots,
            rules,
            accounts: AccountRequests::default(),
        }
    }

    /// The directories of the connection.
    #[must_use]
    pub const fn roots(&self) -> &Roots {
        &self.roots
    }

    /// The portable form of the content of a message, without a header: of a framed
    /// one, [`Message::judged`] and [`Message::with_judged`] take the content out and
    /// put it back under a header that is true. Give whole messages; what is cut off in
    /// a string can only be judged as far as it goes.
    ///
    /// [`Message::judged`]: crate::json::Message::judged
    /// [`Message::with_judged`]: crate::json::Message::with_judged
    ///
    /// `message` may hold several JSON values and text that is none: what can be read is
    /// rewritten and judged. Borrowed when nothing changes.
    ///
    /// # Errors
    /// The first content in document order that may not be on a tape.
    pub fn message<'m>(
        &mut self,
        direction: Direction,
        message: &'m [u8],
    ) -> Result<Cow<'m, [u8]>, ContentError> {
        let mut plan = Plan::default();
        let mut splicer = Splicer::new(message);
        let mut walk = Walk::new(message, &self.classes);
        while let Some(met) = walk.next() {
            let start = met.span().start;
            let (descriptor, accounts) = (&self.descriptor, &mut self.accounts);
            let mut rules = EnvelopeRules {
                descriptor,
                accounts,
                direction,
            };
            if matches!(met, Met::Container(..)) && walk.innermost() == Some(Level::Message) {
                plan.begin(&mut rules, message, start);
            }
            apply(&mut plan, start, &mut splicer);
            if plan.covers(start) {
                continue;
            }
            plan.keep(&rules, message, met);
            let credential = self.credentials.judge(message, &walk, met);
            credential
                .map_or(Ok(()), Err)
                .and_then(|()| self.rewrite(message, (&walk, met), &mut splicer))
                .map_err(|violation| violation.into_error(message))?;
        }
        if let Some(left) = plan.judge(&walk) {
            return Err(left.into_error(message));
        }
        apply(&mut plan, message.len(), &mut splicer);
        Ok(splicer.finish())
    }

    /// Where strings that are no paths name one of the directories: JSON paths,
    /// in document order, [`MAX_ROOTS_LEFT`] of them at most. Such text is recorded
    /// as it is unless [`Rules::free_text`] says otherwise.
    #[must_use]
    pub fn roots_left(&self, message: &[u8]) -> Vec<String> {
        let mut walk = Walk::new(message, &self.classes);
        let mut places = Vec::new();
        while places.len() < MAX_ROOTS_LEFT
            && let Some(met) = walk.next()
        {
            if let Met::String(_, span, _) | Met::Key(span) = met
                && text_edits(&text_of(message, span), &self.roots)
                    .next()
                    .is_some()
            {
                places.push(span.start);
            }
        }
        paths_at(message, &places)
    }

    /// What stands on a tape in the place of `text`, the value of the field `field` of
    /// that class; `None` where it stays as it is. Nothing is judged: this is for
    /// comparing a text that is sent with one that was recorded.
    #[must_use]
    pub fn text(&self, class: FieldClass, field: &str, text: &str) -> Option<String> {
        let edits = match class {
            FieldClass::Signature => return None,
            FieldClass::Path => path_edits(text, path_prefix(text, &self.roots), &self.roots),
            _ if self.rules.free_text == FreeText::Mapped => {
                Some(Box::new(text_edits(text, &self.roots)) as TextEdits<'_>)
            }
            _ => None,
        };
        let mapped = edits.map(|edits| edited(text, edits));
        let ruled = if has_rules(class, &self.rules) {
            by_rules(mapped.as_deref().unwrap_or(text), field, &self.rules)
        } else {
            None
        };
        ruled.or(mapped).filter(|changed| changed != text)
    }

    /// The same of the name of a member.
    #[must_use]
    pub fn key_text(&self, key: &str) -> Option<String> {
        let edits = self.key_edits(key)?;
        Some(edited(key, edits)).filter(|changed| changed != key)
    }

    /// What makes the name of a member portable, if names are paths.
    fn key_edits<'t>(&'t self, key: &'t str) -> Option<TextEdits<'t>> {
        if !self.roots.spells(Spelling::ObjectKeys) {
            return None;
        }
        path_edits(key, path_prefix(key, &self.roots), &self.roots)
    }

    /// Rewrites what was met last, unless it may not be on a tape.
    fn rewrite<'m>(
        &self,
        message: &'m [u8],
        (walk, met): (&Walk<'_>, Met),
        splicer: &mut Splicer<'m>,
    ) -> Result<(), Violation> {
        let judged = || judge(message, walk, met).map_or(Ok(()), Err);
        let (class, span, field) = match met {
            _ if walk.is_signed() => return judged(),
            Met::String(class, span, field) => (class, span, field),
            Met::Key(span) => {
                self.rewrite_key(message, span, splicer);
                return Ok(());
            }
            _ => return judged(),
        };
        let mapped = match class {
            FieldClass::Signature => return Ok(()),
            FieldClass::Path => true,
            _ => self.rules.free_text == FreeText::Mapped,
        };
        let ruled = has_rules(class, &self.rules);
        if class == FieldClass::Plain && !mapped && !ruled {
            return Ok(());
        }
        // The caller's rules replace a text as a whole.
        let text = if ruled {
            decode_string(message, span)
        } else {
            text_of(message, span)
        };
        let prefix = match class {
            FieldClass::Path => path_prefix(&text, &self.roots),
            _ => None,
        };
        let edits = || -> Option<TextEdits<'_>> {
            match class {
                FieldClass::Path => path_edits(&text, prefix.clone(), &self.roots),
                _ if mapped => {
                    let texts: TextEdits<'_> = Box::new(text_edits(&text, &self.roots));
                    let keys = self.key_edits(&text).filter(|_| may_be_key(message, span));
                    Some(match keys {
                        Some(keys) => together(keys, texts),
                        None => texts,
                    })
                }
                _ => None,
            }
        };
        if ruled {
            let field = field.map(|key| decode_string(message, key));
            let whole = edits().map_or(Cow::Borrowed(&*text), |edits| edited(&text, edits).into());
            if let Some(by_rules) = by_rules(&whole, &field.unwrap_or_default(), &self.rules) {
                if let Some(kind) = judge_text(class, &by_rules) {
                    let offset = span.start;
                    return Err(Violation { kind, offset });
                }
                // Strings come in document order and never overlap.
                let _landed = splicer.replace(span, &quoted(&by_rules));
                return Ok(());
            }
        }
        if prefix.is_none() {
            judged()?;
        }
        if let Some(edits) = edits() {
            splice((message, span), edits, splicer);
        }
        Ok(())
    }

    fn rewrite_key<'m>(&self, message: &'m [u8], span: Span, splicer: &mut Splicer<'m>) {
        let raw = span.text(message);
        if !self.roots.spells(Spelling::ObjectKeys) || memchr::memchr2(b'/', b'\\', raw).is_none() {
            return;
        }
        let text = text_of(message, span);
        if let Some(edits) = self.key_edits(&text) {
            splice((message, span), edits, splicer);
        }
    }
}

/// Makes edits of the text of the string at `span`. Whatever else it spells
/// stays as it is spelled.
fn splice<'m>((message, span): (&'m [u8], Span), edits: TextEdits<'_>, splicer: &mut Splicer<'m>) {
    let mut raw = RawText::new(message, span);
    for edit in edits {
        // Edits come in order and never overlap.
        let _landed = splicer.replace(raw.span(edit.start, edit.end), &inside_string(&edit.by));
    }
}

/// Makes the planned edits that start at or before `offset`.
fn apply(plan: &mut Plan, offset: usize, splicer: &mut Splicer<'_>) {
    while let Some((span, replacement)) = plan.next_edit(offset) {
        // What the plan cuts out is left out by the walk, so nothing overlaps.
        let _landed = splicer.replace(span, replacement);
    }
}

impl Met {
    pub(super) const fn span(self) -> Span {
        match self {
            Self::Key(span)
            | Self::String(_, span, _)
            | Self::Scalar(_, _, span)
            | Self::Container(_, _, span) => span,
        }
    }
}
