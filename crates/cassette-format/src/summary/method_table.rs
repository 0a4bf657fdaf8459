//! What there is of each method in one direction, with room for so many of them.

use std::collections::HashMap;
use std::sync::Arc;

use super::answer_times::Waits;
use super::{MAX_METHODS, MessageKind, MethodSummary, OtherMethods};

/// Counts by kind and name.
#[derive(Debug, Default)]
pub(super) struct MethodTable {
    entries: Vec<Entry>,
    places: HashMap<(MessageKind, Option<Arc<str>>), usize>,
    others: OtherMethods,
}

/// Where a message was counted: in this entry, or among the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place(Option<usize>);

/// What a message is counted under.
#[derive(Debug, Clone)]
pub(super) enum MethodName {
    /// This method.
    Named(Arc<str>),
    /// None that is known: it answers no request.
    Unasked,
    /// The others: it answers a request that is counted there.
    Other,
}

/// Messages of one kind and name.
#[derive(Debug)]
struct Entry {
    kind: MessageKind,
    name: Option<Arc<str>>,
    count: u64,
    bytes: u64,
    waits: Waits,
}

impl MethodTable {
    /// Counts one message of so many bytes.
    pub(super) fn count(&mut self, kind: MessageKind, name: MethodName, bytes: u64) -> Place {
        let place = self.place(kind, name);
        self.add(place, 1, bytes);
        place
    }

    /// A request that was counted there was answered after so many milliseconds.
    pub(super) fn answered(&mut self, request: Place, after: u64) {
        if let Some(entry) = self.entry(request) {
            entry.waits.add(after);
        }
    }

    /// The name of the request that was counted there, for its answer.
    pub(super) fn name(&self, request: Place) -> MethodName {
        match request.0.and_then(|at| self.entries.get(at)) {
            Some(Entry { name: None, .. }) => MethodName::Unasked,
            Some(Entry {
                name: Some(name), ..
            }) => MethodName::Named(Arc::clone(name)),
            None => MethodName::Other,
        }
    }

    /// Adds all that `other` counted.
    pub(super) fn merge(&mut self, other: &Self) {
        for from in other.sorted() {
            let name = from.name.clone();
            let name = name.map_or(MethodName::Unasked, MethodName::Named);
            let place = self.place(from.kind, name);
            self.add(place, from.count, from.bytes);
            if let Some(entry) = self.entry(place) {
                entry.waits.merge(&from.waits);
            }
        }
        self.add(Place(None), other.others.count, other.others.bytes);
    }

    /// What was counted, sorted by kind and name, and what found no entry.
    pub(super) fn summary(&self) -> (Vec<MethodSummary>, OtherMethods) {
        let methods = self.sorted().into_iter().map(Entry::summary).collect();
        (methods, self.others)
    }

    fn sorted(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
        entries
    }

    fn place(&mut self, kind: MessageKind, name: MethodName) -> Place {
        let name = match name {
            MethodName::Named(name) => Some(name),
            MethodName::Unasked => None,
            MethodName::Other => return Place(None),
        };
        let key = (kind, name);
        if let Some(at) = self.places.get(&key) {
            return Place(Some(*at));
        }
        let at = self.entries.len();
        if at >= MAX_METHODS {
            return Place(None);
        }
        self.entries.push(Entry {
            kind,
            name: key.1.clone(),
            count: 0,
            bytes: 0,
            waits: Waits::default(),
        });
        self.places.insert(key, at);
        Place(Some(at))
    }

    fn entry(&mut self, place: Place) -> Option<&mut Entry> {
        self.entries.get_mut(place.0?)
    }

    fn add(&mut self, place: Place, count: u64, bytes: u64) {
        let (counted, size) = match self.entry(place) {
            Some(entry) => (&mut entry.count, &mut entry.bytes),
            None => (&mut self.others.count, &mut self.others.bytes),
        };
        *counted += count;
        *size += bytes;
    }
}

impl Entry {
    fn summary(&self) -> MethodSummary {
        let is_request = self.kind == MessageKind::Request;
        MethodSummary {
            kind: self.kind,
            name: self.name.as_deref().map(str::to_owned),
            count: self.count,
            bytes: self.bytes,
            answers: is_request.then(|| self.waits.answer_times()),
        }
    }
}
