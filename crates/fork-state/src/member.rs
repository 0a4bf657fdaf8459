//! One transcript of a binding: what is to be done about it, and doing it.

use crate::bind_error::BindError;
use crate::binding::{Action, BoundFile};
use crate::decision::Decision;
use crate::destination::Destination;
use crate::inspect::Inspection;
use crate::outcome::Outcome;
use crate::place::Finished;
use crate::request::ProviderSessionId;

/// One transcript of a binding.
#[derive(Debug)]
pub(crate) struct Member<'h> {
    pub(crate) told: BoundFile,
    pub(crate) decision: Decision,
    /// Of what the target has then.
    pub(crate) inspection: Inspection,
    /// What is still to be put in its place.
    pub(crate) copy: Option<(Finished<'h>, Destination)>,
}

impl Member<'_> {
    pub(crate) fn session(&self) -> &ProviderSessionId {
        &self.told.session
    }

    /// The outcome where nothing is written.
    pub(crate) fn kept_because(&self) -> Outcome {
        match self.decision {
            Decision::Ahead => Outcome::TargetAhead,
            Decision::TargetOnly => Outcome::SourceGone,
            Decision::Equal | Decision::Copy | Decision::Replace => Outcome::AlreadyBound,
        }
    }

    /// Puts the copy in its place, if there is one.
    pub(crate) fn publish(self) -> Result<(), BindError> {
        match self.copy {
            Some((copy, destination)) => destination.take(copy),
            None => Ok(()),
        }
    }
}

impl Decision {
    pub(crate) const fn action(self) -> Action {
        match self {
            Self::Copy => Action::Copied,
            Self::Replace => Action::Replaced,
            Self::Equal | Self::Ahead | Self::TargetOnly => Action::Kept,
        }
    }
}
