//! Local processes behind the transport trait.

use std::sync::Arc;

use async_trait::async_trait;
use cassette_format::process::{Launch, ProcessConnection, ProcessTransport, StartError};

use crate::options::LocalOptions;
use crate::spawn::spawn;

/// Starts local processes, all with the same options.
#[derive(Debug, Clone, Default)]
pub struct LocalTransport {
    options: LocalOptions,
}

impl LocalTransport {
    /// A transport with these options.
    #[must_use]
    pub const fn new(options: LocalOptions) -> Self {
        Self { options }
    }
}

#[async_trait]
impl ProcessTransport for LocalTransport {
    /// See [`spawn`]. An executable that has to be verified is copied and read on another
    /// thread.
    async fn start(&self, launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        let options = self.options.clone();
        if launch.spec.executable.is_none() {
            return Ok(Arc::new(spawn(launch, options)?));
        }
        let command = launch.spec.argv.first().cloned().unwrap_or_default();
        let started = tokio::task::spawn_blocking(move || spawn(launch, options)).await;
        let started = started.map_err(|error| StartError::Spawn {
            command: command.to_string_lossy().into_owned(),
            source: error.into(),
        })?;
        Ok(Arc::new(started?))
    }
}
