//! Unix: the signals that end a program from a keyboard or by a supervisor; limits.

use std::path::Path;
use std::task::Poll;

use cassette_format::process::EndRequest;
use rustix::process::{Resource, getrlimit};
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Limits;

/// Requests that this process end, as they come.
pub(crate) struct EndRequests(Vec<(EndRequest, Signal)>);

impl EndRequests {
    /// Catches SIGINT, SIGTERM, SIGHUP and SIGQUIT from now on. A file size limit is a
    /// failed write from now on, too.
    pub(crate) fn listen() -> Self {
        catch_size_limit();
        let kinds = [
            (EndRequest::Interrupt, SignalKind::interrupt()),
            (EndRequest::Terminate, SignalKind::terminate()),
            (EndRequest::HangUp, SignalKind::hangup()),
            (EndRequest::Quit, SignalKind::quit()),
        ];
        // One that cannot be caught does what it does.
        Self(
            kinds
                .into_iter()
                .filter_map(|(request, kind)| Some((request, signal(kind).ok()?)))
                .collect(),
        )
    }

    /// Waits for the next request.
    pub(crate) async fn next(&mut self) -> EndRequest {
        std::future::poll_fn(|cx| {
            let mut signals = self.0.iter_mut();
            let asked = signals.find_map(|(request, signal)| {
                let is_asked = signal.poll_recv(cx).is_ready();
                is_asked.then_some(*request)
            });
            asked.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// Has a file size limit be a failed write of a program without a runtime.
pub(crate) fn outlive_size_limit() {
    let runtime = Builder::new_current_thread().enable_io().build();
    // Where that cannot be, the limit does what it does.
    if let Ok(runtime) = runtime {
        let _inside = runtime.enter();
        catch_size_limit();
    }
}

/// Takes from SIGXFSZ its deadly default, for as long as this process lives.
fn catch_size_limit() {
    // The number is the same on Linux and macOS; tokio has no name for it.
    const SIGXFSZ: i32 = 25;
    let _unused = signal(SignalKind::from_raw(SIGXFSZ));
}

/// The limits of this process.
pub(crate) fn limits() -> Limits {
    Limits {
        open_files: getrlimit(Resource::Nofile).current,
        file_size: getrlimit(Resource::Fsize).current,
    }
}

/// Bytes that a user may still write to the file system of a directory.
pub(crate) fn free_space(directory: &Path) -> Option<u64> {
    let told = rustix::fs::statvfs(directory).ok()?;
    Some(told.f_bavail.saturating_mul(told.f_frsize))
}

/// Whether the system tells the end of a process by a descriptor; none where no system
/// of this kind does.
#[cfg(target_os = "linux")]
pub(crate) fn gives_process_descriptors() -> Option<bool> {
    use rustix::process::{PidfdFlags, getpid, pidfd_open};
    Some(pidfd_open(getpid(), PidfdFlags::empty()).is_ok())
}

/// Whether the system tells the end of a process by a descriptor; none where no system
/// of this kind does.
#[cfg(not(target_os = "linux"))]
pub(crate) const fn gives_process_descriptors() -> Option<bool> {
    None
}
