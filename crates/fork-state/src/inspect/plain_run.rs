//! How far the plain bytes of a string reach: a word a step, then a block.

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);
const QUOTES: u64 = u64::from_ne_bytes([b'"'; 8]);
const BACKSLASHES: u64 = u64::from_ne_bytes([b'\\'; 8]);
const FIRST_PRINTABLES: u64 = u64::from_ne_bytes([0x20; 8]);

/// Words that are looked at before blocks are: most strings are short.
const FIRST_WORDS: usize = 4;
const WORD: usize = 8;
const BLOCK: usize = 64;

/// The offset of the first `"`, `\` or control character at or after `offset`;
/// the length of `bytes` where there is none.
#[inline]
pub(super) fn plain_end(bytes: &[u8], mut offset: usize) -> usize {
    for _ in 0..FIRST_WORDS {
        match word_at(bytes, offset).map(stops) {
            Some(0) => offset += WORD,
            Some(stops) => return offset + first(stops),
            None => return slow_end(bytes, offset),
        }
    }
    block_end(bytes, offset)
}

/// Out of line: it pays for long strings only.
#[inline(never)]
fn block_end(bytes: &[u8], mut offset: usize) -> usize {
    while let Some(block) = bytes.get(offset..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        if holds_stop(block) {
            break;
        }
        offset += BLOCK;
    }
    while let Some(word) = word_at(bytes, offset) {
        let stops = stops(word);
        if stops != 0 {
            return offset + first(stops);
        }
        offset += WORD;
    }
    slow_end(bytes, offset)
}

/// Written so that it compiles to vector instructions: every byte is looked at.
#[inline]
fn holds_stop(block: &[u8; BLOCK]) -> bool {
    let mut found = 0;
    for byte in block {
        found |= u8::from(is_stop(*byte));
    }
    found != 0
}

#[inline]
fn slow_end(bytes: &[u8], offset: usize) -> usize {
    let rest = bytes.get(offset..).unwrap_or_default();
    let run = rest.iter().position(|byte| is_stop(*byte));
    run.map_or(bytes.len(), |run| offset + run)
}

const fn is_stop(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

#[inline]
fn word_at(bytes: &[u8], offset: usize) -> Option<u64> {
    let word = bytes.get(offset..)?.first_chunk::<WORD>()?;
    Some(u64::from_le_bytes(*word))
}

/// Marks stops with their high bit. A subtraction borrows only from a byte that
/// is marked itself, so the lowest mark is right, and only that one is used.
#[inline]
const fn stops(word: u64) -> u64 {
    let quote = (word ^ QUOTES).wrapping_sub(ONES);
    let backslash = (word ^ BACKSLASHES).wrapping_sub(ONES);
    let control = word.wrapping_sub(FIRST_PRINTABLES);
    (quote | backslash | control) & !word & HIGH_BITS
}

#[inline]
const fn first(stops: u64) -> usize {
    (stops.trailing_zeros() / 8) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stop_is_found_at_every_place_and_for_every_byte() {
        for length in 0..200 {
            let plain = vec![b'x'; length];
            assert_eq!(plain_end(&plain, 0), length);
        }
        for place in 0..200 {
            for stop in (0..=u8::MAX).filter(|byte| is_stop(*byte)) {
                let mut bytes = vec![0x80; 220];
                bytes[place] = stop;
                bytes[210] = b'"';
                assert_eq!(plain_end(&bytes, 0), place, "{stop:#x}");
                assert_eq!(plain_end(&bytes, place), place);
                assert_eq!(plain_end(&bytes, place + 1), 210);
            }
        }
    }

    #[test]
    fn no_other_byte_stops_a_run() {
        for byte in (0..=u8::MAX).filter(|byte| !is_stop(*byte)) {
            for length in [1, 7, 8, 9, 63, 64, 100, 300] {
                assert_eq!(plain_end(&vec![byte; length], 0), length, "{byte:#x}");
            }
        }
        assert_eq!(
            (0..=u8::MAX).filter(|byte| is_stop(*byte)).count(),
            0x20 + 2
        );
    }
}
