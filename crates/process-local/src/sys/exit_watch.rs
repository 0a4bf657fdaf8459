//! Unix: waiting for the exit of a process without reaping it.
//!
//! On Linux the runtime waits for the process's descriptor. Where there is none
//! (other systems, an old kernel, a sandbox) a thread waits; it ends with the
//! process.

use std::io;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::leader::Leader;

/// How often is looked when the system gives no thread.
const WITHOUT_THREAD: Duration = Duration::from_millis(50);

/// Waits for the end of a process.
#[derive(Debug)]
pub(crate) struct ExitWatch {
    pid: Option<Pid>,
    descriptor: Option<descriptor::Descriptor>,
}

impl ExitWatch {
    /// Watches a process that was not reaped yet.
    pub(crate) fn over(leader: &Leader) -> Self {
        let pid = pid(leader);
        Self {
            pid,
            descriptor: pid.and_then(descriptor::Descriptor::open),
        }
    }

    /// Waits until the process has ended. It is not reaped.
    ///
    /// # Errors
    /// The process is no child of this one any more: somebody else has reaped it.
    pub(crate) async fn exited(&self) -> io::Result<()> {
        if let Some(descriptor) = &self.descriptor {
            while !has_exited(self.pid, WaitIdOptions::NOHANG)? {
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
        let pid = self.pid;
        let (tell, told) = oneshot::channel();
        let wait = move || {
            // Nobody listens when the watch was dropped; the thread ends all the same.
            tell.send(has_exited(pid, WaitIdOptions::empty())).ok();
        };
        if thread::Builder::new()
            .name("process-exit".into())
            .spawn(wait)
            .is_err()
        {
            while !has_exited(pid, WaitIdOptions::NOHANG)? {
                sleep(WITHOUT_THREAD).await;
            }
            return Ok(());
        }
        told.await
            .unwrap_or_else(|_| Err(io::Error::other("the waiting thread ended early")))
            .map(drop)
    }
}

/// Blocks until the process has ended, with a runtime or without. It is not reaped.
///
/// # Errors
/// As [`ExitWatch::exited`].
pub(crate) fn wait_for_exit(leader: &Leader) -> io::Result<()> {
    has_exited(pid(leader), WaitIdOptions::empty()).map(drop)
}

fn pid(leader: &Leader) -> Option<Pid> {
    i32::try_from(leader.id()).ok().and_then(Pid::from_raw)
}

/// Whether the process has ended. It is not reaped.
fn has_exited(pid: Option<Pid>, how: WaitIdOptions) -> io::Result<bool> {
    let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | how;
    let status = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), options))?;
    Ok(status.is_some())
}

#[cfg(target_os = "linux")]
mod descriptor {
    use std::io;
    use std::os::fd::OwnedFd;

    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    /// A process as a descriptor that turns readable when it ends.
    #[derive(Debug)]
    pub(super) struct Descriptor(AsyncFd<OwnedFd>);

    impl Descriptor {
        pub(super) fn open(pid: Pid) -> Option<Self> {
            let descriptor = pidfd_open(pid, PidfdFlags::empty()).ok()?;
            #[expect(
                deprecated,
                reason = "its unsafe successor wants a descriptor that is owned and never \
                          replaced, which holds here, and this crate forbids unsafe code"
            )]
            let watched = AsyncFd::with_interest(descriptor, Interest::READABLE);
            watched.ok().map(Self)
        }

        pub(super) async fn readable(&self) -> io::Result<()> {
            self.0.readable().await?.clear_ready();
            Ok(())
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod descriptor {
    use std::convert::Infallible;
    use std::io;

    use rustix::process::Pid;

    /// No such thing here.
    #[derive(Debug)]
    pub(super) struct Descriptor(Infallible);

    impl Descriptor {
        pub(super) const fn open(_pid: Pid) -> Option<Self> {
            None
        }

        pub(super) async fn readable(&self) -> io::Result<()> {
            match self.0 {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_way_of_waiting_sees_the_exit_and_leaves_the_process_to_be_reaped() {
        for way in 0..3 {
            let leader = Leader::of(&["/bin/sh", "-c", "exit 7"]);
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
