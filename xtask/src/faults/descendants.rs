//! Ending a test that hangs, with every process that it started.

use std::process::{Child, Command, Stdio};

use anyhow::Context as _;

/// Kills a process and all of its descendants, and waits for it.
pub(crate) fn kill_tree(child: &mut Child) -> anyhow::Result<()> {
    let listed = Command::new("ps")
        .args(["-A", "-o", "pid=,ppid="])
        .stdin(Stdio::null())
        .output()
        .context("cannot list processes by `ps`")?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    child.kill()?;
    let mut kill = Command::new("kill");
    kill.arg("-KILL").stderr(Stdio::null());
    let found = descendants(&listed, child.id());
    if !found.is_empty() {
        // Some have ended meanwhile, which is not told apart.
        kill.args(found.iter().map(u32::to_string)).status()?;
    }
    child.wait()?;
    Ok(())
}

/// Whose ancestor `root` is, by lines of an id and its parent's.
fn descendants(listed: &str, root: u32) -> Vec<u32> {
    let pairs = listed.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace().map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    });
    let pairs: Vec<(u32, u32)> = pairs.collect();
    let mut found = vec![root];
    let mut looked_at = 0;
    while looked_at < found.len() {
        let parent = found[looked_at];
        looked_at += 1;
        let children = pairs.iter().filter(|(_, its)| *its == parent);
        found.extend(children.map(|(child, _)| *child));
    }
    found.split_off(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_of_children_are_found_and_strangers_are_not() {
        let listed = "    1     0\n   10     1\n   11    10\n   12    11\n   20     1\n";

        assert_eq!(descendants(listed, 10), [11, 12]);
        assert_eq!(descendants(listed, 12), [0_u32; 0]);
    }
}
