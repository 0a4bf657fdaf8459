//! What came of one test, by what it printed.

/// Before the facts that a test has counted.
const FACTS: &str = "faults: ";
/// After that, instead of facts: why the test could not be done.
const SKIPPED: &str = "skipped: ";

/// What came of a test.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All held; what was counted.
    Held(String),
    /// It could not be tried here, for this reason.
    Skipped(String),
    /// Something did not hold, or nothing was tried.
    Failed(String),
}

impl Outcome {
    /// Judges what a test binary printed; `succeeded` says how it ended.
    pub(crate) fn of(printed: &str, succeeded: bool) -> Self {
        if !succeeded {
            return Self::Failed("the test failed".to_owned());
        }
        if !printed.contains("test result: ok. 1 passed;") {
            return Self::Failed("no test of this name".to_owned());
        }
        // The harness begins a line with the name of the test, and the test goes on in it.
        let facts = printed.lines().filter_map(|line| {
            let (before, facts) = line.split_once(FACTS)?;
            let is_start = before.is_empty() || before.ends_with(" ... ");
            is_start.then(|| facts.trim())
        });
        let (skipped, facts): (Vec<&str>, Vec<&str>) =
            facts.partition(|fact| fact.starts_with(SKIPPED));
        match (facts.as_slice(), skipped.as_slice()) {
            ([], []) => Self::Failed("the test told no facts".to_owned()),
            ([], [first, ..]) => Self::Skipped(first[SKIPPED.len()..].to_owned()),
            (facts, skipped) => Self::Held([facts, skipped].concat().join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSED: &str = "\ntest result: ok. 1 passed; 0 failed;";

    #[test]
    fn facts_are_taken_from_lines_of_their_own_and_behind_the_tests_name() {
        let printed = format!("test a::b ... faults: 3 kills\nfaults: 4 cuts\nok{PASSED}");

        let outcome = Outcome::of(&printed, true);

        assert_eq!(outcome, Outcome::Held("3 kills; 4 cuts".to_owned()));
    }

    #[test]
    fn what_is_skipped_is_told_with_its_reason_also_beside_facts() {
        let skipped = format!("faults: skipped: no strace here{PASSED}");
        assert_eq!(
            Outcome::of(&skipped, true),
            Outcome::Skipped("no strace here".to_owned())
        );

        let partly = format!("faults: skipped: no disk\nfaults: 2 limits{PASSED}");
        assert_eq!(
            Outcome::of(&partly, true),
            Outcome::Held("2 limits; skipped: no disk".to_owned())
        );
    }

    #[test]
    fn a_test_that_did_not_run_or_told_nothing_has_failed() {
        let none = "running 0 tests\ntest result: ok. 0 passed; 0 failed;";
        assert_eq!(
            Outcome::of(none, true),
            Outcome::Failed("no test of this name".to_owned())
        );
        assert_eq!(
            Outcome::of(PASSED, true),
            Outcome::Failed("the test told no facts".to_owned())
        );
        let failed = format!("faults: 3 kills{PASSED}");
        assert!(matches!(Outcome::of(&failed, false), Outcome::Failed(_)));
    }
}
