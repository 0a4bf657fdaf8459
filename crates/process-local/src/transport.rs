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
    /// See [`spawn`].
    async fn start(&self, launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        Ok(Arc::new(spawn(launch, self.options.clone())?))
    }
}
