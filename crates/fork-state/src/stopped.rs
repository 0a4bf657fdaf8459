//! Whether a binding was called off.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::bind_error::BindError;

/// Whether a binding was called off.
#[derive(Debug, Clone)]
pub(crate) struct Stopped(Arc<AtomicBool>);

impl Stopped {
    pub(crate) fn new(cancelled: Arc<AtomicBool>) -> Self {
        Self(cancelled)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn check(&self) -> Result<(), BindError> {
        if self.is_set() {
            return Err(BindError::Cancelled);
        }
        Ok(())
    }
}
