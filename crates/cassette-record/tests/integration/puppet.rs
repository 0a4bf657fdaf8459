//! A process of which the test decides everything.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use cassette_format::process::{
    ControlError, EndRequest, Frame, Launch, ProcessConnection, ProcessTransport, RecvError,
    SendError, StartError,
};

/// Starts itself, over and over. Clones are the same puppet.
#[derive(Clone, Default)]
pub(crate) struct Puppet(Arc<Strings>);

#[derive(Default)]
struct Strings {
    started: AtomicUsize,
    asked: Mutex<Vec<EndRequest>>,
    sent: Mutex<Vec<u8>>,
    frames: Mutex<VecDeque<Frame>>,
    close: Mutex<Close>,
    on_close: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

/// What a close comes to.
#[derive(Clone, Copy, Default)]
pub(crate) enum Close {
    #[default]
    Ends,
    Fails,
    NeverEnds,
}

impl Puppet {
    /// Its next frame.
    pub(crate) fn says(&self, frame: Frame) {
        lock(&self.0.frames).push_back(frame);
    }

    pub(crate) fn closes_by(&self, close: Close) {
        *lock(&self.0.close) = close;
    }

    /// What happens while its next close goes on.
    pub(crate) fn while_closing(&self, happens: impl FnOnce() + Send + 'static) {
        *lock(&self.0.on_close) = Some(Box::new(happens));
    }

    /// All that it was sent.
    pub(crate) fn sent(&self) -> String {
        String::from_utf8(lock(&self.0.sent).clone()).unwrap()
    }

    /// The ways in which it was asked to end.
    pub(crate) fn asked(&self) -> Vec<EndRequest> {
        lock(&self.0.asked).clone()
    }

    pub(crate) fn started(&self) -> usize {
        self.0.started.load(Ordering::SeqCst)
    }
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl ProcessTransport for Puppet {
    async fn start(&self, _launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        self.0.started.fetch_add(1, Ordering::SeqCst);
        Ok(Arc::new(self.clone()))
    }
}

#[async_trait]
impl ProcessConnection for Puppet {
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        lock(&self.0.sent).extend_from_slice(bytes);
        Ok(())
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        Ok(lock(&self.0.frames).pop_front())
    }

    async fn close_input(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn terminate(&self) -> Result<(), ControlError> {
        self.ask_to_end(EndRequest::Terminate).await
    }

    async fn ask_to_end(&self, request: EndRequest) -> Result<(), ControlError> {
        lock(&self.0.asked).push(request);
        Ok(())
    }

    async fn kill(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn close(&self) -> Result<(), ControlError> {
        let happens = lock(&self.0.on_close).take();
        if let Some(happens) = happens {
            happens();
        }
        let close = *lock(&self.0.close);
        match close {
            Close::Ends => Ok(()),
            Close::Fails => Err(ControlError::DidNotExit),
            Close::NeverEnds => std::future::pending().await,
        }
    }
}
