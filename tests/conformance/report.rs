//! What is printed: a line for each failure, totals for each kind.

use std::collections::BTreeMap;

use crate::vector::{Kind, Outcome, Vector};

#[derive(Debug, Default)]
pub(crate) struct Report {
    kinds: BTreeMap<Kind, Totals>,
    failures: Vec<String>,
}

#[derive(Debug, Default)]
struct Totals {
    passed: usize,
    deviating: usize,
    failed: usize,
    not_covered: usize,
}

impl Report {
    pub(crate) fn add(&mut self, vector: &Vector, outcome: Outcome) {
        let totals = self.kinds.entry(vector.kind).or_default();
        match outcome {
            Outcome::Passed => totals.passed += 1,
            Outcome::Deviates => totals.deviating += 1,
            Outcome::NotCovered => totals.not_covered += 1,
            Outcome::Failed(reason) => {
                totals.failed += 1;
                self.failures.push(format!("{}: {reason}", vector.title()));
            }
        }
    }

    pub(crate) fn fail(&mut self, reason: String) {
        self.failures.push(reason);
    }

    /// Prints everything; says whether nothing failed.
    pub(crate) fn print(&self) -> bool {
        for failure in &self.failures {
            println!("FAILED {failure}");
        }
        println!(
            "{:<12}{:>8}{:>10}{:>8}{:>13}",
            "vectors", "passed", "deviating", "failed", "not covered"
        );
        for (kind, totals) in &self.kinds {
            println!(
                "{:<12}{:>8}{:>10}{:>8}{:>13}",
                kind.folder(),
                totals.passed,
                totals.deviating,
                totals.failed,
                totals.not_covered
            );
        }
        self.failures.is_empty()
    }
}
