//! The state of the work tree as git sees it, to notice a run that changes it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};

/// What `git status` said at one moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WorkTree(Vec<String>);

impl WorkTree {
    /// Asks git.
    pub(crate) fn now(root: &Path) -> anyhow::Result<Self> {
        let output = Command::new("git")
            .args(["status", "--porcelain", "--untracked-files=all"])
            .current_dir(root)
            .output()
            .context("cannot start git status")?;
        if !output.status.success() {
            bail!(
                "git status failed: {}",
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(Self(text.lines().map(str::to_owned).collect()))
    }

    /// Fails with the entries that this has and the earlier one had not, or the other way round.
    pub(crate) fn unchanged_since(&self, before: &Self) -> anyhow::Result<()> {
        let only = |ours: &Self, theirs: &Self| -> Vec<String> {
            ours.0
                .iter()
                .filter(|entry| !theirs.0.contains(entry))
                .cloned()
                .collect()
        };
        let changes = [only(self, before), only(before, self)].concat();
        if !changes.is_empty() {
            bail!("the run changed the work tree:\n{}", changes.join("\n"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(entries: &[&str]) -> WorkTree {
        WorkTree(entries.iter().map(|&entry| entry.to_owned()).collect())
    }

    #[test]
    fn new_and_vanished_entries_are_named() {
        let before = tree(&[" M a", "?? b"]);

        let error = tree(&[" M a", " M c"])
            .unchanged_since(&before)
            .unwrap_err();

        assert_eq!(
            error.to_string(),
            "the run changed the work tree:\n M c\n?? b"
        );
    }

    #[test]
    fn dirty_tree_that_stays_as_it_was_is_fine() {
        let before = tree(&[" M a"]);

        assert!(tree(&[" M a"]).unchanged_since(&before).is_ok());
    }
}
