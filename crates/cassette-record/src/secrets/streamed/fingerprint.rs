//! A number that stands for a sequence of words.
//!
//! Two sequences share one by chance only (64 bits). Then two texts are taken
//! for one, and a secret over their border might be missed or made up.

/// Which text a piece belongs to, or a part of what says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Fingerprint(u64);

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Fingerprint {
    /// This and then `word`.
    #[inline]
    pub(super) fn word(self, word: &[u8]) -> Self {
        let mut number = self.0;
        let (eights, rest) = word.as_chunks::<8>();
        for eight in eights {
            number = mix(number, u64::from_le_bytes(*eight));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        number = mix(number, u64::from_le_bytes(last));
        // The length keeps words apart that differ by zeros at the end.
        Self(mix(number, word.len() as u64))
    }

    /// This and then another.
    #[inline]
    pub(super) const fn and(self, other: Self) -> Self {
        Self(mix(self.0, other.0))
    }

    /// This together with another, in whichever order.
    #[inline]
    pub(super) const fn beside(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// The one with this number of several.
    #[inline]
    pub(super) const fn nth(self, number: u64) -> Self {
        Self(mix(self.0, number))
    }

    pub(super) const fn number(self) -> u64 {
        self.0
    }
}

#[inline]
const fn mix(state: u64, input: u64) -> u64 {
    let product = (state ^ input).wrapping_add(FACTOR).wrapping_mul(FACTOR);
    (product ^ product >> 32)
        .wrapping_mul(0xd6e8_feb8_6659_fd93)
        .rotate_left(23)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn sequences_of_words_have_fingerprints_of_their_own() {
        let none = Fingerprint::default();
        let mut seen = BTreeSet::new();
        for first in ["", "a", "b", "\0", "text", "12345678", "12345678\0"] {
            for second in ["", "a", "b", "\0", "text", "abcdefgh12345678"] {
                let pair = none.word(first.as_bytes()).word(second.as_bytes());
                assert!(seen.insert(pair.number()), "{first} {second}");
            }
        }
    }
}
