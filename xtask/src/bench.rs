//! `cargo xtask bench`: builds the member that measures, optimised, and runs it. What it measures is
//! there; here is only how it is started.

use std::process::Command;

use anyhow::{Context as _, bail};

use crate::metadata::{Metadata, cargo};

/// The member that measures.
const MEMBER: &str = "cassette-bench";

/// Runs the measurements with these options, from where the caller is: a directory that is named
/// counts from there.
pub(crate) fn bench(metadata: &Metadata, options: &[&str]) -> anyhow::Result<()> {
    if !metadata.members.iter().any(|member| member.name == MEMBER) {
        bail!("no member `{MEMBER}`");
    }
    let status = Command::new(cargo())
        .args(arguments(options))
        .status()
        .context("cannot start cargo run")?;
    if !status.success() {
        bail!("`{MEMBER}` ended with {status}");
    }
    Ok(())
}

fn arguments<'a>(options: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "--quiet", "--release", "--package", MEMBER, "--"];
    arguments.extend(options);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_go_to_the_member_as_they_are() {
        let expected = [
            "run",
            "--quiet",
            "--release",
            "--package",
            "cassette-bench",
            "--",
            "--input",
            "a b",
        ];

        assert_eq!(arguments(&["--input", "a b"]), expected);
    }
}
