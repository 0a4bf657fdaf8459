//! The table at the end.

use std::fmt::Write as _;

use super::outcome::Outcome;
use super::trial::Trial;

/// All trials, a row each, and their totals.
pub(crate) fn table(trials: &[Trial]) -> String {
    let width = trials.iter().map(|trial| trial.name.len()).max();
    let width = width.unwrap_or(0);
    let mut text = format!(
        "{:<width$}  {:>9}  {:>8}  {:<7}  counted by the test\n",
        "scenario", "rounds", "seconds", "result"
    );
    for trial in trials {
        let (result, told) = match &trial.outcome {
            Outcome::Held(facts) => ("held", facts),
            Outcome::Skipped(reason) => ("SKIPPED", reason),
            Outcome::Failed(reason) => ("FAILED", reason),
        };
        let (name, rounds) = (trial.name, trial.rounds);
        let seconds = trial.took.as_secs_f64();
        // Writing to a string does not fail.
        writeln!(
            text,
            "{name:<width$}  {rounds:>9}  {seconds:>8.1}  {result:<7}  {told}"
        )
        .ok();
    }
    let count = |is: fn(&Outcome) -> bool| trials.iter().filter(|it| is(&it.outcome)).count();
    let seconds: f64 = trials.iter().map(|trial| trial.took.as_secs_f64()).sum();
    writeln!(
        text,
        "{} held, {} skipped, {} failed in {seconds:.1} s",
        count(|it| matches!(it, Outcome::Held(_))),
        count(|it| matches!(it, Outcome::Skipped(_))),
        count(|it| matches!(it, Outcome::Failed(_))),
    )
    .ok();
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_row_a_trial_and_the_totals() {
        let trial = |name, outcome| Trial {
            name,
            rounds: 300,
            took: Duration::from_millis(1500),
            outcome,
            printed: String::new(),
        };
        let trials = [
            trial("kills", Outcome::Held("300 kills".to_owned())),
            trial("full disk", Outcome::Skipped("no unshare".to_owned())),
            trial("swaps", Outcome::Failed("the test failed".to_owned())),
        ];

        let expected = "\
scenario      rounds   seconds  result   counted by the test
kills            300       1.5  held     300 kills
full disk        300       1.5  SKIPPED  no unshare
swaps            300       1.5  FAILED   the test failed
1 held, 1 skipped, 1 failed in 4.5 s
";
        assert_eq!(table(&trials), expected);
    }
}
