//! Unix: descriptors that turn readable when something has ended.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A descriptor that the runtime waits for: of a process, or of a socket.
#[derive(Debug)]
pub(super) struct Descriptor(AsyncFd<OwnedFd>);

impl Descriptor {
    pub(super) fn over(descriptor: OwnedFd) -> io::Result<Self> {
        #[expect(
            deprecated,
            reason = "its unsafe successor wants a descriptor that is owned and never \
                      replaced, which holds here, and this crate forbids unsafe code"
        )]
        let watched = AsyncFd::with_interest(descriptor, Interest::READABLE);
        watched.map(Self)
    }

    /// Waits until it is readable, or was since the last wait.
    ///
    /// # Errors
    /// The runtime's driver is gone.
    pub(super) async fn readable(&self) -> io::Result<()> {
        self.0.readable().await?.clear_ready();
        Ok(())
    }
}

/// Blocks until it is readable, for so long at most.
pub(super) fn wait_until_readable(
    descriptor: &OwnedFd,
    patience: Option<Duration>,
) -> io::Result<()> {
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    let mut wanted = [PollFd::new(descriptor, PollFlags::IN)];
    rustix::io::retry_on_intr(|| poll(&mut wanted, patience.as_ref()))?;
    Ok(())
}
