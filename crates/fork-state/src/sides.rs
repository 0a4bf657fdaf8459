//! A transcript as it was read in both homes.

use std::path::{Path, PathBuf};

use crate::bind_error::BindError;
use crate::candidate::Candidate;
use crate::decision::{Conflict, Content, Decision, decide};
use crate::inspect::{Damage, Encoding, Inspection};
use crate::place::Stamp;

/// A transcript that was read.
#[derive(Debug)]
pub(crate) struct Transcript {
    pub(crate) candidate: Candidate,
    pub(crate) inspection: Inspection,
}

/// Both sides of it.
#[derive(Debug)]
pub(crate) struct Sides {
    pub(crate) target: Option<Transcript>,
    pub(crate) source: Option<Transcript>,
}

impl Sides {
    /// What is to be done, where no more than `referred` bytes are referred to.
    pub(crate) fn decide(&self, referred: Option<u64>) -> Result<Decision, Conflict> {
        let content = |side: &Option<Transcript>| side.as_ref().map(Transcript::content);
        let (target, source) = (content(&self.target), content(&self.source));
        decide(target.as_ref(), source.as_ref(), referred)
    }

    /// Why nothing can be done. `None` where neither side has it.
    pub(crate) fn error(&self, conflict: Conflict) -> Option<BindError> {
        let (target, source) = (self.target.as_ref(), self.source.as_ref());
        Some(match conflict {
            Conflict::Neither => return None,
            Conflict::DamagedTargetOnly => target?.damaged_target(),
            Conflict::DamagedSource => source?.damaged_source(),
            Conflict::DamagedDiverged => target?.damaged_diverged(),
            Conflict::Diverged => BindError::Diverged {
                target: target?.candidate.path(),
                source_file: source?.candidate.path(),
            },
        })
    }

    /// How the target holds it.
    pub(crate) fn target_encoding(&self) -> Option<Encoding> {
        self.target.as_ref().map(|it| it.candidate.encoding())
    }

    /// Where the source's transcript is put that goes on where the target's ends: in
    /// its place, or beside it where the target's is compressed and the source's is
    /// not, as the provider does that goes on writing.
    pub(crate) fn instead_of_target(&self) -> Option<(PathBuf, Option<Stamp>)> {
        let (target, source) = (self.target.as_ref()?, self.source.as_ref()?);
        let (target, source) = (&target.candidate, &source.candidate);
        Some(match (target.encoding(), source.encoding()) {
            (Encoding::Zstd, Encoding::Plain) => (target.relative().with_extension(""), None),
            _ => (target.relative().to_owned(), Some(target.stamp())),
        })
    }

    /// The file in the source's home, below it.
    pub(crate) fn source_path(&self) -> Option<&Path> {
        self.source.as_ref().map(|it| it.candidate.relative())
    }

    /// The file in the target's home, below it.
    pub(crate) fn target_path(&self) -> Option<&Path> {
        self.target.as_ref().map(|it| it.candidate.relative())
    }

    /// What was found of the one that the target has then.
    pub(crate) fn into_inspection(self, decision: Decision) -> Option<Inspection> {
        let holder = match decision {
            Decision::Copy | Decision::Replace => self.source,
            Decision::Equal | Decision::Ahead | Decision::TargetOnly => self.target,
        };
        holder.map(|it| it.inspection)
    }
}

impl Transcript {
    fn content(&self) -> Content {
        let report = &self.inspection.report;
        Content {
            size: report.size,
            sha256: report.sha256,
            is_sound: report.is_sound(),
            beginnings: self.inspection.beginnings.clone(),
        }
    }

    fn first_damage(&self) -> Option<Damage> {
        self.inspection.report.damages.first().copied()
    }

    fn damaged_target(&self) -> BindError {
        BindError::DamagedTarget {
            path: self.candidate.path(),
            damage: self.first_damage(),
        }
    }

    fn damaged_source(&self) -> BindError {
        BindError::DamagedSource {
            path: self.candidate.path(),
            damage: self.first_damage(),
        }
    }

    fn damaged_diverged(&self) -> BindError {
        BindError::DamagedDiverged {
            path: self.candidate.path(),
            damage: self.first_damage(),
        }
    }
}
