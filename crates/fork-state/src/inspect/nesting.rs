//! Which containers are open: one bit a level, up to a limit.

/// Levels that a record may have.
pub(super) const MAX_DEPTH: usize = 1_000_000;

const WORD: usize = 64;

/// The two kinds of container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Array,
    Object,
}

/// A container would lie deeper than [`MAX_DEPTH`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooDeep;

/// The open containers. The innermost levels are in `low`, the newest in bit 0;
/// the others lie 64 a word in `outer`, 125 kB at most.
#[derive(Debug, Clone, Default)]
pub(super) struct Nesting {
    low: u64,
    depth: usize,
    outer: Vec<u64>,
}

impl Nesting {
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

    /// Opens a container inside of the innermost one.
    #[inline]
    pub(super) fn open(&mut self, container: Container) -> Result<(), TooDeep> {
        if self.depth.is_multiple_of(WORD) && self.depth > 0 {
            self.spill()?;
        }
        self.low = self.low << 1 | u64::from(container == Container::Object);
        self.depth += 1;
        Ok(())
    }

    /// Closes the innermost one; nothing where none is open.
    #[inline]
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth.is_multiple_of(WORD) {
            self.low = self.outer.pop().unwrap_or_default();
        } else {
            self.low >>= 1;
        }
    }

    /// Closes all.
    pub(super) fn clear(&mut self) {
        self.outer.clear();
        self.low = 0;
        self.depth = 0;
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self) -> Result<(), TooDeep> {
        if self.depth >= MAX_DEPTH {
            return Err(TooDeep);
        }
        self.outer.push(self.low);
        Ok(())
    }
}

// The limit is looked at only where a word is full.
const _: () = assert!(MAX_DEPTH.is_multiple_of(WORD));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_remembers_every_level_up_to_the_limit() {
        let kind = |level: usize| {
            if level.is_multiple_of(3) || level % 7 == 2 {
                Container::Object
            } else {
                Container::Array
            }
        };
        let mut nesting = Nesting::default();
        for level in 0..MAX_DEPTH {
            assert_eq!(nesting.open(kind(level)), Ok(()));
        }
        assert_eq!(nesting.open(Container::Array), Err(TooDeep));
        for level in (0..MAX_DEPTH).rev() {
            assert_eq!(
                (nesting.depth(), nesting.innermost()),
                (level + 1, kind(level))
            );
            nesting.close();
        }
        assert_eq!(nesting.depth(), 0);
    }
}
