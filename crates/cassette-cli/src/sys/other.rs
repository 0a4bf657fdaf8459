//! Elsewhere: Ctrl-C. Not run by the project's own checks.

/// Waits until this process is asked to end.
pub(crate) async fn asked_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
