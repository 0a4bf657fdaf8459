//! What was measured of one thing in one case.

use serde::{Serialize, Serializer};

use crate::cost::{Pair, Spread};

/// One line of the table.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// What was done.
    pub(crate) what: String,
    /// With what.
    pub(crate) case: String,
    /// The least that it could be.
    pub(crate) limit: &'static str,
    /// What is aimed at.
    pub(crate) goal: Goal,
    /// How much was done.
    pub(crate) amount: Amount,
    /// Memory in bytes that our work took at most, beside what it was given.
    pub(crate) peak: Option<u64>,
    /// What was measured.
    pub(crate) pairs: Vec<Pair>,
}

/// How much was done.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Amount {
    /// How many.
    pub(crate) count: u64,
    /// Of what.
    pub(crate) unit: Unit,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    /// Bytes of a file or stream.
    Bytes,
    /// Frames of a tape.
    Frames,
    /// Messages that were sent and came back.
    RoundTrips,
    /// Processes from their start to their exit.
    Processes,
}

/// What is aimed at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    /// Nothing was said.
    None,
    /// At most so many times the limit by the wall's clock.
    Wall(f64),
    /// At most so many times the limit in processor time.
    Cpu(f64),
    /// At least so many a second.
    Rate(f64),
}

impl Row {
    /// The ratios of the pairs by the wall's clock.
    pub(crate) fn wall_ratios(&self) -> Option<Spread> {
        Spread::of(self.pairs.iter().map(Pair::wall_ratio))
    }

    /// The ratios of the pairs in processor time.
    pub(crate) fn cpu_ratios(&self) -> Option<Spread> {
        Spread::of(self.pairs.iter().filter_map(Pair::cpu_ratio))
    }

    /// How many a second, in the middle of the pairs.
    pub(crate) fn rate(&self) -> Option<f64> {
        let wall = Spread::of(self.pairs.iter().map(|pair| pair.ours.wall))?;
        Some(self.amount.count as f64 / wall.median)
    }

    /// Whether what is aimed at was reached, if anything is and it was measured.
    pub(crate) fn is_met(&self) -> Option<bool> {
        match self.goal {
            Goal::None => None,
            Goal::Wall(times) => Some(self.wall_ratios()?.median <= times),
            Goal::Cpu(times) => Some(self.cpu_ratios()?.median <= times),
            Goal::Rate(rate) => Some(self.rate()? >= rate),
        }
    }
}

impl Goal {
    /// In words; empty where there is none.
    pub(crate) fn text(self) -> String {
        match self {
            Self::None => String::new(),
            Self::Wall(times) => format!("wall ≤ {times} ×"),
            Self::Cpu(times) => format!("CPU ≤ {times} ×"),
            Self::Rate(rate) => format!("≥ {rate:.0}/s"),
        }
    }
}

impl Serialize for Goal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = Some(self.text()).filter(|text| !text.is_empty());
        text.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Cost;

    fn row(goal: Goal) -> Row {
        let cost = |wall, cpu| Cost {
            wall,
            cpu: Some(cpu),
        };
        let pair = |ours, limit| Pair { ours, limit };
        Row {
            what: "load".into(),
            case: "600 B".into(),
            limit: "sha256",
            goal,
            amount: Amount {
                count: 100,
                unit: Unit::Frames,
            },
            peak: None,
            pairs: vec![
                pair(cost(2.0, 6.0), cost(1.0, 2.0)),
                pair(cost(3.0, 8.0), cost(1.0, 2.0)),
                pair(cost(1.0, 4.0), cost(1.0, 2.0)),
            ],
        }
    }

    #[test]
    fn a_goal_is_met_by_the_middle_of_the_pairs() {
        for (goal, met) in [
            (Goal::Wall(2.0), Some(true)),
            (Goal::Wall(1.9), Some(false)),
            (Goal::Cpu(3.0), Some(true)),
            (Goal::Cpu(2.9), Some(false)),
            (Goal::Rate(50.0), Some(true)),
            (Goal::Rate(51.0), Some(false)),
            (Goal::None, None),
        ] {
            assert_eq!(row(goal).is_met(), met, "{goal:?}");
        }
    }
}
