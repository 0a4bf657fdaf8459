//! Claims about the module as a whole.

mod coverage;
mod exhaustive;
mod not_covered;
mod random;
mod replacing;
mod scanning;
mod streams;

use proptest::test_runner::Config;

use super::{SecretFilter, Secrets};

/// Values of several kinds; together they reach every branch of the forms.
const VALUES: [&str; 8] = [
    "abcdefgh",
    "sk-proj-Ab3_dEf6GhI9",
    "p@ss/w<o>r&d+1='\"`\\",
    "naïve-sécret-\u{1f511}",
    "two words ~*!()",
    "line one of it!!\nline two of it!!",
    "aaaaaaaaaaaa",
    "}${REDACTED:A}",
];

/// At least `cases` runs of a property; `PROPTEST_CASES` may ask for more.
fn at_least(cases: u32) -> Config {
    let asked = Config::default();
    Config {
        cases: asked.cases.max(cases),
        failure_persistence: None,
        ..asked
    }
}

/// The filter of these values, named `A`, `B` and so on.
fn filter<T: AsRef<[u8]>>(values: &[T]) -> SecretFilter {
    let mut secrets = Secrets::new();
    for (value, letter) in values.iter().zip('A'..) {
        secrets.add(&letter.to_string(), value).unwrap();
    }
    SecretFilter::new(&secrets).unwrap()
}

/// Where secrets are, with their names.
fn found(filter: &SecretFilter, bytes: impl AsRef<[u8]>) -> Vec<(String, usize, usize)> {
    filter
        .find(bytes.as_ref())
        .map(|hit| (hit.name.to_string(), hit.span.start, hit.span.end))
        .collect()
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}
