//! A message as a flat list of its values, each with where it is and what its
//! name says. The list is kept and filled again for the next message.

use cassette_format::json::{Member, ScanError, Scanner, Span, Token, TokenKind, Value, ValueKind};
use cassette_format::portable::FieldClass;

use super::duplicates::Duplicates;
use super::field_names::{FieldNames, IdentityKind};
use super::key_hash::key_hash;

/// The values of a sequence of JSON texts, in document order.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The containers that are open while the list is filled.
    open: Vec<u32>,
    depth: usize,
    leaves: u32,
    duplicates: Duplicates,
}

/// One value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    start: u32,
    end: u32,
    key_start: u32,
    /// Where the key ends; 0 where there is none.
    key_end: u32,
    /// See [`key_hash`]; of a member only.
    pub(super) hash: u32,
    /// The first value behind all that this one holds.
    next: u32,
    /// How many values that hold no others come before it.
    leaves: u32,
    pub(super) kind: ValueKind,
    /// What its name, or that of the list it is in, says; of a member that holds no
    /// others it is looked up when it is asked for.
    class: Option<FieldClass>,
    pub(super) role: Role,
    /// Of a text: what it is. Of a list: what texts in it are where the agent says it.
    pub(super) identity: Option<IdentityKind>,
    /// What the containers around it say of it.
    within: Within,
}

/// What containers say of all that they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    /// It is part of a signature.
    Signature,
    /// It is part of something secret or personal.
    Secret,
}

/// What is special about a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Plain,
    /// The id of a request: any will do.
    RequestId,
    /// It may differ.
    Ignored,
    /// The host makes it anew each time.
    Generated,
    /// It does not count: a later member has the same name.
    Shadowed,
    /// It is never recorded.
    Excluded,
}

/// Why some bytes have no list of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// They are not JSON from there on.
    Json { error: ScanError, behind: Behind },
    /// There is no value at all.
    Empty,
    /// They are more than positions can count.
    TooLong,
}

/// What stands before bytes that are not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// Whole values.
    Values,
    /// Nothing, or the beginning of a value.
    Nothing,
}

/// How many values a list that is kept has room for.
const KEPT: usize = 1 << 14;

impl Tree {
    /// Fills the list with the values of `bytes`.
    pub(super) fn read(&mut self, bytes: &[u8], names: &FieldNames) -> Result<(), Unreadable> {
        self.clear();
        if u32::try_from(bytes.len()).is_err() {
            return Err(Unreadable::TooLong);
        }
        let mut scanner = Scanner::new(bytes);
        let mut key = None;
        loop {
            let whole = scanner.depth() == 0;
            match scanner.next_token() {
                Ok(Some(token)) => self.take(bytes, names, (token, &mut key)),
                Ok(None) if self.nodes.is_empty() => return Err(Unreadable::Empty),
                Ok(None) => return Ok(()),
                Err(error) => {
                    let behind = if whole && !self.nodes.is_empty() {
                        Behind::Values
                    } else {
                        Behind::Nothing
                    };
                    return Err(Unreadable::Json { error, behind });
                }
            }
        }
    }

    /// The greatest number of containers around a value.
    pub(super) const fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }

    pub(super) fn set_role(&mut self, at: u32, role: Role) {
        if let Some(node) = self.nodes.get_mut(at as usize) {
            node.role = role;
        }
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The values at the top.
    pub(super) fn tops(&self) -> Children<'_> {
        let end = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        Children::new(self, 0, end)
    }

    /// The value at the top that follows the one at `at`.
    pub(super) fn next_top(&self, at: u32) -> Option<u32> {
        let next = self.node(at)?.next;
        self.node(next).map(|_| next)
    }

    /// Gives back memory that few messages need.
    pub(super) fn release(&mut self) {
        if self.nodes.capacity() > KEPT {
            self.clear();
        }
    }

    /// What a container holds: elements, or the members that count.
    pub(super) fn children(&self, at: u32) -> Children<'_> {
        let end = self.node(at).map_or(at, |node| node.next);
        Children::new(self, at + 1, end)
    }

    /// How many scalars and empty containers a value holds, itself included.
    pub(super) fn leaves(&self, at: u32) -> usize {
        let end = self.node(at).map_or(at, |node| node.next);
        self.leaves_between(at, end)
    }

    /// How many of them stand between two places.
    fn leaves_between(&self, start: u32, end: u32) -> usize {
        let before = |at| self.node(at).map_or(self.leaves, |node| node.leaves);
        before(end).saturating_sub(before(start)) as usize
    }

    /// The members of an object that count, as the scanner would yield them.
    pub(super) fn members(&self, at: u32) -> impl Iterator<Item = Member> + '_ {
        self.children(at)
            .filter_map(|child| Some(self.node(child)?.member()))
    }

    /// The member of an object whose key is this name.
    pub(super) fn named(&self, bytes: &[u8], at: u32, name: &str) -> Option<u32> {
        let is = |child: &u32| {
            let key = self.node(*child).map(Node::key);
            key.is_some_and(|key| cassette_format::json::string_eq(bytes, key, name))
        };
        let object = self
            .node(at)
            .is_some_and(|node| node.kind == ValueKind::Object);
        object.then(|| self.children(at).find(is)).flatten()
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.shrink_to(KEPT);
        self.open.clear();
        self.open.shrink_to(KEPT);
        self.depth = 0;
        self.leaves = 0;
    }

    fn take(&mut self, bytes: &[u8], names: &FieldNames, (token, key): (Token, &mut Option<Span>)) {
        match token.kind {
            TokenKind::Key => *key = Some(token.span),
            TokenKind::EndObject | TokenKind::EndArray => self.close(bytes, token),
            kind => {
                if let Some(kind) = kind.value_kind() {
                    let span = token.span;
                    self.push(bytes, names, (Value { kind, span }, key.take()));
                }
            }
        }
    }

    fn push(&mut self, bytes: &[u8], names: &FieldNames, (value, key): (Value, Option<Span>)) {
        let holds_others = matches!(value.kind, ValueKind::Object | ValueKind::Array);
        let around = self.open.last().and_then(|at| self.node(*at));
        let class = match (key, around) {
            (Some(key), _) => holds_others.then(|| names.classes.of_key(bytes, key)),
            (None, Some(around)) => Some(around.class_of_elements()),
            (None, None) => Some(FieldClass::Plain),
        };
        let within = around.map_or(Within::Nothing, Node::says_of_its_values);
        let identity = match (key, value.kind) {
            (Some(key), ValueKind::String | ValueKind::Array) => names.identity(bytes, key),
            _ => None,
        };
        let at = position(self.nodes.len());
        self.nodes.push(Node {
            start: position(value.span.start),
            end: position(value.span.end),
            key_start: key.map_or(0, |key| position(key.start)),
            key_end: key.map_or(0, |key| position(key.end)),
            hash: key.map_or(0, |key| key_hash(bytes, key)),
            next: at + 1,
            leaves: self.leaves,
            kind: value.kind,
            class,
            role: Role::Plain,
            identity,
            within,
        });
        if !holds_others {
            self.leaves += 1;
        } else {
            self.open.push(at);
            self.depth = self.depth.max(self.open.len());
        }
    }

    fn close(&mut self, bytes: &[u8], token: Token) {
        let next = position(self.nodes.len());
        let Some(at) = self.open.pop() else {
            return;
        };
        if let Some(node) = self.nodes.get_mut(at as usize) {
            node.end = position(token.span.end);
            node.next = next;
        }
        self.leaves += u32::from(next == at + 1);
        if token.kind == TokenKind::EndObject {
            self.duplicates
                .shadow(bytes, &mut self.nodes, (at + 1, next));
        }
    }
}

impl Node {
    pub(super) const fn span(&self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }

    pub(super) const fn key(&self) -> Span {
        Span::new(self.key_start as usize, self.key_end as usize)
    }

    pub(super) const fn next(&self) -> u32 {
        self.next
    }

    pub(super) const fn value(&self) -> Value {
        Value {
            kind: self.kind,
            span: self.span(),
        }
    }

    const fn member(&self) -> Member {
        Member {
            key: self.key(),
            value: self.value(),
        }
    }

    /// What the field that the value stands in says of it; in a signature nothing
    /// else does.
    pub(super) fn class(&self, bytes: &[u8], names: &FieldNames) -> FieldClass {
        if self.within == Within::Signature {
            return FieldClass::Signature;
        }
        let looked_up = || names.classes.of_key(bytes, self.key());
        self.class.unwrap_or_else(looked_up)
    }

    /// Whether it is secret or personal.
    pub(super) fn is_secret(&self, bytes: &[u8], names: &FieldNames) -> bool {
        self.within == Within::Secret || is_secret(self.class(bytes, names))
    }

    fn says_of_its_values(&self) -> Within {
        match (self.within, self.class) {
            (Within::Nothing, Some(FieldClass::Signature)) => Within::Signature,
            (Within::Nothing, Some(class)) if is_secret(class) => Within::Secret,
            (within, _) => within,
        }
    }

    /// A list of paths holds paths, and so on.
    const fn class_of_elements(&self) -> FieldClass {
        match (self.kind, self.class) {
            (ValueKind::Array, Some(class @ (FieldClass::Path | FieldClass::Email))) => class,
            _ => FieldClass::Plain,
        }
    }

    pub(super) const fn counts(&self) -> bool {
        !matches!(self.role, Role::Shadowed | Role::Excluded)
    }
}

/// The positions of values beside each other.
#[derive(Debug, Clone)]
pub(super) struct Children<'t> {
    nodes: &'t [Node],
    at: u32,
    end: u32,
}

impl<'t> Children<'t> {
    /// How many values that hold no others are left, in all of them.
    pub(super) fn leaves(&self, tree: &Tree) -> usize {
        tree.leaves_between(self.at, self.end)
    }

    fn new(tree: &'t Tree, at: u32, end: u32) -> Self {
        let nodes = &tree.nodes;
        Self { nodes, at, end }
    }
}

impl Iterator for Children<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        while self.at < self.end {
            let at = self.at;
            let node = self.nodes.get(at as usize)?;
            self.at = node.next;
            if node.counts() {
                return Some(at);
            }
        }
        None
    }
}

const fn is_secret(class: FieldClass) -> bool {
    matches!(
        class,
        FieldClass::Email | FieldClass::Credential | FieldClass::Account
    )
}

/// Positions fit, since longer messages have no list.
fn position(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}
