//! The host's side of a connection in memory.

use std::sync::Arc;

use async_trait::async_trait;

use super::peer::Shared;
use super::{Operation, ScriptError};
use crate::process::{
    ControlError, EffectiveEnvironment, ExitCode, Failure, Frame, ProcessConnection, RecvError,
    SendError,
};

#[derive(Debug)]
pub(super) struct MemoryConnection {
    pub(super) shared: Arc<Shared>,
}

#[async_trait]
impl ProcessConnection for MemoryConnection {
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        let taken = self.shared.lock().take(bytes);
        self.shared.changed.notify_waiters();
        match taken {
            Ok(true) => Ok(()),
            Ok(false) => Err(SendError::Closed),
            Err(failure) => Err(SendError::Failed(Failure::new(failure))),
        }
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        loop {
            let changed = self.shared.changed.notified();
            let said = self.shared.lock().say();
            match said {
                Ok(Some(said)) => return Ok(said),
                Ok(None) => changed.await,
                Err(failure) => return Err(RecvError::Failed(Failure::new(failure))),
            }
        }
    }

    async fn close_input(&self) -> Result<(), ControlError> {
        self.shared.lock().end_input();
        self.shared.changed.notify_waiters();
        Ok(())
    }

    async fn terminate(&self) -> Result<(), ControlError> {
        self.end_by_signal("terminated");
        Ok(())
    }

    async fn kill(&self) -> Result<(), ControlError> {
        self.end_by_signal("killed");
        Ok(())
    }

    async fn close(&self) -> Result<(), ControlError> {
        let mut state = self.shared.lock();
        if state.refused(Operation::Close) {
            return Err(ControlError::Failed(Failure::new(ScriptError::Refused)));
        }
        state.end_input();
        state.end(None);
        drop(state);
        self.shared.changed.notify_waiters();
        Ok(())
    }

    fn effective_environment(&self) -> Option<&EffectiveEnvironment> {
        Some(&self.shared.environment)
    }
}

impl MemoryConnection {
    fn end_by_signal(&self, message: &str) {
        let last = Frame::exit(ExitCode::SIGNALED).with_message(message);
        self.shared.lock().end(Some(last));
        self.shared.changed.notify_waiters();
    }
}

impl Drop for MemoryConnection {
    fn drop(&mut self) {
        self.shared.lock().end(None);
        self.shared.changed.notify_waiters();
    }
}
