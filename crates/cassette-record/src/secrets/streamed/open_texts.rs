//! Which texts end with the beginning of a secret.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::fingerprint::Fingerprint;
use super::last_pieces::LastPieces;
use crate::secrets::matcher::Cursor;

/// Texts that are remembered at least.
const GENERATION: usize = 1 << 16;

/// The texts that end so. All others need no entry.
///
/// The [`GENERATION`] texts that changed last are remembered, and at most twice
/// as many.
#[derive(Default)]
pub(super) struct OpenTexts {
    newer: Generation,
    older: Generation,
}

/// How a text ends.
pub(super) struct OpenText {
    /// Where in the automaton.
    pub(super) cursor: Cursor,
    /// In which pieces, if somebody asks for them.
    pub(super) pieces: LastPieces,
}

type Generation = HashMap<u64, OpenText, BuildHasherDefault<AsItIs>>;

impl OpenTexts {
    /// Whether no text ends so.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.newer.is_empty() && self.older.is_empty()
    }

    /// How a text ended, which is forgotten now.
    #[inline]
    pub(super) fn take(&mut self, text: Fingerprint) -> Option<OpenText> {
        let number = text.number();
        let newer = remove(&mut self.newer, number);
        let older = remove(&mut self.older, number);
        newer.or(older)
    }

    /// Notes how a text ended.
    pub(super) fn put(&mut self, text: Fingerprint, open: OpenText) {
        if self.newer.len() >= GENERATION {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(text.number(), open);
    }
}

/// Looks only where there is anything.
#[inline]
fn remove(generation: &mut Generation, number: u64) -> Option<OpenText> {
    if generation.is_empty() {
        return None;
    }
    generation.remove(&number)
}

/// Takes fingerprints as they are: they are spread well.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}
