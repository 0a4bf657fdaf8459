//! `packages`: each published crate is packaged as Cargo would upload it, and a small dependant is
//! built with the packages alone and run. The dependants are in `tests/dependants`, a package each;
//! they depend on their crate by version, as anyone would.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::ci::Invocation;
use crate::metadata::{Member, Metadata};

/// Where the dependants are, from the root.
const DEPENDANTS: &str = "tests/dependants";

/// Packages every published crate, and uses each.
pub(crate) fn packages(metadata: &Metadata) -> anyhow::Result<()> {
    let published: Vec<&Member> = published(metadata).collect();
    let run = Invocation::cargo("package --quiet --no-verify --allow-dirty");
    published
        .iter()
        .fold(run, |run, member| run.arg("--package").arg(&member.name))
        .run(&metadata.root)?;

    let scratch = metadata.target.join("dependants");
    let sources = scratch.join("sources");
    if sources.exists() {
        fs::remove_dir_all(&sources)?;
    }
    copy(&metadata.root.join(DEPENDANTS), &sources)?;
    // The versions that everything else is tested with.
    fs::copy(metadata.root.join("Cargo.lock"), sources.join("Cargo.lock"))?;
    for member in &published {
        unpack(metadata, member, &sources)?;
    }
    Invocation::cargo("fmt --all --check").run(&sources)?;
    for member in &published {
        let run = Invocation::cargo("run --quiet --target-dir").arg(scratch.join("target"));
        let run = published.iter().fold(run, patched).arg("--package");
        if !member.library {
            // The program itself, from its package.
            run.arg(&member.name).args("-- demo").run(&sources)?;
        } else if sources.join(&member.name).is_dir() {
            run.arg(format!("uses-{}", member.name)).run(&sources)?;
        } else {
            bail!("{} has no dependant in {DEPENDANTS}", member.name);
        }
    }
    writeln!(io::stdout(), "{} packages used", published.len())?;
    Ok(())
}

/// The members that are published.
fn published(metadata: &Metadata) -> impl Iterator<Item = &Member> {
    let members = metadata.members.iter();
    members.filter(|member| member.folder.starts_with("crates/"))
}

/// The package in the place of the one that a registry has.
fn patched(run: Invocation, member: &&Member) -> Invocation {
    let name = &member.name;
    run.arg("--config")
        .arg(format!("patch.crates-io.{name}.path=\"packages/{name}\""))
}

/// Takes a package apart, into `packages/NAME`.
fn unpack(metadata: &Metadata, member: &Member, sources: &Path) -> anyhow::Result<()> {
    let file = format!("package/{}-{}.crate", member.name, member.version);
    let to = sources.join("packages").join(&member.name);
    fs::create_dir_all(&to)?;
    Invocation::program("tar")
        .args("--extract --gzip --strip-components=1 --file")
        .arg(metadata.target.join(file))
        .arg("--directory")
        .arg(&to)
        .run(&metadata.root)
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), &to)?;
        }
    }
    Ok(())
}
