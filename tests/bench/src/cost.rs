//! What one piece of work took, and measuring two kinds of work by turns.

use std::time::Instant;

use serde::Serialize;

use crate::sys;

/// Seconds that one piece of work took.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Cost {
    /// By the wall's clock.
    pub(crate) wall: f64,
    /// Of all processors, where that can be told.
    pub(crate) cpu: Option<f64>,
}

/// What ours took and what its limit took, one right after the other.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Pair {
    /// Our work.
    pub(crate) ours: Cost,
    /// The least that it could be.
    pub(crate) limit: Cost,
}

/// The middle one of some figures and the two at the ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Spread {
    /// In the middle.
    pub(crate) median: f64,
    /// The least.
    pub(crate) min: f64,
    /// The most.
    pub(crate) max: f64,
}

impl Cost {
    /// Works, and says what that took of this process's time.
    pub(crate) fn of<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(Self, T)> {
        let (wall, cpu) = (Instant::now(), sys::cpu_seconds());
        let done = work()?;
        let took = Self {
            wall: wall.elapsed().as_secs_f64(),
            cpu: difference(sys::cpu_seconds(), cpu),
        };
        Ok((took, done))
    }

    /// With processor time of another process, from one moment to another.
    pub(crate) fn and_child(mut self, after: Option<f64>, before: Option<f64>) -> Self {
        let child = difference(after, before);
        self.cpu = self.cpu.and_then(|cpu| Some(cpu + child?));
        self
    }
}

impl Pair {
    /// How many times the limit our work took by the wall's clock.
    pub(crate) fn wall_ratio(&self) -> f64 {
        self.ours.wall / self.limit.wall
    }

    /// How many times the limit our work took of processors.
    pub(crate) fn cpu_ratio(&self) -> Option<f64> {
        Some(self.ours.cpu? / self.limit.cpu?)
    }
}

impl Spread {
    /// The spread of some figures; none of none.
    pub(crate) fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut figures: Vec<f64> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        Some(Self {
            median: *figures.get(figures.len() / 2)?,
            min: *figures.first()?,
            max: *figures.last()?,
        })
    }
}

/// Measures both by turns, so that a slow spell of the machine meets both; which of the two comes
/// first changes from pair to pair. Where there is more than one pair, both warm up before.
pub(crate) fn pairs(
    count: usize,
    mut ours: impl FnMut() -> anyhow::Result<Cost>,
    mut limit: impl FnMut() -> anyhow::Result<Cost>,
) -> anyhow::Result<Vec<Pair>> {
    if count > 1 {
        ours()?;
        limit()?;
    }
    let pair = |number: usize| {
        if number.is_multiple_of(2) {
            let ours = ours()?;
            let limit = limit()?;
            return Ok(Pair { ours, limit });
        }
        let limit = limit()?;
        let ours = ours()?;
        Ok(Pair { ours, limit })
    };
    (0..count).map(pair).collect()
}

fn difference(after: Option<f64>, before: Option<f64>) -> Option<f64> {
    Some(after? - before?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn pairs_are_measured_by_turns_and_change_their_order() {
        let order = RefCell::new(String::new());
        let took = |name| {
            order.borrow_mut().push(name);
            Ok(Cost {
                wall: 1.0,
                cpu: None,
            })
        };

        let pairs = pairs(3, || took('o'), || took('l')).unwrap();

        assert_eq!(pairs.len(), 3);
        assert_eq!(order.take(), "olollool");
    }

    #[test]
    fn the_middle_of_figures_is_between_the_ends() {
        let spread = Spread {
            median: 2.0,
            min: 1.0,
            max: 9.0,
        };

        assert_eq!(Spread::of([9.0, 1.0, 2.0]), Some(spread));
        assert_eq!(Spread::of([]), None);
    }
}
