//! Members of one object with the same name: only the last of them counts.

use std::cmp::Ordering;

use cassette_format::json::decode_string;

use super::key_hash::same_text;
use super::tree::{Node, Role};

/// Finds them; keeps its memory from object to object.
#[derive(Debug, Default)]
pub(super) struct Duplicates {
    members: Vec<u32>,
}

/// How many members a list that is kept has room for.
const KEPT: usize = 1 << 12;

impl Duplicates {
    /// Marks the members of the object whose values are `within` that a later one
    /// replaces. Takes no longer than sorting them does.
    pub(super) fn shadow(&mut self, bytes: &[u8], nodes: &mut [Node], (start, end): (u32, u32)) {
        if !may_repeat(nodes, (start, end)) {
            return;
        }
        self.members.clear();
        self.members.extend(siblings(nodes, (start, end)));
        let key = |at: &u32| nodes.get(*at as usize).map_or(0, |node| node.hash);
        let text = |at: &u32| {
            let span = nodes.get(*at as usize).map(Node::key);
            span.map(|span| decode_string(bytes, span))
        };
        self.members.sort_unstable_by(|a, b| {
            let by_text = || text(a).cmp(&text(b));
            let by_name = key(a).cmp(&key(b)).then_with(by_text);
            by_name.then_with(|| a.cmp(b))
        });
        for at in 1..self.members.len() {
            let (Some(first), Some(second)) = (self.members.get(at - 1), self.members.get(at))
            else {
                continue;
            };
            if order(bytes, nodes, (*first, *second)) == Ordering::Equal
                && let Some(node) = nodes.get_mut(*first as usize)
            {
                node.role = Role::Shadowed;
            }
        }
        self.members.shrink_to(KEPT);
    }
}

/// Equal where two members have the same name.
fn order(bytes: &[u8], nodes: &[Node], (a, b): (u32, u32)) -> Ordering {
    match (nodes.get(a as usize), nodes.get(b as usize)) {
        (Some(a), Some(b)) if a.hash == b.hash && same_text((bytes, bytes), (a.key(), b.key())) => {
            Ordering::Equal
        }
        _ => Ordering::Less,
    }
}

/// Whether two of the members may have one name: a bit for each of 256 groups of
/// names, so that few objects are looked at twice.
fn may_repeat(nodes: &[Node], within: (u32, u32)) -> bool {
    let mut groups = [0_u64; 4];
    for at in siblings(nodes, within) {
        let hash = nodes.get(at as usize).map_or(0, |node| node.hash);
        let group = (hash >> 24 ^ hash >> 6) as usize;
        let (word, bit) = (group / 64 % 4, 1_u64 << (group % 64));
        if groups[word] & bit != 0 {
            return true;
        }
        groups[word] |= bit;
    }
    false
}

fn siblings(nodes: &[Node], (start, end): (u32, u32)) -> impl Iterator<Item = u32> + '_ {
    let mut at = start;
    std::iter::from_fn(move || {
        let current = at;
        let node = nodes.get(current as usize).filter(|_| current < end)?;
        at = node.next();
        Some(current)
    })
}
