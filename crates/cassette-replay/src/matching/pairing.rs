//! Which member of one object belongs to which of another.

use std::cmp::Ordering;
use std::collections::HashMap;

use cassette_format::json::{Span, decode_string};

use super::key_hash::same_text;
use super::rules::MatchRules;
use super::tree::{Node, Tree};

/// A message that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read<'m> {
    pub(super) bytes: &'m [u8],
    pub(super) tree: &'m Tree,
}

/// Two members with the same name, or one that has no partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pair {
    Both(u32, u32),
    Missing(u32),
    Unexpected(u32),
}

impl<'m> Read<'m> {
    pub(super) fn key(&self, at: u32) -> Span {
        self.tree.node(at).map_or(Span::new(0, 0), Node::key)
    }

    pub(super) fn name(&self, at: u32) -> std::borrow::Cow<'m, str> {
        decode_string(self.bytes, self.key(at))
    }

    fn hash(&self, at: u32) -> u32 {
        self.tree.node(at).map_or(0, |node| node.hash)
    }
}

/// Whether two members have the same name.
pub(super) fn same_name((a, at_a): (Read<'_>, u32), (b, at_b): (Read<'_>, u32)) -> bool {
    a.hash(at_a) == b.hash(at_b) && same_text((a.bytes, b.bytes), (a.key(at_a), b.key(at_b)))
}

/// Pairs members that do not come in the same order: takes no longer than sorting
/// them does. In the order in which they were recorded, then in which they were sent.
pub(super) fn pair_by_name(
    rules: &MatchRules,
    (expected, recorded): (Read<'_>, Vec<u32>),
    (actual, sent): (Read<'_>, Vec<u32>),
) -> Vec<Pair> {
    let (recorded, sent) = (sorted(expected, recorded), sorted(actual, sent));
    let (mut recorded, mut sent) = (recorded.into_iter(), sent.into_iter());
    let (mut next, mut other) = (recorded.next(), sent.next());
    let (mut pairs, mut missing, mut unexpected) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let order = match (next, other) {
            (Some(a), Some(b)) => by_name((expected, a), (actual, b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        if let (Ordering::Equal, Some(a), Some(b)) = (order, next, other) {
            pairs.push(Pair::Both(a, b));
        }
        if order != Ordering::Greater {
            missing.extend(next.filter(|_| order == Ordering::Less));
            next = recorded.next();
        }
        if order != Ordering::Less {
            unexpected.extend(other.filter(|_| order == Ordering::Greater));
            other = sent.next();
        }
    }
    pair_by_spelling(
        rules,
        (expected, &mut missing),
        (actual, &mut unexpected),
        &mut pairs,
    );
    pairs.extend(missing.into_iter().map(Pair::Missing));
    pairs.extend(unexpected.into_iter().map(Pair::Unexpected));
    pairs.sort_unstable_by_key(|pair| match pair {
        Pair::Both(at, _) | Pair::Missing(at) => (0, *at),
        Pair::Unexpected(at) => (1, *at),
    });
    pairs
}

/// How many names are compared each with each.
const FEW: usize = 16;

/// Pairs names that are spelled otherwise on this side: those that hold directories,
/// and those that held secrets.
fn pair_by_spelling(
    rules: &MatchRules,
    (expected, missing): (Read<'_>, &mut Vec<u32>),
    (actual, unexpected): (Read<'_>, &mut Vec<u32>),
    pairs: &mut Vec<Pair>,
) {
    if missing.is_empty() || unexpected.is_empty() {
        return;
    }
    let few = missing.len() <= FEW && unexpected.len() <= FEW;
    let named = missing.iter().map(|at| (expected.name(*at), *at));
    let mut left: HashMap<_, _> = named.collect();
    unexpected.retain(|other| {
        let sent = actual.name(*other);
        let portable = rules.projection.key_text(&sent);
        let by_token = portable.and_then(|portable| left.remove(portable.as_str()));
        let found = by_token.or_else(|| {
            let mut names = left.iter().filter(|_| few);
            let agrees = |name: &str| rules.keys_agree(name, &sent);
            names.find(|(name, _)| agrees(name)).map(|(_, at)| *at)
        });
        if let Some(found) = found {
            if few {
                left.retain(|_, at| *at != found);
            }
            pairs.push(Pair::Both(found, *other));
        }
        found.is_none()
    });
    missing.clear();
    missing.extend(left.into_values());
}

fn sorted(read: Read<'_>, mut members: Vec<u32>) -> Vec<u32> {
    members.sort_unstable_by(|a, b| by_name((read, *a), (read, *b)));
    members
}

fn by_name((a, at_a): (Read<'_>, u32), (b, at_b): (Read<'_>, u32)) -> Ordering {
    let by_text = || a.name(at_a).cmp(&b.name(at_b));
    a.hash(at_a).cmp(&b.hash(at_b)).then_with(by_text)
}
