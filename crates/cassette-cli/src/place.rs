//! Where a new cassette goes: at once, or beside the one that it replaces once
//! it is recorded.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use cassette_format::store::{CassetteDir, FRAMES_FILE, MANIFEST_FILE};

use crate::failure::Hinted;

/// The directory of a new cassette, and the one that is recorded into.
pub(crate) struct Place {
    output: PathBuf,
    working: PathBuf,
}

impl Place {
    /// The place of a cassette that must not be there yet.
    pub(crate) fn new(output: PathBuf) -> anyhow::Result<Self> {
        check_free(&output)?;
        Ok(Self {
            working: output.clone(),
            output,
        })
    }

    /// The place of a cassette that replaces the one at `output`, if there is
    /// one: until then that one is untouched.
    pub(crate) fn replacing(output: PathBuf) -> anyhow::Result<Self> {
        if !CassetteDir::new(&output).is_occupied() {
            return Self::new(output);
        }
        let own = |name: &std::ffi::OsStr| name == MANIFEST_FILE || name == FRAMES_FILE;
        let entries = fs::read_dir(&output)
            .with_context(|| format!("cannot replace {}", output.display()))?;
        let other = entries.flatten().find(|entry| !own(&entry.file_name()));
        if let Some(other) = other {
            let (path, output) = (other.path(), output.display());
            anyhow::bail!(
                "cannot replace {output}: {} is no part of a cassette",
                path.display()
            );
        }
        let name = output.file_name();
        ensure!(
            name.is_some(),
            "cannot replace {}: it has no name",
            output.display()
        );
        let mut name = name.unwrap_or_default().to_owned();
        name.push(format!(".new-{}", std::process::id()));
        Ok(Self {
            working: output.with_file_name(name),
            output,
        })
    }

    /// The directory to record into.
    pub(crate) fn working(&self) -> &Path {
        &self.working
    }

    /// The directory that the user named.
    pub(crate) fn output(&self) -> &Path {
        &self.output
    }

    /// Puts what was recorded where the user wants it.
    pub(crate) fn settle(&self) -> anyhow::Result<()> {
        if self.working == self.output {
            return Ok(());
        }
        let mut old = self.working.clone().into_os_string();
        old.push(".old");
        let old = PathBuf::from(old);
        let failed = || {
            let (output, working) = (self.output.display(), self.working.display());
            format!("cannot replace {output}; the new cassette is {working}")
        };
        fs::rename(&self.output, &old).with_context(failed)?;
        fs::rename(&self.working, &self.output).with_context(failed)?;
        // Or a power loss could bring the old name back, of a directory that is empty by then.
        let above = match self.output.parent() {
            Some(above) if above != Path::new("") => above,
            _ => Path::new("."),
        };
        CassetteDir::new(above).sync().with_context(|| {
            let (above, old) = (above.display(), old.display());
            format!("cannot sync {above}; the old cassette is {old}")
        })?;
        remove(&old);
        Ok(())
    }

    /// Removes what was recorded, which is nothing.
    pub(crate) fn discard(&self) {
        remove(&self.working);
    }
}

/// Refuses what is no directory, and a directory that holds something else than a cassette.
fn check_free(output: &Path) -> Result<(), Hinted> {
    let refused = |what, hint| {
        let text = format!("cannot begin a cassette: {} {what}", output.display());
        Err(Hinted::new(text, hint))
    };
    if output.is_file() {
        return refused("is a file", "-o names the directory of the cassette");
    }
    let mut entries = fs::read_dir(output).into_iter().flatten();
    if entries.next().is_some() && !CassetteDir::new(output).is_occupied() {
        return refused(
            "is not empty, and no cassette",
            "a cassette has its directory to itself: give a new or an empty one with -o",
        );
    }
    Ok(())
}

/// Removes the files of a cassette, and the directory if nothing else is in it.
pub(crate) fn remove(dir: &Path) {
    for file in [MANIFEST_FILE, FRAMES_FILE] {
        let _still_there = fs::remove_file(dir.join(file));
    }
    let _not_empty = fs::remove_dir(dir);
}
