//! The automaton of all needles, and the place in it that a text has reached.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, BuildError, MatchKind};

use super::forms::needle_forms;
use super::skip_table::SkipTable;
use super::{SecretName, Secrets};

/// Finds all needles, overlapping ones too, in one pass.
///
/// The contiguous automaton is chosen over the dense one: it takes a thirtieth
/// of the memory and walks 1.3 times as slowly, and most bytes are never
/// walked over.
pub(super) struct Matcher {
    automaton: NFA,
    root: StateID,
    skip: SkipTable,
    /// In the order of the automaton's patterns.
    needles: Vec<Needle>,
    /// How long a beginning of a needle a state stands for; the root is not in.
    depths: HashMap<StateID, u32, BuildHasherDefault<StateHasher>>,
    names: Vec<SecretName>,
    longest: usize,
}

/// One form of one value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needle {
    pub(super) length: usize,
    /// Index of the name.
    pub(super) name: usize,
}

/// What the end of a text has in common with the beginning of needles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor(StateID);

impl Matcher {
    /// The matcher of all forms of all values. A form that two values share
    /// has the name of the first.
    pub(super) fn new(secrets: &Secrets) -> Result<Self, BuildError> {
        let mut names: Vec<SecretName> = Vec::new();
        let mut forms = BTreeMap::new();
        for (name, value) in secrets.iter() {
            let known = names.iter().position(|known| known == name);
            let index = known.unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
            for form in needle_forms(value) {
                forms.entry(form).or_insert(index);
            }
        }
        let automaton = NFA::builder()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(forms.keys())?;
        // An automaton that is not anchored has a start, whatever it says.
        let root = automaton.start_state(Anchored::No).unwrap_or_default();
        let needles = forms.iter().map(|(form, name)| Needle {
            length: form.len(),
            name: *name,
        });
        let mut matcher = Self {
            root,
            skip: SkipTable::new(forms.keys().map(Vec::as_slice)),
            needles: needles.collect(),
            depths: HashMap::default(),
            names,
            longest: forms.keys().map(Vec::len).max().unwrap_or_default(),
            automaton,
        };
        for form in forms.keys() {
            matcher.measure(form);
        }
        Ok(matcher)
    }

    /// Where every text begins.
    pub(super) const fn start(&self) -> Cursor {
        Cursor(self.root)
    }

    /// How many of the last bytes are the beginning of a needle.
    pub(super) fn depth(&self, cursor: Cursor) -> usize {
        let depth = self.depths.get(&cursor.0);
        depth.map_or(0, |depth| *depth as usize)
    }

    /// Bytes of the longest needle.
    pub(super) const fn longest(&self) -> usize {
        self.longest
    }

    pub(super) fn name(&self, index: usize) -> &SecretName {
        &self.names[index]
    }

    pub(super) fn names(&self) -> &[SecretName] {
        &self.names
    }

    /// Calls `found` for each needle that lies in `bytes`, with the offset of
    /// its end, in the order of the ends.
    #[inline]
    pub(super) fn search(&self, bytes: &[u8], mut found: impl FnMut(usize, Needle)) {
        let mut offset = 0;
        while let Ok(start) = self.skip.next(bytes, offset) {
            let (_, end) = self.walk((self.start(), start), bytes, &mut found);
            offset = end;
        }
    }

    /// Goes on from `cursor` over all of `bytes`, and says where that leads.
    /// Needles may have begun before them.
    pub(super) fn advance(
        &self,
        cursor: Cursor,
        bytes: &[u8],
        mut found: impl FnMut(usize, Needle),
    ) -> Cursor {
        let mut offset = 0;
        let mut cursor = cursor;
        loop {
            if cursor.0 == self.root {
                offset = self.skip.next(bytes, offset).unwrap_or_else(|cut| cut);
            }
            if offset >= bytes.len() {
                return cursor;
            }
            (cursor, offset) = self.walk((cursor, offset), bytes, &mut found);
        }
    }

    /// One byte on.
    #[inline]
    pub(super) fn step(&self, cursor: Cursor, byte: u8, mut found: impl FnMut(Needle)) -> Cursor {
        let state = self.automaton.next_state(Anchored::No, cursor.0, byte);
        if self.automaton.is_match(state) {
            for index in 0..self.automaton.match_len(state) {
                found(self.needles[self.automaton.match_pattern(state, index)]);
            }
        }
        Cursor(state)
    }

    /// Walks until nothing is left that a needle begins with, at least a byte.
    fn walk(
        &self,
        (mut cursor, mut offset): (Cursor, usize),
        bytes: &[u8],
        found: &mut impl FnMut(usize, Needle),
    ) -> (Cursor, usize) {
        for byte in &bytes[offset..] {
            offset += 1;
            cursor = self.step(cursor, *byte, |needle| found(offset, needle));
            if cursor.0 == self.root {
                break;
            }
        }
        (cursor, offset)
    }

    /// Notes the depths of the states that `form` leads through. From the root
    /// each of its bytes leads to the state that stands for just the bytes so
    /// far, since these are the beginning of a needle.
    fn measure(&mut self, form: &[u8]) {
        let mut cursor = self.start();
        for (byte, depth) in form.iter().zip(1..) {
            cursor = self.step(cursor, *byte, |_| {});
            self.depths.insert(cursor.0, depth);
        }
    }
}

/// Spreads the numbers of states, which are small and distinct.
#[derive(Default)]
struct StateHasher(u64);

impl Hasher for StateHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn write_u32(&mut self, number: u32) {
        // The table takes the high bits of the hash as well as the low ones.
        let spread = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = spread ^ spread >> 32;
    }
}
