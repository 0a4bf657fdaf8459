//! Which containers are open: one bit a level.

/// The two kinds of container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    Array,
    Object,
}

/// The open containers, innermost last.
///
/// The innermost levels, at most 64, are in `low`, the newest in bit 0; the
/// ones outside of them lie 64 a word in `outer`. Shallow documents thus never
/// allocate, and 8 MiB of `[` take 1 MiB.
#[derive(Clone, Debug, Default)]
pub(super) struct Nesting {
    low: u64,
    depth: usize,
    outer: Vec<u64>,
}

impl Nesting {
    const WORD: usize = 64;

    /// Number of open containers.
    #[inline]
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The innermost one; an array where none is open.
    #[inline]
    pub(super) fn innermost(&self) -> Container {
        if self.low & 1 == 1 {
            Container::Object
        } else {
            Container::Array
        }
    }

    /// Opens a container inside the innermost one.
    #[inline]
    pub(super) fn open(&mut self, container: Container) {
        if self.depth > 0 && self.depth.is_multiple_of(Self::WORD) {
            spill(&mut self.outer, self.low);
        }
        self.low = self.low << 1 | u64::from(container == Container::Object);
        self.depth += 1;
    }

    /// Closes the innermost one; nothing where none is open.
    #[inline]
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth.is_multiple_of(Self::WORD) {
            self.low = refill(&mut self.outer);
        } else {
            self.low >>= 1;
        }
    }
}

/// Out of line, so that shallow nesting stays in registers.
#[cold]
#[inline(never)]
fn spill(outer: &mut Vec<u64>, word: u64) {
    outer.push(word);
}

/// The way back from [`spill`]; no level is open where there is nothing.
#[cold]
#[inline(never)]
fn refill(outer: &mut Vec<u64>) -> u64 {
    outer.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_remembers_every_level() {
        let kind = |level: usize| {
            if level.is_multiple_of(3) || level % 7 == 2 {
                Container::Object
            } else {
                Container::Array
            }
        };
        let mut nesting = Nesting::default();
        for level in 0..1000 {
            nesting.open(kind(level));
            assert_eq!(nesting.innermost(), kind(level));
        }
        for level in (0..1000).rev() {
            assert_eq!(
                (nesting.depth(), nesting.innermost()),
                (level + 1, kind(level))
            );
            nesting.close();
        }
        assert_eq!(nesting.depth(), 0);
    }
}
