//! Connections that misbehave in ways which the scripted peer does not, and a
//! waker that counts.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use async_trait::async_trait;
use cassette_format::process::{ControlError, Frame, ProcessConnection, RecvError, SendError};
use tokio::sync::Notify;

/// Polls `future` on behalf of a task that `counter` stands for.
pub(crate) fn poll_with<T>(
    counter: &Arc<Counter>,
    future: Pin<&mut (impl Future<Output = T> + ?Sized)>,
) -> Poll<T> {
    future.poll(&mut Context::from_waker(&Waker::from(Arc::clone(counter))))
}

/// Counts how often it is woken.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicUsize);

impl Counter {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn woken(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A process that says the same for ever, and how often that was received.
pub(crate) struct Counting {
    frame: Frame,
    pub(crate) received: AtomicUsize,
}

impl Counting {
    pub(crate) const fn new(frame: Frame) -> Self {
        Self {
            frame,
            received: AtomicUsize::new(0),
        }
    }
}

#[async_trait]
impl ProcessConnection for Counting {
    async fn send(&self, _bytes: &[u8]) -> Result<(), SendError> {
        Ok(())
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        self.received.fetch_add(1, Ordering::Relaxed);
        Ok(Some(self.frame.clone()))
    }

    async fn close_input(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn terminate(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn kill(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn close(&self) -> Result<(), ControlError> {
        Ok(())
    }
}

/// A process whose sends wait until they are let, and which says nothing until
/// it ends.
#[derive(Default)]
pub(crate) struct Slow {
    log: Mutex<Vec<String>>,
    may_send: AtomicBool,
    broken: AtomicBool,
    ended: AtomicBool,
    pub(crate) refuse_close_input: AtomicBool,
    changed: Notify,
    pub(crate) input_closed: Notify,
}

impl Slow {
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    fn write(&self, entry: String) {
        self.log.lock().unwrap().push(entry);
    }

    pub(crate) fn let_send(&self) {
        self.may_send.store(true, Ordering::Relaxed);
        self.changed.notify_waiters();
    }

    pub(crate) fn break_sends(&self) {
        self.broken.store(true, Ordering::Relaxed);
        self.changed.notify_waiters();
    }

    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        self.changed.notify_waiters();
    }

    async fn until(&self, flags: &[&AtomicBool]) {
        loop {
            let changed = self.changed.notified();
            if flags.iter().any(|flag| flag.load(Ordering::Relaxed)) {
                return;
            }
            changed.await;
        }
    }
}

#[async_trait]
impl ProcessConnection for Slow {
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        let text = String::from_utf8_lossy(bytes);
        self.write(format!("send {text}"));
        self.until(&[&self.may_send, &self.broken]).await;
        if self.broken.load(Ordering::Relaxed) {
            return Err(SendError::Write(io::ErrorKind::BrokenPipe.into()));
        }
        self.write(format!("sent {text}"));
        Ok(())
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        self.until(&[&self.ended]).await;
        Ok(None)
    }

    async fn close_input(&self) -> Result<(), ControlError> {
        if self.refuse_close_input.load(Ordering::Relaxed) {
            return Err(ControlError::DidNotExit);
        }
        self.write("close input".into());
        self.input_closed.notify_one();
        Ok(())
    }

    async fn terminate(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn kill(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn close(&self) -> Result<(), ControlError> {
        Ok(())
    }
}
