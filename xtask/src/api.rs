//! `api`: what each library crate offers is the committed listing, so that no change of it goes
//! unseen. The listing is made of rustdoc's JSON, whose format is not stable: with a compiler that
//! writes another one the check is skipped.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use public_api::{Builder, PublicApi};
use serde_json::Value;

use crate::ci::{Invocation, Outcome};
use crate::metadata::{Member, Metadata};

/// Where the listings are, from the root.
const LISTINGS: &str = "docs/public-api";

/// The format that `public-api` reads in the version that is locked.
const FORMAT: u64 = 57;

/// Automatic traits whose loss is seen at a trait that users ask for.
const LEFT_OUT: [&str; 4] = [
    "core::marker::Freeze",
    "core::marker::UnsafeUnpin",
    "core::panic::unwind_safe::RefUnwindSafe",
    "core::panic::unwind_safe::UnwindSafe",
];

/// Compares what each crate offers with its listing.
pub(crate) fn check(metadata: &Metadata) -> anyhow::Result<Outcome> {
    let mut changed = String::new();
    let outcome = each(metadata, |member, listing| {
        let path = committed(&metadata.root, member);
        let old = fs::read_to_string(&path).unwrap_or_default();
        for line in differences(&old, listing) {
            writeln!(changed, "{}: {line}", member.name)?;
        }
        Ok(())
    })?;
    if !changed.is_empty() {
        bail!(
            "the public API is not the committed one:\n{changed}\
             `cargo xtask api --update` writes {LISTINGS}; what users see change belongs into the \
             CHANGELOG"
        );
    }
    Ok(outcome)
}

/// Writes the listings anew.
pub(crate) fn update(metadata: &Metadata) -> anyhow::Result<Outcome> {
    fs::create_dir_all(metadata.root.join(LISTINGS))?;
    each(metadata, |member, listing| {
        let path = committed(&metadata.root, member);
        fs::write(&path, listing).with_context(|| format!("cannot write {}", path.display()))
    })
}

/// Hands on the listing of every library crate.
fn each(
    metadata: &Metadata,
    mut then: impl FnMut(&Member, &str) -> anyhow::Result<()>,
) -> anyhow::Result<Outcome> {
    // Its own folder: the variable below would have everything else built anew.
    let target = metadata.target.join("api");
    for member in metadata.members.iter().filter(|it| it.is_library_crate()) {
        Invocation::cargo("rustdoc --quiet --lib --package")
            .arg(&member.name)
            .arg("--target-dir")
            .arg(&target)
            .args("-- -Z unstable-options --output-format json --cap-lints allow")
            // The output of a stable compiler; no unstable feature of the language.
            .env("RUSTC_BOOTSTRAP", "1")
            .run(&metadata.root)?;
        let file = target.join(format!("doc/{}.json", member.name.replace('-', "_")));
        let text = fs::read_to_string(&file).context("no JSON from rustdoc")?;
        let format = format_version(&text)?;
        if format != FORMAT {
            return Ok(Outcome::Skipped(format!(
                "this rustdoc writes format {format}, `public-api` reads {FORMAT}"
            )));
        }
        let api = Builder::from_rustdoc_json(&file)
            .omit_blanket_impls(true)
            .build()?;
        then(member, &listing(&api))?;
    }
    writeln!(io::stdout(), "the public API of each crate was listed")?;
    Ok(Outcome::Passed)
}

fn committed(root: &Path, member: &Member) -> PathBuf {
    root.join(LISTINGS).join(format!("{}.txt", member.name))
}

fn format_version(json: &str) -> anyhow::Result<u64> {
    let document: Value = serde_json::from_str(json)?;
    document["format_version"]
        .as_u64()
        .context("rustdoc's JSON has no format version")
}

/// An item a line.
fn listing(api: &PublicApi) -> String {
    let mut text = String::new();
    for item in api.items() {
        let line = item.to_string();
        if !LEFT_OUT.iter().any(|left_out| line.contains(left_out)) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

/// The lines that one has and the other has not.
fn differences(old: &str, new: &str) -> Vec<String> {
    let only = |sign: char, one: &str, other: &str| -> Vec<String> {
        let other: Vec<&str> = other.lines().collect();
        one.lines()
            .filter(|line| !other.contains(line))
            .map(|line| format!("{sign} {line}"))
            .collect()
    };
    let mut found = only('-', old, new);
    found.extend(only('+', new, old));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_and_what_came_is_told() {
        let found = differences("pub fn a()\npub fn b()\n", "pub fn b()\npub fn c()\n");

        assert_eq!(found, ["- pub fn a()", "+ pub fn c()"]);
    }
}
