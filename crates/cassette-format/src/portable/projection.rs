//! Making a message portable: the recording side.

use std::borrow::Cow;

use super::account::AccountRequests;
use super::field_class::{FieldClass, FieldClasses, text_of};
use super::plan::{EnvelopeRules, Plan};
use super::raw_text::{RawText, inside_string, quoted};
use super::rewrite::{
    TextEdits, by_rules, edited, has_rules, is_below_a_root, path_edits, text_edits,
};
use super::violation::{ContentError, Violation, judge, judge_text};
use super::walk::{Met, Walk};
use super::{FreeText, Roots, Rules};
use crate::descriptor::{Descriptor, Spelling};
use crate::json::{Span, Splicer, decode_string, paths_at};

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
#[derive(Debug, Clone)]
pub struct Projection {
    descriptor: Descriptor,
    classes: FieldClasses,
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

    /// The portable form of `message`, which may hold several JSON values and
    /// text that is none: what can be read is rewritten and judged. Borrowed when
    /// nothing changes.
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
            if let Met::Container(_, kind, span) = met {
                let (descriptor, accounts) = (&self.descriptor, &mut self.accounts);
                let mut rules = EnvelopeRules {
                    descriptor,
                    accounts,
                    direction,
                };
                plan.meet(&mut rules, message, (walk.depth(), kind, span));
            }
            let start = met.span().start;
            if let Some(refused) = plan.refused_before(start) {
                return Err(refused.into_error(message, walk.start()));
            }
            apply(&mut plan, start, &mut splicer);
            if plan.covers(start) {
                continue;
            }
            self.rewrite(message, met, &mut splicer)
                .map_err(|violation| violation.into_error(message, walk.start()))?;
        }
        if let Some(refused) = plan.refused_before(message.len()) {
            return Err(refused.into_error(message, walk.start()));
        }
        apply(&mut plan, message.len(), &mut splicer);
        Ok(splicer.finish())
    }

    /// Where strings that are no paths name one of the directories: JSON paths,
    /// in document order. Such text is recorded as it is unless
    /// [`Rules::free_text`] says otherwise.
    #[must_use]
    pub fn roots_left(&self, message: &[u8]) -> Vec<String> {
        let mut walk = Walk::new(message, &self.classes);
        // Places, those of one stretch of JSON after another.
        let mut stretch: (usize, Vec<usize>) = (0, Vec::new());
        let mut left = Vec::new();
        let paths = |(start, places): (usize, Vec<usize>)| paths_at(&message[start..], &places);
        while let Some(met) = walk.next() {
            if walk.start() != stretch.0 {
                left.extend(paths(std::mem::take(&mut stretch)));
                stretch.0 = walk.start();
            }
            if let Met::String(_, span, _) | Met::Key(span) = met
                && text_edits(&decode_string(message, span), &self.roots)
                    .next()
                    .is_some()
            {
                stretch.1.push(span.start - stretch.0);
            }
        }
        left.extend(paths(stretch));
        left
    }

    /// Rewrites what was met, unless it may not be on a tape.
    fn rewrite<'m>(
        &self,
        message: &'m [u8],
        met: Met,
        splicer: &mut Splicer<'m>,
    ) -> Result<(), Violation> {
        let (class, span, field) = match met {
            Met::String(class, span, field) => (class, span, field),
            Met::Key(span) => {
                self.rewrite_key(message, span, splicer);
                return Ok(());
            }
            _ => return judge(message, met).map_or(Ok(()), Err),
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
        let text = text_of(message, span);
        let edits = || -> Option<TextEdits<'_>> {
            match class {
                FieldClass::Path => path_edits(&text, &self.roots),
                _ if mapped => Some(Box::new(text_edits(&text, &self.roots))),
                _ => None,
            }
        };
        let refused = |kind| {
            let offset = span.start;
            Violation { kind, offset }
        };
        if ruled {
            let field = field.map(|key| decode_string(message, key));
            let whole = edits().map_or(Cow::Borrowed(&*text), |edits| edited(&text, edits).into());
            if let Some(by_rules) = by_rules(&whole, &field.unwrap_or_default(), &self.rules) {
                if let Some(kind) = judge_text(class, &by_rules) {
                    return Err(refused(kind));
                }
                // Strings come in document order and never overlap.
                let _landed = splicer.replace(span, &quoted(&by_rules));
                return Ok(());
            }
        }
        // A path that starts with a token is portable, whatever follows.
        let portable = class == FieldClass::Path && is_below_a_root(&text, &self.roots);
        if let Some(kind) = judge_text(class, &text).filter(|_| !portable) {
            return Err(refused(kind));
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
        let text = decode_string(message, span);
        if let Some(edits) = path_edits(&text, &self.roots) {
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
