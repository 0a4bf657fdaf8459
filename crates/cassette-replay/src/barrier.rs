//! How far the host handles messages. Nothing waits here.

use std::collections::BTreeMap;

use cassette_format::process::{CursorError, UnitError, UnitPosition};
use cassette_format::schema::{ChunkSeq, ConnectionId};

/// The targets of a player's cursor, and what its host has handled.
#[derive(Debug, Default)]
pub(crate) struct Barrier {
    targets: Option<BTreeMap<ConnectionId, Place>>,
    handled: BTreeMap<ConnectionId, Place>,
}

/// A message: in which chunk it ends, and which of those that end there it is.
type Place = (ChunkSeq, u64);

/// Whether the host goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    Held,
}

impl Barrier {
    /// Sets a target for each connection that may handle anything.
    pub(crate) fn set(&mut self, targets: &[UnitPosition]) -> Result<(), CursorError> {
        let mut places = BTreeMap::new();
        for target in targets {
            let connection_id = target.connection_id.clone();
            if connection_id.as_str().trim().is_empty() {
                return Err(CursorError::EmptyConnection);
            }
            if places
                .insert(connection_id.clone(), place(target))
                .is_some()
            {
                return Err(CursorError::Duplicate { connection_id });
            }
        }
        for (connection_id, handled) in &self.handled {
            if places
                .get(connection_id)
                .is_none_or(|target| target < handled)
            {
                let (chunk_seq, unit_index) = *handled;
                return Err(CursorError::Behind {
                    connection_id: connection_id.clone(),
                    chunk_seq,
                    unit_index,
                });
            }
        }
        self.targets = Some(places);
        Ok(())
    }

    /// Takes the targets away.
    pub(crate) fn clear(&mut self) {
        self.targets = None;
    }

    /// What each connection has handled last.
    pub(crate) fn cursor(&self) -> Vec<UnitPosition> {
        let handled = self.handled.iter();
        handled
            .map(|(connection_id, (chunk_seq, unit_index))| UnitPosition {
                connection_id: connection_id.clone(),
                chunk_seq: *chunk_seq,
                unit_index: *unit_index,
            })
            .collect()
    }

    /// The host has handled a message.
    pub(crate) fn complete(&mut self, unit: &UnitPosition) -> Result<Gate, UnitError> {
        let (connection_id, place) = (&unit.connection_id, place(unit));
        if self
            .handled
            .get(connection_id)
            .is_some_and(|last| place < *last)
        {
            return Err(UnitError::MovedBackward {
                connection_id: connection_id.clone(),
                chunk_seq: unit.chunk_seq,
            });
        }
        self.handled.insert(connection_id.clone(), place);
        let Some(targets) = &self.targets else {
            return Ok(Gate::Open);
        };
        match targets.get(connection_id) {
            Some(target) if place <= *target => Ok(self.gate(unit)),
            _ => Err(UnitError::Overshot {
                connection_id: connection_id.clone(),
                chunk_seq: unit.chunk_seq,
            }),
        }
    }

    /// Whether the host goes on behind a message that it has handled.
    pub(crate) fn gate(&self, unit: &UnitPosition) -> Gate {
        let targets = self.targets.as_ref();
        let target = targets.and_then(|targets| targets.get(&unit.connection_id));
        if target == Some(&place(unit)) {
            Gate::Held
        } else {
            Gate::Open
        }
    }

    /// Whether a connection waits at its target.
    pub(crate) fn holds(&self, connection_id: &ConnectionId) -> bool {
        let targets = self.targets.as_ref();
        let target = targets.and_then(|targets| targets.get(connection_id));
        target.is_some() && target == self.handled.get(connection_id)
    }
}

const fn place(unit: &UnitPosition) -> Place {
    (unit.chunk_seq, unit.unit_index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(connection: &str, chunk: u64, index: u64) -> UnitPosition {
        UnitPosition {
            connection_id: ConnectionId::from_recorded(connection),
            chunk_seq: ChunkSeq::new(chunk),
            unit_index: index,
        }
    }

    #[test]
    fn what_lies_before_the_target_passes_and_the_target_is_held_until_it_moves() {
        let mut barrier = Barrier::default();
        barrier.set(&[unit("a", 3, 2)]).unwrap();
        assert_eq!(barrier.complete(&unit("a", 2, 9)).unwrap(), Gate::Open);
        assert_eq!(barrier.complete(&unit("a", 3, 2)).unwrap(), Gate::Held);
        assert!(barrier.holds(&ConnectionId::from_recorded("a")));
        assert_eq!(barrier.complete(&unit("a", 3, 2)).unwrap(), Gate::Held);
        barrier.set(&[unit("a", 4, 1)]).unwrap();
        assert_eq!(barrier.gate(&unit("a", 3, 2)), Gate::Open);
        barrier.set(&[unit("a", 3, 2)]).unwrap();
        barrier.clear();
        assert_eq!(barrier.gate(&unit("a", 3, 2)), Gate::Open);
        assert_eq!(barrier.cursor(), [unit("a", 3, 2)]);
    }

    #[test]
    fn what_lies_behind_the_target_or_has_none_is_overshot() {
        let mut barrier = Barrier::default();
        barrier.set(&[unit("a", 1, 1)]).unwrap();
        for over in [unit("a", 1, 2), unit("b", 1, 1)] {
            let refused = barrier.complete(&over);
            assert!(matches!(refused, Err(UnitError::Overshot { .. })));
        }
    }

    #[test]
    fn nothing_is_handled_backward() {
        let mut barrier = Barrier::default();
        barrier.complete(&unit("a", 2, 1)).unwrap();
        let refused = barrier.complete(&unit("a", 1, 8));
        assert!(matches!(refused, Err(UnitError::MovedBackward { .. })));
        assert_eq!(barrier.cursor(), [unit("a", 2, 1)]);
    }

    #[test]
    fn targets_that_are_refused_change_nothing() {
        let mut barrier = Barrier::default();
        barrier.complete(&unit("a", 2, 1)).unwrap();
        barrier.set(&[unit("a", 2, 1), unit("b", 1, 1)]).unwrap();
        for refused in [
            vec![unit("b", 9, 1)],
            vec![unit("a", 1, 1)],
            vec![unit("a", 9, 1), unit(" ", 1, 1)],
            vec![unit("a", 9, 1), unit("a", 9, 1)],
            vec![],
        ] {
            assert!(barrier.set(&refused).is_err());
            assert!(barrier.holds(&ConnectionId::from_recorded("a")));
        }
    }
}
