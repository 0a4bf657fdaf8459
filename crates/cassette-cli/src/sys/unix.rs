//! Unix: the signals that end a program from a keyboard or by a supervisor.

use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Requests that this process end, as they come.
pub(crate) struct EndRequests(Vec<Signal>);

impl EndRequests {
    /// Catches SIGINT, SIGTERM, SIGHUP and SIGQUIT from now on. SIGXFSZ loses its
    /// deadly default, so that a file size limit is a failed write.
    pub(crate) fn listen() -> Self {
        // The number is the same on Linux and macOS; tokio has no name for it.
        const SIGXFSZ: i32 = 25;
        let _unused = signal(SignalKind::from_raw(SIGXFSZ));
        let kinds = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
            SignalKind::quit(),
        ];
        // One that cannot be caught does what it does.
        Self(
            kinds
                .into_iter()
                .filter_map(|kind| signal(kind).ok())
                .collect(),
        )
    }

    /// Waits for the next request.
    pub(crate) async fn next(&mut self) {
        std::future::poll_fn(|cx| {
            let asked = self
                .0
                .iter_mut()
                .any(|signal| signal.poll_recv(cx).is_ready());
            if asked {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}
