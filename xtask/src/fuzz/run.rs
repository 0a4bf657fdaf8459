//! Running targets in turn, and what is told of them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use super::FuzzOptions;
use super::statistics::Statistics;
use super::table::{Row, table};
use super::workshop::{Workshop, missing_tool};
use crate::ci;
use crate::metadata::Metadata;

/// Longest input in bytes.
const LONGEST: usize = 2048;
/// Most memory of a target in MiB.
const MEMORY: usize = 2048;
/// Seconds that one input may take.
const SLOWEST: u64 = 10;

/// Builds the targets, runs them in turn and prints a table; fails if any claim is broken.
pub(crate) fn fuzz(metadata: &Metadata, options: &FuzzOptions) -> anyhow::Result<ci::Outcome> {
    if let Some(reason) = missing_tool() {
        return Ok(ci::Outcome::Skipped(reason));
    }
    let workshop = Workshop::open(metadata)?;
    let targets = asked(workshop.targets()?, options)?;
    workshop.build()?;
    let count = u32::try_from(targets.len()).unwrap_or(u32::MAX);
    let time = (options.time / count).max(Duration::from_secs(1));
    let mut rows = Vec::new();
    let mut found = Vec::new();
    for target in targets {
        writeln!(io::stdout(), "{target}: {} s", time.as_secs())?;
        let outcome = run(&workshop, &target, (time, options.seed))?;
        found.extend(outcome.findings);
        rows.push(outcome.row);
    }
    write!(io::stdout(), "\n{}", table(&rows))?;
    if found.is_empty() {
        return Ok(ci::Outcome::Passed);
    }
    bail!("claims are broken: {}{}", found.len(), found.concat())
}

/// The one that is asked for, or all.
fn asked(targets: Vec<String>, options: &FuzzOptions) -> anyhow::Result<Vec<String>> {
    match &options.target {
        None => Ok(targets),
        Some(target) if targets.contains(target) => Ok(vec![target.clone()]),
        Some(target) => bail!("no target `{target}`; there are: {}", targets.join(", ")),
    }
}

/// What came of one target.
#[derive(Debug)]
struct Outcome {
    row: Row,
    /// A text for each input that breaks a claim.
    findings: Vec<String>,
}

fn run(
    workshop: &Workshop,
    target: &str,
    (time, seed): (Duration, u32),
) -> anyhow::Result<Outcome> {
    let (binary, log) = (workshop.binary(target), workshop.log(target)?);
    let findings = workshop.findings(target)?;
    let corpora = workshop.corpora(target)?;
    let before = entries(&findings)?;
    let mut prefix = OsString::from("-artifact_prefix=");
    prefix.push(findings.join(""));
    let mut command = Command::new(&binary);
    command
        .arg(format!("-max_total_time={}", time.as_secs()))
        .arg(format!("-seed={seed}"))
        .arg(format!("-max_len={LONGEST}"))
        .arg(format!("-rss_limit_mb={MEMORY}"))
        .arg(format!("-timeout={SLOWEST}"))
        .arg("-print_final_stats=1")
        .arg(prefix)
        .args(workshop.dictionary(target))
        .args(&corpora)
        .env("TMPDIR", workshop.scratch())
        .env("RUST_BACKTRACE", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&log).with_context(|| log.display().to_string())?);
    let started = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", binary.display()))?;
    let elapsed = started.elapsed();
    let text = fs::read(&log).with_context(|| log.display().to_string())?;
    let statistics = Statistics::parse(&String::from_utf8_lossy(&text));
    let new: Vec<PathBuf> = entries(&findings)?.difference(&before).cloned().collect();
    if new.is_empty() && !status.success() {
        let log = workshop.shown(&log);
        bail!("target `{target}` ended with {status} and left no input: see {log}");
    }
    let told = |input: &PathBuf| {
        let (binary, input) = (workshop.shown(&binary), workshop.shown(input));
        let log = workshop.shown(&log);
        format!("\n  {target}: {input}\n    log: {log}\n    again: {binary} {input}")
    };
    Ok(Outcome {
        row: Row {
            target: target.to_owned(),
            elapsed,
            statistics,
            findings: new.len(),
        },
        findings: new.iter().map(told).collect(),
    })
}

fn entries(folder: &Path) -> anyhow::Result<BTreeSet<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths: io::Result<_> = entries.map(|entry| Ok(entry?.path())).collect();
    Ok(paths?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_target_is_refused_with_the_known_ones() {
        let targets = || vec!["scanner".to_owned(), "zst".to_owned()];
        let options = |target: &str| FuzzOptions {
            target: Some(target.to_owned()),
            ..FuzzOptions::default()
        };

        let error = asked(targets(), &options("scaner")).unwrap_err();

        assert_eq!(
            error.to_string(),
            "no target `scaner`; there are: scanner, zst"
        );
        assert_eq!(asked(targets(), &options("zst")).unwrap(), ["zst"]);
        assert_eq!(
            asked(targets(), &FuzzOptions::default()).unwrap(),
            targets()
        );
    }
}
