//! Claims about the module as a whole: properties, oracles, extremes.

mod documents;
mod editing;
mod extremes;
mod framing;
mod raw_value;
mod scanning;

use proptest::test_runner::Config;

/// At least `cases` runs of a property; `PROPTEST_CASES` may ask for more.
fn at_least(cases: u32) -> Config {
    let asked = Config::default();
    Config {
        cases: asked.cases.max(cases),
        failure_persistence: None,
        ..asked
    }
}
