//! What a recorder, a player or another layer holds against a connection for
//! good.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// The first failure of a connection or recording. It is kept and given again
/// on every later call, so it is shared.
///
/// The typed error of the layer that failed is inside:
/// [`Failure::downcast_ref`] gives it back.
#[derive(Clone)]
pub struct Failure(Arc<dyn Error + Send + Sync + 'static>);

impl Failure {
    /// Keeps `error`.
    pub fn new(error: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(error))
    }

    /// The error inside, if it is a `T`.
    #[must_use]
    pub fn downcast_ref<T: Error + 'static>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }

    /// Whether both are the very same failure, not only an equal one.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
