//! Elsewhere: Ctrl-C. Not run by the project's own checks.

/// Requests that this process end, as they come.
pub(crate) struct EndRequests;

impl EndRequests {
    /// Catches Ctrl-C from now on.
    pub(crate) const fn listen() -> Self {
        Self
    }

    /// Waits for the next request.
    pub(crate) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
