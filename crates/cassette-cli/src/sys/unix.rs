//! Unix: SIGINT, SIGTERM and SIGHUP.

use tokio::signal::unix::{SignalKind, signal};

/// Waits until this process is asked to end. Where signals cannot be caught, it
/// waits for ever and they do what they do.
pub(crate) async fn asked_to_end() {
    let kinds = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}
