//! The conformance vectors: every one below `tests/vectors`, or below the
//! folder that `CASSETTE_VECTORS` names, is run, or counted as not covered yet.
#![cfg(test)]

mod audit;
mod class;
mod deviations;
mod fork;
mod matching;
mod outcome;
mod payload;
mod projection;
mod record;
mod recorded;
mod replay;
mod report;
mod vector;

use deviations::Deviations;
use report::Report;
use vector::{Kind, Outcome, Vector};

#[test]
fn conformance() {
    let folder = vector::folder();
    let mut deviations = Deviations::read(&folder);
    let mut report = Report::default();
    for vector in vector::all(&folder) {
        let as_recorded = run(&vector, &vector.expect);
        let outcome = match deviations.take(&vector) {
            None => as_recorded,
            Some(_) if as_recorded == Outcome::Passed => Outcome::Failed(
                "passes as it is: its section in DEVIATIONS.md is not needed".into(),
            ),
            Some(ours) => match run(&vector, &ours) {
                Outcome::Passed => Outcome::Deviates,
                other => other,
            },
        };
        report.add(&vector, outcome);
    }
    for section in deviations.left() {
        report.fail(format!(
            "DEVIATIONS.md has a section `{section}`, which names no vector"
        ));
    }
    assert!(report.print(), "conformance vectors failed, see above");
}

fn run(vector: &Vector, expect: &serde_json::Value) -> Outcome {
    match vector.kind {
        Kind::Replay => replay::run(vector, expect),
        Kind::Record => record::run(vector, expect),
        Kind::Projection => projection::run(vector, expect),
        Kind::Matching => matching::run(vector, expect),
        Kind::Audit => audit::run(vector, expect),
        Kind::Fork => fork::run(vector, expect),
    }
}
