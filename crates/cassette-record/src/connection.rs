//! A connection whose traffic is recorded on its way.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use cassette_format::process::{
    ControlError, EffectiveEnvironment, EndRequest, Failure, Frame, InputUnit, ProcessConnection,
    RecvError, SendError, UnitError,
};
use tokio::sync::{Mutex, MutexGuard};

use crate::slot::Slot;
use crate::{LiveTraffic, UnitSink};

pub(crate) struct RecordingConnection {
    base: Arc<dyn ProcessConnection>,
    slot: Arc<Slot>,
    live: LiveTraffic,
    units: Option<UnitSink>,
    /// Keeps sends on the tape in the order in which they reach the process.
    sending: Mutex<()>,
    /// A send has failed: what the process got of it nobody knows.
    broken: AtomicBool,
    /// Called when the connection's close begins, and when it is dropped.
    on_end: Box<dyn Fn() + Send + Sync>,
}

impl RecordingConnection {
    pub(crate) fn new(
        base: Arc<dyn ProcessConnection>,
        slot: Arc<Slot>,
        live: LiveTraffic,
        units: Option<UnitSink>,
    ) -> Self {
        Self {
            base,
            slot,
            live,
            units,
            sending: Mutex::new(()),
            broken: AtomicBool::new(false),
            on_end: Box::new(|| {}),
        }
    }

    /// Calls this when the connection's close begins, and when it is dropped.
    pub(crate) fn on_end(mut self, on_end: impl Fn() + Send + Sync + 'static) -> Self {
        self.on_end = Box::new(on_end);
        self
    }

    /// Takes the turn of a send and records it.
    async fn begin_send(&self, bytes: &[u8]) -> Result<Sending<'_>, SendError> {
        let in_order = self.sending.lock().await;
        if self.broken.load(Ordering::SeqCst) {
            return Err(SendError::Closed);
        }
        // Before the bytes go out: an answer cannot be recorded ahead of them.
        if let Some(attached) = self.slot.get() {
            self.judge(attached.outbound(bytes), SendError::Failed)?;
        }
        Ok(Sending {
            broken: &self.broken,
            sent: false,
            _in_order: in_order,
        })
    }

    /// What a failed recording means for live traffic.
    fn judge<E>(&self, failed: Result<(), Failure>, error: fn(Failure) -> E) -> Result<(), E> {
        match (failed, self.live) {
            (Err(failure), LiveTraffic::FailsToo) => Err(error(failure)),
            _ => Ok(()),
        }
    }
}

/// The turn of a send. Also when it is cancelled the connection is broken: whether the
/// process gets it nobody knows.
struct Sending<'a> {
    broken: &'a AtomicBool,
    sent: bool,
    _in_order: MutexGuard<'a, ()>,
}

impl Sending<'_> {
    fn sent(mut self) {
        self.sent = true;
    }
}

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        if !self.sent {
            self.broken.store(true, Ordering::SeqCst);
        }
    }
}

#[async_trait]
impl ProcessConnection for RecordingConnection {
    /// A send that fails or is cancelled once it was recorded stays on the tape as an
    /// attempt, and no further one is taken.
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        let sending = self.begin_send(bytes).await?;
        self.base.send(bytes).await?;
        sending.sent();
        Ok(())
    }

    async fn send_owned(&self, bytes: Vec<u8>) -> Result<(), SendError> {
        let sending = self.begin_send(&bytes).await?;
        self.base.send_owned(bytes).await?;
        sending.sent();
        Ok(())
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        let Some(mut frame) = self.base.recv().await? else {
            return Ok(None);
        };
        if let Some(attached) = self.slot.get() {
            match attached.inbound(&frame) {
                Ok(stamp) => frame.stamp = stamp.or(frame.stamp),
                Err(failure) => self.judge(Err(failure), RecvError::Failed)?,
            }
        }
        Ok(Some(frame))
    }

    async fn close_input(&self) -> Result<(), ControlError> {
        let ended = self.slot.get().map_or(Ok(()), |it| it.end_input());
        self.base.close_input().await?;
        self.judge(ended, ControlError::Failed)
    }

    async fn terminate(&self) -> Result<(), ControlError> {
        self.base.terminate().await
    }

    async fn ask_to_end(&self, request: EndRequest) -> Result<(), ControlError> {
        self.base.ask_to_end(request).await
    }

    async fn kill(&self) -> Result<(), ControlError> {
        self.base.kill().await
    }

    /// From its call on, also when it is cancelled or fails, the recording may be
    /// completed. What is received meanwhile is recorded; when it has ended, unfinished
    /// messages have ended with it.
    async fn close(&self) -> Result<(), ControlError> {
        // First, as no recording attaches this connection from there on.
        (self.on_end)();
        if let Some(attached) = self.slot.get() {
            attached.retire();
        }
        let closed = self.base.close().await;
        let ended = self.slot.get().map_or(Ok(()), |it| it.close());
        closed?;
        self.judge(ended, ControlError::Failed)
    }

    async fn complete_input_unit(&self, unit: InputUnit) -> Result<(), UnitError> {
        if let Some(sink) = &self.units {
            sink.completed(&unit);
        }
        self.base.complete_input_unit(unit).await
    }

    fn effective_environment(&self) -> Option<&EffectiveEnvironment> {
        self.base.effective_environment()
    }
}

impl Drop for RecordingConnection {
    fn drop(&mut self) {
        (self.on_end)();
        if let Some(attached) = self.slot.get() {
            // The recorder remembers a refusal.
            attached.close().ok();
        }
    }
}

impl fmt::Debug for RecordingConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordingConnection")
            .field("slot", &self.slot)
            .finish_non_exhaustive()
    }
}
