//! Whether the ordinals of records go up, and whether two writers count.

use super::damage::NoteKind;

/// Follows the ordinals of a rollout.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ordinals {
    /// Of the last record that had one.
    last: Option<u64>,
    /// Where they were before they repeated or went back last, or before the
    /// other writer went on.
    other: Option<u64>,
}

impl Ordinals {
    /// The one that comes next, if nothing is odd.
    pub(super) fn expected(&self) -> Option<u64> {
        self.last?.checked_add(1)
    }

    /// The next record has this ordinal; what is odd about that.
    pub(super) fn next(&mut self, ordinal: u64) -> Option<NoteKind> {
        let last = self.last.replace(ordinal)?;
        if last.checked_add(1) == Some(ordinal) {
            return None;
        }
        if self
            .other
            .is_some_and(|other| other.checked_add(1) == Some(ordinal))
        {
            self.other = Some(last);
            return Some(NoteKind::SecondWriter);
        }
        if ordinal > last {
            return None;
        }
        self.other = Some(last);
        Some(if ordinal == last {
            NoteKind::OrdinalDuplicate
        } else {
            NoteKind::OrdinalBackward
        })
    }
}

#[cfg(test)]
mod tests {
    use super::NoteKind::{OrdinalBackward, OrdinalDuplicate, SecondWriter};
    use super::*;

    fn notes(ordinals: &[u64]) -> Vec<Option<NoteKind>> {
        let mut follow = Ordinals::default();
        ordinals
            .iter()
            .map(|ordinal| follow.next(*ordinal))
            .collect()
    }

    #[test]
    fn ordinals_that_go_up_are_not_odd() {
        assert_eq!(notes(&[3, 4, 5, 9, u64::MAX]), [None; 5]);
        assert_eq!(notes(&[u64::MAX, 0]), [None, Some(OrdinalBackward)]);
    }

    #[test]
    fn repeated_and_lower_ones_are_told_once() {
        let expected = [None, None, Some(OrdinalDuplicate), None, None];
        assert_eq!(notes(&[0, 1, 1, 2, 3])[..3], expected[..3]);
        let expected = [None, None, None, Some(OrdinalBackward), None, None];
        assert_eq!(notes(&[5, 6, 7, 2, 3, 4]), expected);
    }

    #[test]
    fn the_head_that_was_left_and_goes_on_is_a_second_writer() {
        let expected = [
            None,
            None,
            None,
            Some(OrdinalBackward),
            Some(SecondWriter),
            Some(SecondWriter),
            None,
            Some(SecondWriter),
        ];
        assert_eq!(notes(&[5, 6, 7, 5, 8, 6, 7, 9]), expected);
        let expected = [None, Some(OrdinalDuplicate), None, Some(SecondWriter)];
        assert_eq!(notes(&[5, 5, 6, 6]), expected);
    }
}
