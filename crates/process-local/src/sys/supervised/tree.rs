//! The children of a supervisor, which in the end are all descendants: listing, killing
//! and reaping them.
//!
//! Only children get signals, and groups with the number of one: it is nobody else's until
//! the child is reaped, which the supervisor alone does.

use std::fs;
use std::io;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group, wait, waitpid,
};
use tokio::time::timeout;

/// The first and the last wait for those that were killed.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(100));

/// What was done about the children.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Left {
    Nobody,
    /// Some that may not be signalled.
    Untouchable,
}

/// Kills and reaps until nobody is left. Each reaped child is told of.
pub(super) async fn end(
    ended: &mut tokio::signal::unix::Signal,
    mut told: impl FnMut(Pid, WaitStatus),
) -> Left {
    let mut pause = PAUSES.0;
    loop {
        let children = children().unwrap_or_default();
        let refused = children.iter().filter(|child| !kill(**child)).count();
        let mut reaped = false;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    reaped = true;
                    told(pid, status);
                }
                Ok(None) => break,
                Err(Errno::CHILD) => return Left::Nobody,
                Err(_) => {}
            }
        }
        if !reaped && refused > 0 && refused == children.len() {
            return Left::Untouchable;
        }
        pause = if reaped {
            PAUSES.0
        } else {
            (pause * 2).min(PAUSES.1)
        };
        // Either is reason enough to look again.
        timeout(pause, ended.recv()).await.ok();
    }
}

/// Reaps whoever has ended but for one.
pub(super) fn reap_all_but(kept: Pid) {
    for child in children().unwrap_or_default() {
        if child != kept {
            waitpid(Some(child), WaitOptions::NOHANG).ok();
        }
    }
}

/// Kills a child, and the group that it leads. Whether it may be signalled.
fn kill(child: Pid) -> bool {
    // Most lead none.
    kill_process_group(child, Signal::KILL).ok();
    kill_process(child, Signal::KILL) != Err(Errno::PERM)
}

/// The children of this process, those that have ended too. One that appears or ends
/// meanwhile may be missing.
pub(super) fn children() -> io::Result<Vec<Pid>> {
    let mut children = Vec::new();
    for task in fs::read_dir("/proc/self/task")? {
        let list = match fs::read_to_string(task?.path().join("children")) {
            Ok(list) => list,
            // Not every kernel has the list.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return children_by_parent(),
            Err(error) => return Err(error),
        };
        let ids = list.split_ascii_whitespace();
        children.extend(ids.filter_map(|id| id.parse().ok().and_then(Pid::from_raw)));
    }
    Ok(children)
}

/// The same of all processes there are.
fn children_by_parent() -> io::Result<Vec<Pid>> {
    let own = getpid().as_raw_nonzero().get().to_string();
    let ids = fs::read_dir("/proc")?.flatten().filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // After the name in brackets: state, parent.
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?;
        (parent == own).then_some(id)
    });
    Ok(ids.filter_map(Pid::from_raw).collect())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn both_ways_of_listing_find_a_child_until_it_is_reaped() {
        let mut child = Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let pid = Pid::from_child(&child);
        for list in [children, children_by_parent] {
            assert!(list().unwrap().contains(&pid));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for list in [children, children_by_parent] {
            assert!(!list().unwrap().contains(&pid));
        }
    }
}
