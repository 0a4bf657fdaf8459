//! What one piece of work took, and measuring two kinds of work by turns.

use std::time::Instant;

use serde::Serialize;

use crate::sys;

/// Seconds below which a clock is not to be relied on.
const SHORT: f64 = 0.01;

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
/// first changes from pair to pair. Where there is more than one pair, both warm up before, and
/// what is short is done several times for one figure.
pub(crate) fn pairs(
    count: usize,
    mut ours: impl FnMut() -> anyhow::Result<Cost>,
    mut limit: impl FnMut() -> anyhow::Result<Cost>,
) -> anyhow::Result<Vec<Pair>> {
    let mut times = [1, 1];
    if count > 1 {
        times = [times_for(ours()?), times_for(limit()?)];
    }
    let mut ours = || mean(times[0], &mut ours);
    let mut limit = || mean(times[1], &mut limit);
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

/// How often something is done for one figure that took so long.
fn times_for(cost: Cost) -> u32 {
    (SHORT / cost.wall).ceil().clamp(1.0, 20.0) as u32
}

/// What something takes, done several times.
fn mean(times: u32, work: &mut impl FnMut() -> anyhow::Result<Cost>) -> anyhow::Result<Cost> {
    let mut sum = work()?;
    for _ in 1..times {
        let cost = work()?;
        sum.wall += cost.wall;
        sum.cpu = sum.cpu.and_then(|cpu| Some(cpu + cost.cpu?));
    }
    let times = f64::from(times);
    Ok(Cost {
        wall: sum.wall / times,
        cpu: sum.cpu.map(|cpu| cpu / times),
    })
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
    fn what_is_short_is_done_several_times_for_one_figure() {
        let (mut short, mut long) = (0, 0);
        let cost = |wall| Cost {
            wall,
            cpu: Some(wall / 2.0),
        };

        let pairs = pairs(
            2,
            || {
                short += 1;
                Ok(cost(0.004))
            },
            || {
                long += 1;
                Ok(cost(0.02))
            },
        );

        let pair = pairs.unwrap()[1];
        assert_eq!((short, long), (1 + 2 * 3, 1 + 2));
        assert!((pair.ours.wall - 0.004).abs() < 1e-9, "{pair:?}");
        assert!((pair.ours.cpu.unwrap() - 0.002).abs() < 1e-9, "{pair:?}");
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
