//! Passing over bytes where no needle can begin, several at a step.
//!
//! This is the shift table of Wu and Manber ("A fast algorithm for
//! multi-pattern searching", 1994) with three bytes a block. An automaton
//! looks at each byte, which costs two nanoseconds; needles have at least
//! eight bytes, so most need not be looked at.

/// Bytes of a needle's beginning that are used at most.
const MAX_WINDOW: usize = 32;
const BLOCK: usize = 3;
const SLOTS: usize = 1 << 15;
const HEADS: usize = 1 << 12;

/// Knows of every block of three bytes how far a needle that holds it may
/// begin before it.
pub(super) struct SkipTable {
    /// Bytes of every needle that are considered.
    window: usize,
    /// By block: how far the window may go on.
    shifts: Box<[u8; SLOTS]>,
    /// By the first four bytes, a bit: whether a needle may begin so.
    heads: Box<[u64; HEADS / 64]>,
}

impl SkipTable {
    /// The table for needles none of which is shorter than eight bytes.
    pub(super) fn new<'a>(needles: impl Iterator<Item = &'a [u8]> + Clone) -> Self {
        let shortest = needles.clone().map(<[u8]>::len).min().unwrap_or(MAX_WINDOW);
        let window = shortest.clamp(BLOCK + 1, MAX_WINDOW);
        let mut table = Self {
            window,
            shifts: Box::new([narrow(window - BLOCK + 1); SLOTS]),
            heads: Box::new([0; HEADS / 64]),
        };
        for needle in needles {
            table.insert(needle);
        }
        table
    }

    fn insert(&mut self, needle: &[u8]) {
        let window = &needle[..self.window];
        for end in BLOCK + 1..=window.len() {
            let shift = &mut self.shifts[slot(last_four(window, end))];
            *shift = narrow(window.len() - end).min(*shift);
        }
        // The first block has no byte before it: any may stand there.
        let first = u32::from_le_bytes([0, window[0], window[1], window[2]]);
        let shift = &mut self.shifts[slot(first)];
        *shift = narrow(window.len() - BLOCK).min(*shift);
        let head = head(last_four(window, 4));
        self.heads[head / 64] |= 1 << (head % 64);
    }

    /// The first offset from `from` on at which a needle may begin.
    ///
    /// `Err` if no whole needle begins there: the offset from which on one may
    /// begin that the end of the bytes cuts.
    #[inline]
    pub(super) fn next(&self, bytes: &[u8], from: usize) -> Result<usize, usize> {
        let farthest = self.window - BLOCK + 1;
        let mut end = from + self.window;
        while end <= bytes.len() {
            let mut shift = self.shifts[slot(last_four(bytes, end))];
            // Mostly the window goes on as far as it can. Looking at both
            // places at once spares waiting for the first.
            if end + farthest <= bytes.len() {
                let second = self.shifts[slot(last_four(bytes, end + farthest))];
                if usize::from(shift) == farthest {
                    end += farthest;
                    shift = second;
                }
            }
            if shift != 0 {
                end += usize::from(shift);
                continue;
            }
            let start = end - self.window;
            let head = head(last_four(bytes, start + 4));
            if self.heads[head / 64] & 1 << (head % 64) != 0 {
                return Ok(start);
            }
            end += 1;
        }
        Err(end - self.window)
    }
}

/// The four bytes before `end`.
#[inline]
fn last_four(bytes: &[u8], end: usize) -> u32 {
    let four = bytes[..end].last_chunk::<4>();
    four.map_or(0, |four| u32::from_le_bytes(*four))
}

/// The slot of the last three of four bytes.
#[inline]
const fn slot(four: u32) -> usize {
    ((four >> 8).wrapping_mul(0x9e37_79b1) >> (u32::BITS - SLOTS.ilog2())) as usize
}

/// The bit of four bytes.
#[inline]
const fn head(four: u32) -> usize {
    (four.wrapping_mul(0x85eb_ca6b) >> (u32::BITS - HEADS.ilog2())) as usize
}

/// A shift, which is less than [`MAX_WINDOW`].
fn narrow(shift: usize) -> u8 {
    u8::try_from(shift).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_place_where_a_needle_begins_is_passed_over(
            needles in prop::collection::vec("[ab]{8,12}", 1..4),
            text in "[abc]{0,64}",
            from in 0_usize..64,
        ) {
            let table = SkipTable::new(needles.iter().map(String::as_bytes));
            let (text, from) = (text.as_bytes(), from.min(text.len()));
            let next = table.next(text, from);
            let passed = next.unwrap_or_else(|end| end);
            for start in from..passed.min(text.len()) {
                let rest = &text[start..];
                prop_assert!(needles.iter().all(|needle| !rest.starts_with(needle.as_bytes())));
                if next.is_err() {
                    let cut = |needle: &String| needle.as_bytes().starts_with(rest);
                    prop_assert!(!needles.iter().any(cut), "{start}");
                }
            }
        }
    }
}
