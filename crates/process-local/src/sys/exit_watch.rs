//! Unix: waiting for the exit of a process without reaping it, and for the end of its
//! descendants.
//!
//! The runtime waits for a descriptor. Where there is none (other systems than Linux, an
//! old kernel, a sandbox) a thread waits; it ends with the process.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::descriptor::{Descriptor, wait_until_readable};
use super::unix::Child;
use crate::leader::Leader;

/// How often is looked when the system gives no thread.
const WITHOUT_THREAD: Duration = Duration::from_millis(50);

/// Waits for the end of a process.
#[derive(Debug)]
pub(crate) struct ExitWatch {
    leader: Arc<Leader>,
    descriptor: Option<Descriptor>,
}

impl ExitWatch {
    /// Watches a process that was not reaped yet.
    pub(crate) fn over(leader: &Arc<Leader>) -> Self {
        let descriptor = leader.with_child(|child| child.exit_descriptor());
        Self {
            leader: Arc::clone(leader),
            descriptor: descriptor
                .flatten()
                .and_then(|descriptor| Descriptor::over(descriptor).ok()),
        }
    }

    /// Waits until the process has ended. It is not reaped.
    ///
    /// # Errors
    /// The process is no child of this one any more: somebody else has reaped it.
    pub(crate) async fn exited(&self) -> io::Result<()> {
        if let Some(descriptor) = &self.descriptor {
            while !has_exited(&self.leader)? {
                if descriptor.readable().await.is_err() {
                    // The runtime's driver is gone; the process is not.
                    return self.exited_on_thread().await;
                }
            }
            return Ok(());
        }
        self.exited_on_thread().await
    }

    async fn exited_on_thread(&self) -> io::Result<()> {
        let leader = Arc::clone(&self.leader);
        let (tell, told) = oneshot::channel();
        let wait = move || {
            // Nobody listens when the watch was dropped; the thread ends all the same.
            tell.send(wait_for_exit(&leader)).ok();
        };
        if thread::Builder::new()
            .name("process-exit".into())
            .spawn(wait)
            .is_err()
        {
            while !has_exited(&self.leader)? {
                sleep(WITHOUT_THREAD).await;
            }
            return Ok(());
        }
        told.await
            .unwrap_or_else(|_| Err(io::Error::other("the waiting thread ended early")))
    }
}

/// Blocks until the process has ended, with a runtime or without. It is not reaped.
///
/// # Errors
/// As [`ExitWatch::exited`].
pub(crate) fn wait_for_exit(leader: &Leader) -> io::Result<()> {
    let waiting = leader.with_child(|child| child.waiting());
    let waiting = waiting.ok_or(io::ErrorKind::NotFound)??;
    while !has_exited(leader)? {
        waiting.wait()?;
    }
    Ok(())
}

/// Waits until the descendants that were to be ended have ended, for so long at most.
pub(crate) async fn tree_ended(leader: &Leader, patience: Duration) {
    let Some(descriptor) = leader.with_child(|child| child.tree_descriptor()).flatten() else {
        return;
    };
    if let Ok(descriptor) = Descriptor::over(descriptor) {
        timeout(patience, descriptor.readable()).await.ok();
    }
}

/// The same, with a runtime or without.
pub(crate) fn wait_for_tree(leader: &Leader, patience: Duration) {
    let descriptor = leader.with_child(|child| child.tree_descriptor()).flatten();
    if let Some(descriptor) = descriptor {
        // What has not ended by then is left to the supervisor.
        wait_until_readable(&descriptor, Some(patience)).ok();
    }
}

/// Whether the process has ended. It is not reaped.
fn has_exited(leader: &Leader) -> io::Result<bool> {
    let exited = leader.with_child(Child::has_exited);
    exited.unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_way_of_waiting_sees_the_exit_and_leaves_the_process_to_be_reaped() {
        for way in 0..3 {
            let leader = Arc::new(Leader::of(&["/bin/sh", "-c", "exit 7"]));
            let mut watch = ExitWatch::over(&leader);
            match way {
                0 => watch.exited().await.unwrap(),
                1 => {
                    watch.descriptor = None;
                    watch.exited().await.unwrap();
                }
                _ => wait_for_exit(&leader).unwrap(),
            }

            assert_eq!(leader.reap().unwrap().code(), Some(7));
        }
    }
}
