//! How the cost of what is done with tapes grows with the tape and with its connections.

use serde::Serialize;

use crate::case::Case;
use crate::cost::{Cost, Spread};
use crate::operation::Operation;
use crate::peak;

/// How the cost of one thing grows.
#[derive(Debug, Serialize)]
pub(crate) struct Growth {
    /// What was done.
    pub(crate) what: &'static str,
    /// With what it grows.
    pub(crate) along: String,
    /// Ever more of it.
    pub(crate) points: Vec<Point>,
}

/// The cost at one size.
#[derive(Debug, Serialize)]
pub(crate) struct Point {
    /// The size.
    pub(crate) name: String,
    /// Bytes of the tape.
    bytes: u64,
    /// Memory in bytes that was taken at most.
    pub(crate) peak: Option<u64>,
    /// What each round took.
    rounds: Vec<Cost>,
}

impl Growth {
    /// Measures the cost of `operation` with each case, in `rounds` over all of them.
    pub(crate) fn measure(
        operation: &Operation,
        along: &str,
        (cases, rounds): (&[Case], usize),
    ) -> anyhow::Result<Self> {
        let point = |case: &Case| Point {
            name: case.name.clone(),
            bytes: case.manifest().stored_bytes,
            peak: peak::of(operation, case),
            rounds: Vec::new(),
        };
        let mut points: Vec<Point> = cases.iter().map(point).collect();
        for _ in 0..rounds {
            for (case, point) in cases.iter().zip(&mut points) {
                point.rounds.push((operation.ours)(case)?);
            }
        }
        Ok(Self {
            what: operation.name,
            along: along.to_owned(),
            points,
        })
    }

    /// How many times a byte of the last costs what one of the first did, round by round: 1 where
    /// the cost is linear.
    pub(crate) fn last_a_first(&self) -> Option<Spread> {
        let (first, last) = (self.points.first()?, self.points.last()?);
        let ratios = last
            .each()
            .zip(first.each())
            .map(|(last, first)| last / first);
        Spread::of(ratios)
    }
}

impl Point {
    /// Processor time of a byte.
    pub(crate) fn nanoseconds_a_byte(&self) -> Option<Spread> {
        Spread::of(self.each())
    }

    fn each(&self) -> impl Iterator<Item = f64> {
        let bytes = self.bytes as f64;
        let rounds = self.rounds.iter();
        rounds.filter_map(move |cost| Some(cost.cpu? * 1e9 / bytes))
    }
}
