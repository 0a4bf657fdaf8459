//! A run: the binaries are built, then one scenario is tried after the other.

use std::fs;
use std::io::{self, Write as _};
use std::time::Duration;

use anyhow::{Context as _, bail};

use super::arguments::Arguments;
use super::binaries::Binaries;
use super::catalogue::SCENARIOS;
use super::outcome::Outcome;
use super::scenario::Scenario;
use super::table::table;
use super::trial::{self, Bounds, Trial};
use crate::ci::Outcome as Step;
use crate::metadata::Metadata;

/// No test of the short form takes nearly as long.
const SHORT_LIMIT: Duration = Duration::from_secs(10 * 60);
/// Nor one of the long form.
const LONG_LIMIT: Duration = Duration::from_secs(12 * 60 * 60);

/// The short form, as `ci` runs it.
pub(crate) fn short_form(metadata: &Metadata) -> anyhow::Result<Step> {
    faults(metadata, &Arguments::default())
}

/// Tries what is asked for, and prints the table; fails if something did not hold.
pub(crate) fn faults(metadata: &Metadata, asked: &Arguments) -> anyhow::Result<Step> {
    if std::env::consts::OS != "linux" {
        let reason = "kills, limits and traces of Linux are needed";
        return Ok(Step::Skipped(reason.to_owned()));
    }
    let mut out = io::stdout();
    let scenarios = chosen(asked.only.as_deref())?;
    let binaries = Binaries::build(metadata, &scenarios)?;
    let logs = metadata.target.join("faults");
    fs::create_dir_all(&logs).with_context(|| format!("cannot make {}", logs.display()))?;
    let mut trials: Vec<Trial> = Vec::new();
    for (number, scenario) in (1..).zip(&scenarios) {
        let rounds = scenario.rounds(asked.rounds);
        write!(out, "[{number}/{}] {} … ", scenarios.len(), scenario.name)?;
        out.flush()?;
        let member = metadata
            .members
            .iter()
            .find(|member| member.name == scenario.package)
            .with_context(|| format!("no member `{}`", scenario.package))?;
        let bounds = Bounds {
            binary: binaries.of(scenario)?,
            folder: &metadata.root.join(&member.folder),
            log: &logs.join(format!("{number}.log")),
            limit: asked.rounds.map_or(SHORT_LIMIT, |_| LONG_LIMIT),
        };
        let trial = trial::run(scenario, rounds, &bounds)?;
        writeln!(out, "{:.1} s", trial.took.as_secs_f64())?;
        if let Outcome::Failed(reason) = &trial.outcome {
            writeln!(out, "FAILED: {reason}\n{}", trial.printed)?;
        }
        trials.push(trial);
    }
    writeln!(out, "\n{}", table(&trials))?;
    let failed = trials
        .iter()
        .filter(|trial| matches!(trial.outcome, Outcome::Failed(_)))
        .map(|trial| trial.name);
    let failed: Vec<&str> = failed.collect();
    if !failed.is_empty() {
        bail!("did not hold: {}", failed.join(", "));
    }
    Ok(Step::Passed)
}

/// The scenarios whose names begin so.
fn chosen(only: Option<&str>) -> anyhow::Result<Vec<&'static Scenario>> {
    let only = only.unwrap_or_default();
    let chosen = SCENARIOS
        .iter()
        .filter(|scenario| scenario.name.starts_with(only));
    let chosen: Vec<&Scenario> = chosen.collect();
    if chosen.is_empty() {
        let names: Vec<&str> = SCENARIOS.iter().map(|it| it.name).collect();
        bail!("no scenario `{only}`; there are:\n{}", names.join("\n"));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_of_a_name_chooses_and_an_unknown_one_is_refused_with_all_names() {
        assert_eq!(chosen(None).unwrap().len(), SCENARIOS.len());
        let bind = chosen(Some("bind")).unwrap();
        assert!(!bind.is_empty() && bind.len() < SCENARIOS.len());

        let error = chosen(Some("polish")).unwrap_err().to_string();

        assert!(
            error.starts_with("no scenario `polish`; there are:\n"),
            "{error}"
        );
    }
}
