//! Joining finds that overlap, so that no rest of one stays in clear.

/// A find: which secret, from where, up to where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Index of the name.
    pub(super) name: usize,
}

/// Finds joined: in order, none touching the inside of another.
#[derive(Debug, Default)]
pub(super) struct Overlaps {
    joined: Vec<Found>,
}

impl Overlaps {
    /// The union of finds in any order.
    pub(super) fn of(mut finds: Vec<Found>) -> Self {
        finds.sort_by_key(|found| found.end);
        let mut overlaps = Self::default();
        for found in finds {
            overlaps.add(found);
        }
        overlaps
    }

    /// Adds a find that ends no earlier than those before it.
    ///
    /// The one that begins first gives the name, among such the longest.
    pub(super) fn add(&mut self, mut found: Found) {
        while let Some(last) = self.joined.last()
            && found.start < last.end
        {
            if last.start < found.start {
                (found.start, found.name) = (last.start, last.name);
            }
            self.joined.pop();
        }
        self.joined.push(found);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.joined.is_empty()
    }

    pub(super) fn as_slice(&self) -> &[Found] {
        &self.joined
    }

    pub(super) fn into_vec(self) -> Vec<Found> {
        self.joined
    }

    /// The first one, to be cut.
    pub(super) fn first_mut(&mut self) -> Option<&mut Found> {
        self.joined.first_mut()
    }

    /// Takes those out that end at or before `end`.
    pub(super) fn take_until(&mut self, end: u64) -> Vec<Found> {
        let count = self.joined.partition_point(|found| found.end <= end);
        self.joined.drain(..count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(start: u64, end: u64, name: usize) -> Found {
        Found { start, end, name }
    }

    #[test]
    fn overlapping_finds_are_joined_and_adjacent_ones_are_not() {
        let finds = [
            found(8, 20, 1),
            found(0, 12, 0),
            found(20, 30, 2),
            found(40, 48, 3),
        ];
        let joined = Overlaps::of(finds.to_vec()).into_vec();
        assert_eq!(
            joined,
            [found(0, 20, 0), found(20, 30, 2), found(40, 48, 3)]
        );
    }

    #[test]
    fn a_find_that_covers_several_replaces_them() {
        let joined = Overlaps::of(vec![found(5, 13, 0), found(20, 28, 1), found(5, 40, 2)]);
        assert_eq!(joined.into_vec(), [found(5, 40, 2)]);
    }
}
