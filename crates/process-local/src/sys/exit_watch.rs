//! Unix: waiting for the exit of a process without reaping it.
//!
//! On Linux the runtime waits for the process's descriptor. Where there is none
//! (other systems, an old kernel, a sandbox) a thread waits; it ends with the
//! process.

use std::io;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::sleep;

use super::Group;

/// How often is looked when the system gives no thread.
const WITHOUT_THREAD: Duration = Duration::from_millis(50);

/// Waits for the end of the process that leads a group.
#[derive(Debug)]
pub(crate) struct ExitWatch {
    group: Group,
    descriptor: Option<descriptor::Descriptor>,
}

impl ExitWatch {
    /// Watches a process that was not reaped yet.
    pub(crate) fn over(group: Group) -> Self {
        Self {
            group,
            descriptor: descriptor::Descriptor::open(group),
        }
    }

    /// Waits until the process has ended. It is not reaped.
    ///
    /// # Errors
    /// The process is no child of this one any more: somebody else has reaped it.
    pub(crate) async fn exited(&self) -> io::Result<()> {
        if let Some(descriptor) = &self.descriptor {
            while !self.group.leader_has_exited()? {
                if descriptor.readable().await.is_err() {
                    // The runtime's driver is gone; the process is not.
                    return wait_on_thread(self.group).await;
                }
            }
            return Ok(());
        }
        wait_on_thread(self.group).await
    }
}

async fn wait_on_thread(group: Group) -> io::Result<()> {
    let (tell, told) = oneshot::channel();
    let wait = move || {
        // Nobody listens when the watch was dropped; the thread ends all the same.
        tell.send(group.wait_for_leader()).ok();
    };
    if thread::Builder::new()
        .name("process-exit".into())
        .spawn(wait)
        .is_err()
    {
        while !group.leader_has_exited()? {
            sleep(WITHOUT_THREAD).await;
        }
        return Ok(());
    }
    told.await
        .unwrap_or_else(|_| Err(io::Error::other("the waiting thread ended early")))
}

#[cfg(target_os = "linux")]
mod descriptor {
    use std::io;
    use std::os::fd::OwnedFd;

    use rustix::process::{PidfdFlags, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::Group;

    /// A process as a descriptor that turns readable when it ends.
    #[derive(Debug)]
    pub(super) struct Descriptor(AsyncFd<OwnedFd>);

    impl Descriptor {
        pub(super) fn open(group: Group) -> Option<Self> {
            let descriptor = pidfd_open(group.leader(), PidfdFlags::empty()).ok()?;
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

    use super::Group;

    /// No such thing here.
    #[derive(Debug)]
    pub(super) struct Descriptor(Infallible);

    impl Descriptor {
        pub(super) const fn open(_group: Group) -> Option<Self> {
            None
        }

        pub(super) async fn readable(&self) -> io::Result<()> {
            match self.0 {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::prepare;
    use super::*;

    #[tokio::test]
    async fn both_ways_of_waiting_see_the_exit_and_leave_the_process_to_be_reaped() {
        for with_descriptor in [true, false] {
            let mut command = Command::new("/bin/true");
            prepare(&mut command, "true".as_ref()).unwrap();
            let mut child = command.spawn().unwrap();
            let mut watch = ExitWatch::over(Group::led_by(&child));
            if !with_descriptor {
                watch.descriptor = None;
            }

            watch.exited().await.unwrap();

            assert_eq!(
                child.try_wait().unwrap().and_then(|status| status.code()),
                Some(0)
            );
        }
    }
}
