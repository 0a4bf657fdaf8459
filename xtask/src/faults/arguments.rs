//! What the command line asks for.

use anyhow::{Context as _, bail};

/// How much is tried, and what.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// The measure of the long form; without it, it is the short one.
    pub(crate) rounds: Option<u64>,
    /// Only the scenarios whose names begin so.
    pub(crate) only: Option<String>,
}

impl Arguments {
    /// Reads what follows `faults`.
    pub(crate) fn parse(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut parsed = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let value = arguments
                .next()
                .with_context(|| format!("{argument} needs a value"))?;
            match *argument {
                "--rounds" => {
                    let rounds = value.parse().ok().filter(|rounds| *rounds > 0);
                    parsed.rounds =
                        Some(rounds.with_context(|| format!("`{value}` is no number of rounds"))?);
                }
                "--only" => parsed.only = Some((*value).to_owned()),
                _ => bail!("unknown argument `{argument}`"),
            }
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_and_a_name_are_taken_in_any_order() {
        let parsed = Arguments::parse(&["--only", "bind", "--rounds", "7"]).unwrap();

        let expected = Arguments {
            rounds: Some(7),
            only: Some("bind".to_owned()),
        };
        assert_eq!(parsed, expected);
        assert_eq!(Arguments::parse(&[]).unwrap(), Arguments::default());
    }

    #[test]
    fn no_rounds_and_no_number_are_refused() {
        for wrong in [&["--rounds", "0"][..], &["--rounds", "many"]] {
            let error = Arguments::parse(wrong).unwrap_err().to_string();
            assert!(error.ends_with("is no number of rounds"), "{error}");
        }
        let error = Arguments::parse(&["--rounds"]).unwrap_err();
        assert_eq!(error.to_string(), "--rounds needs a value");
    }
}
