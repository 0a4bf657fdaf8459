//! A process that does nothing.

use std::sync::Arc;

use async_trait::async_trait;
use cassette_format::process::{
    ControlError, Frame, Launch, ProcessConnection, ProcessTransport, RecvError, SendError,
    StartError,
};

/// Starts itself, over and over.
#[derive(Clone, Default)]
pub(crate) struct Puppet;

#[async_trait]
impl ProcessTransport for Puppet {
    async fn start(&self, _launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        Ok(Arc::new(self.clone()))
    }
}

#[async_trait]
impl ProcessConnection for Puppet {
    async fn send(&self, _bytes: &[u8]) -> Result<(), SendError> {
        Ok(())
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        Ok(None)
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
