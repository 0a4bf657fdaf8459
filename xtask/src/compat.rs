//! `compat`: cassettes of every schema that was ever written are still read, by the crates and by
//! the command as it is shipped. What is in them and what reading them gives is with the test.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::ci::Invocation;
use crate::metadata::Metadata;

/// The cassette that was cut short, and is refused as long as it is not recovered.
const CUT_SHORT: &str = "cut-short";

/// The provider of one of them that is not built in.
const DESCRIPTOR: &str = "tests/golden/windows-forms.toml";

/// Reads every golden cassette.
pub(crate) fn compat(metadata: &Metadata) -> anyhow::Result<()> {
    let root = &metadata.root;
    Invocation::cargo("test --quiet --package cassette-tests --test compat -- --show-output")
        .run(root)?;
    let golden = cassettes(&root.join("tests/golden"))?;
    if golden.is_empty() {
        bail!("no golden cassette in tests/golden");
    }
    for command in ["verify", "audit"] {
        let run = Invocation::cargo("run --quiet --package cassette-cli --")
            .arg(command)
            .arg("--descriptor")
            .arg(root.join(DESCRIPTOR));
        golden
            .iter()
            .filter(|dir| !dir.ends_with(CUT_SHORT))
            .fold(run, |run, dir| run.arg(dir))
            .run(root)?;
    }
    writeln!(
        io::stdout(),
        "{} golden cassettes read, and {CUT_SHORT} refused and recovered",
        golden.len() - 1
    )?;
    Ok(())
}

/// The directories two levels below.
fn cassettes(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for schema in folders(folder)? {
        found.extend(folders(&schema)?);
    }
    Ok(found)
}

fn folders(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
