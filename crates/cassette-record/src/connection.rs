//! A connection whose traffic is recorded on its way.

use std::sync::Arc;

use async_trait::async_trait;
use cassette_format::process::{
    ControlError, EffectiveEnvironment, Failure, Frame, InputUnit, ProcessConnection, RecvError,
    SendError, UnitError,
};
use tokio::sync::Mutex;

use crate::{LiveTraffic, Tap};

pub(crate) struct RecordingConnection {
    base: Arc<dyn ProcessConnection>,
    tap: Tap,
    live: LiveTraffic,
    /// Keeps sends on the tape in the order in which they reach the process.
    sending: Mutex<()>,
}

impl RecordingConnection {
    pub(crate) fn new(base: Arc<dyn ProcessConnection>, tap: Tap, live: LiveTraffic) -> Self {
        Self {
            base,
            tap,
            live,
            sending: Mutex::new(()),
        }
    }

    /// What a failed recording means for live traffic.
    fn judge(&self, failure: Failure) -> Option<Failure> {
        match self.live {
            LiveTraffic::FailsToo => Some(failure),
            LiveTraffic::GoesOn => None,
        }
    }
}

#[async_trait]
impl ProcessConnection for RecordingConnection {
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        let _in_order = self.sending.lock().await;
        // Before the bytes go out: an answer cannot be recorded ahead of them.
        if let Err(failure) = self.tap.outbound(bytes)
            && let Some(failure) = self.judge(failure)
        {
            return Err(SendError::Failed(failure));
        }
        self.base.send(bytes).await
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        let Some(mut frame) = self.base.recv().await? else {
            return Ok(None);
        };
        match self.tap.inbound(&frame) {
            Ok(stamp) => frame.stamp = Some(stamp),
            Err(failure) => {
                if let Some(failure) = self.judge(failure) {
                    return Err(RecvError::Failed(failure));
                }
            }
        }
        Ok(Some(frame))
    }

    async fn close_input(&self) -> Result<(), ControlError> {
        self.base.close_input().await
    }

    async fn terminate(&self) -> Result<(), ControlError> {
        self.base.terminate().await
    }

    async fn kill(&self) -> Result<(), ControlError> {
        self.base.kill().await
    }

    async fn close(&self) -> Result<(), ControlError> {
        let closed = self.base.close().await;
        self.tap.close();
        closed
    }

    async fn complete_input_unit(&self, unit: InputUnit) -> Result<(), UnitError> {
        self.base.complete_input_unit(unit).await
    }

    fn effective_environment(&self) -> Option<&EffectiveEnvironment> {
        self.base.effective_environment()
    }
}
