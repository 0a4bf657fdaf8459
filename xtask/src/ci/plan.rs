//! The steps of a run, in order. The first that fails ends it.

use std::io;

use anyhow::bail;

use super::invocation::{Invocation, has_subcommand, other_targets, rustflags_with_cfg};
use super::progress::{Outcome, Progress};
use super::work_tree::WorkTree;
use crate::api;
use crate::compat::compat;
use crate::faults::short_form;
use crate::fuzz::{self, FuzzOptions};
use crate::metadata::Metadata;
use crate::packages::packages;
use crate::tidy::tidy;

/// The member whose dependencies are hostile, and the `cfg` that switches them on.
const HOSTILE_MEMBER: &str = "hostile-features";
const HOSTILE_CFG: &str = "hostile_json";

/// The member with protocol clients of others, which ask `serde_json` for features too: left out
/// where the tests are to run without any, and run with the hostile ones.
pub(crate) const STOCK_MEMBER: &str = "stock-clients";

/// Runs every step.
pub(crate) fn ci(metadata: &Metadata) -> anyhow::Result<()> {
    let root = &metadata.root;
    let before = WorkTree::now(root)?;
    let nextest = has_subcommand("nextest");
    let passed = |run: anyhow::Result<()>| run.map(|()| Outcome::Passed);

    let mut progress = Progress::new(io::stdout());
    progress.step("fmt", || {
        passed(Invocation::cargo("fmt --all --check").run(root))
    })?;
    progress.step("clippy", || passed(clippy(metadata)))?;
    progress.step("docs", || passed(docs(metadata)))?;
    progress.step(runner_name(nextest), || passed(tests(metadata, nextest)))?;
    progress.step("faults (short form)", || short_form(metadata))?;
    progress.step("doctests", || {
        let run = Invocation::cargo("test --doc --workspace --quiet --exclude").arg(STOCK_MEMBER);
        passed(run.run(root))
    })?;
    progress.step("tests with hostile serde_json features", || {
        passed(hostile_tests(metadata, nextest))
    })?;
    progress.step("compat", || passed(compat(metadata)))?;
    progress.step("public API", || api::check(metadata))?;
    progress.step("packages", || passed(packages(metadata)))?;
    progress.step("other targets", || targets(metadata))?;
    progress.step("fuzz", || fuzz::fuzz(metadata, &FuzzOptions::default()))?;
    progress.step("deny", || deny(metadata))?;
    progress.step("tidy", || passed(tidy(metadata)))?;
    progress.step("work tree unchanged", || {
        passed(WorkTree::now(root).and_then(|now| now.unchanged_since(&before)))
    })?;
    progress.finish()
}

fn runner_name(nextest: bool) -> &'static str {
    if nextest {
        "tests (cargo nextest)"
    } else {
        "tests (cargo test: no cargo-nextest here)"
    }
}

fn clippy(metadata: &Metadata) -> anyhow::Result<()> {
    Invocation::cargo("clippy --workspace --all-targets -- -D warnings").run(&metadata.root)
}

fn docs(metadata: &Metadata) -> anyhow::Result<()> {
    Invocation::cargo("doc --workspace --no-deps")
        .env("RUSTDOCFLAGS", "-D warnings")
        .run(&metadata.root)
}

fn tests(metadata: &Metadata, nextest: bool) -> anyhow::Result<()> {
    if nextest {
        return Invocation::cargo("nextest run --workspace --profile ci --exclude")
            .arg(STOCK_MEMBER)
            .run(&metadata.root);
    }
    Invocation::cargo("test --workspace --all-targets --exclude")
        .arg(STOCK_MEMBER)
        .run(&metadata.root)?;
    // Once more, for the totals that the first run swallows.
    Invocation::cargo("test --package cassette-tests conformance -- --show-output")
        .run(&metadata.root)
}

/// The tests of everything users get, while another dependant asks `serde_json` for features that
/// change how it reads and writes; and the stock clients, whose own dependencies do.
fn hostile_tests(metadata: &Metadata, nextest: bool) -> anyhow::Result<()> {
    if !metadata
        .members
        .iter()
        .any(|member| member.name == HOSTILE_MEMBER)
    {
        bail!("no member `{HOSTILE_MEMBER}`: without it the features are not on");
    }
    let run = if nextest {
        Invocation::cargo("nextest run --workspace --exclude xtask --profile ci")
    } else {
        Invocation::cargo("test --workspace --exclude xtask --all-targets")
    };
    // Its own folder, or this run and the ordinary one would rebuild everything in turn.
    run.arg("--target-dir")
        .arg(metadata.target.join("hostile"))
        .env("RUSTFLAGS", rustflags_with_cfg(HOSTILE_CFG))
        .run(&metadata.root)
}

fn targets(metadata: &Metadata) -> anyhow::Result<Outcome> {
    let targets = other_targets();
    if targets.is_empty() {
        return Ok(Outcome::Skipped(
            "rustup has installed no other target".to_owned(),
        ));
    }
    for target in targets {
        let libraries = metadata
            .members
            .iter()
            .filter(|member| member.is_library_crate());
        let check = Invocation::cargo("check").arg("--target").arg(target);
        libraries
            .fold(check, |check, member| {
                check.arg("--package").arg(&member.name)
            })
            .run(&metadata.root)?;
    }
    Ok(Outcome::Passed)
}

fn deny(metadata: &Metadata) -> anyhow::Result<Outcome> {
    if !has_subcommand("deny") {
        return Ok(Outcome::Skipped("cargo-deny is not installed".to_owned()));
    }
    Invocation::cargo("deny check").run(&metadata.root)?;
    Ok(Outcome::Passed)
}
