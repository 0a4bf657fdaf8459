//! Where a host's recordings tell which messages it has handled.

use std::fmt;
use std::sync::Arc;

use cassette_format::process::InputUnit;

/// Is told of every input unit that the host completes, before the base transport
/// is. Clones are the same sink.
#[derive(Clone)]
pub struct UnitSink(Arc<dyn Fn(&InputUnit) + Send + Sync>);

impl UnitSink {
    /// The sink that calls `completed` with each unit.
    pub fn new(completed: impl Fn(&InputUnit) + Send + Sync + 'static) -> Self {
        Self(Arc::new(completed))
    }

    pub(crate) fn completed(&self, unit: &InputUnit) {
        (self.0)(unit);
    }
}

impl fmt::Debug for UnitSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnitSink").finish_non_exhaustive()
    }
}
