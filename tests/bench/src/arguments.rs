//! The command line.

use std::path::PathBuf;

use anyhow::{Context as _, bail};

const USAGE: &str = "usage: cargo xtask bench [--json] [--quick] [--input DIR] [--only PART]…\n\
                     parts: tape, bind, pass-through, growth";

/// A group of measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Everything that is done with a tape, over several sizes of payload.
    Tape,
    /// Binding of transcripts.
    Bind,
    /// Processes.
    PassThrough,
    /// The same over larger tapes and more connections.
    Growth,
}

/// How the figures are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A table.
    Table,
    /// One JSON document with the figures of every pair.
    Json,
}

/// How long it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Minutes, for figures.
    Full,
    /// Seconds, only to see that everything runs.
    Quick,
}

/// What is to be measured.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// How the figures are printed.
    pub(crate) form: Form,
    /// How long it takes.
    pub(crate) effort: Effort,
    /// A cassette that is measured instead of made ones.
    pub(crate) input: Option<PathBuf>,
    only: Vec<Part>,
}

impl Arguments {
    /// Reads the arguments of a run.
    ///
    /// # Errors
    /// Unknown words, and an option without its value.
    pub(crate) fn parse(words: &[&str]) -> anyhow::Result<Self> {
        let mut arguments = Self {
            form: Form::Table,
            effort: Effort::Full,
            input: None,
            only: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().context(USAGE);
            match *word {
                "--json" => arguments.form = Form::Json,
                "--quick" => arguments.effort = Effort::Quick,
                "--input" => arguments.input = Some(PathBuf::from(value()?)),
                "--only" => arguments.only.push(part(value()?)?),
                _ => bail!(USAGE),
            }
        }
        Ok(arguments)
    }

    /// Whether this part is to be measured. Of a given cassette only what is done with tapes is.
    pub(crate) fn wants(&self, part: Part) -> bool {
        if self.input.is_some() {
            return part == Part::Tape;
        }
        self.only.is_empty() || self.only.contains(&part)
    }
}

fn part(name: &str) -> anyhow::Result<Part> {
    match name {
        "tape" => Ok(Part::Tape),
        "bind" => Ok(Part::Bind),
        "pass-through" => Ok(Part::PassThrough),
        "growth" => Ok(Part::Growth),
        _ => bail!(USAGE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_measured_unless_parts_are_chosen() {
        let all = Arguments::parse(&["--json"]).unwrap();
        assert_eq!(all.form, Form::Json);
        assert!(all.wants(Part::Bind) && all.wants(Part::Growth));

        let some = Arguments::parse(&["--only", "bind", "--only", "growth", "--quick"]).unwrap();
        assert_eq!(some.effort, Effort::Quick);
        assert!(some.wants(Part::Bind) && some.wants(Part::Growth) && !some.wants(Part::Tape));
    }

    #[test]
    fn of_a_given_cassette_only_what_is_done_with_tapes_is_measured() {
        let given = Arguments::parse(&["--input", "a b"]).unwrap();

        assert_eq!(given.input, Some(PathBuf::from("a b")));
        assert!(given.wants(Part::Tape) && !given.wants(Part::Bind));
    }

    #[test]
    fn unknown_words_and_missing_values_are_refused_with_the_usage() {
        for words in [&["x"][..], &["--input"], &["--only", "tea"]] {
            let error = Arguments::parse(words).unwrap_err();
            assert_eq!(error.to_string(), USAGE);
        }
    }
}
