//! Looking at one transcript on both sides, and making the copy that is to take
//! its place.

use std::path::{Path, PathBuf};

use cassette_format::descriptor::TranscriptLayout;
use cassette_format::portable::cwd_slug;

use crate::bind_error::BindError;
use crate::binding::{Action, BoundFile};
use crate::candidate::{Bytes, Candidate, Reading};
use crate::chain::Reference;
use crate::copying::Copying;
use crate::decision::{Conflict, Decision};
use crate::destination::Destination;
use crate::inspect::{Damage, Encoding, InspectOptions};
use crate::job::Job;
use crate::member::Member;
use crate::place::{Finished, Stamp};
use crate::request::ProviderSessionId;
use crate::search::Side;
use crate::sides::{Sides, Transcript};

/// One session of a binding, to be looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Looking<'j, 'a> {
    pub(crate) job: &'j Job<'a>,
    pub(crate) session: &'j ProviderSessionId,
    /// What refers to it, where it is a parent.
    pub(crate) reference: Option<&'j Reference>,
}

/// What was found of a session.
#[derive(Debug)]
pub(crate) enum Looked<'a> {
    At(Box<Member<'a>>),
    /// It is known, and has no transcript yet.
    NothingYet,
}

impl<'a> Looking<'_, 'a> {
    pub(crate) fn run(self) -> Result<Looked<'a>, BindError> {
        let target = self.job.find(Side::Target, self.session)?;
        if let Some(unknown) = target.unknown {
            return Err(BindError::DamagedUnverifiable {
                damage: self.first_damage(&unknown)?,
                path: unknown.path(),
            });
        }
        let source = self.job.find(Side::Source, self.session)?;
        let (target, source, unknown) = (target.transcript, source.transcript, source.unknown);
        let target_size = match &target {
            Some(candidate) => Some(candidate.size(self.reading())?),
            None => None,
        };
        let (source, copy) = match source {
            Some(candidate) => {
                let encoding = target.as_ref().map(Candidate::encoding);
                let (source, copy) = self.source(candidate, (target_size, encoding))?;
                (Some(source), copy)
            }
            None => (None, None),
        };
        let target = match target {
            Some(candidate) => {
                let size = source.as_ref().map(|it| it.inspection.report.size);
                Some(self.inspected((Side::Target, candidate), size)?)
            }
            None => None,
        };
        let sides = Sides { target, source };
        match sides.decide(self.reference.map(|it| it.offset)) {
            Ok(decision) => {
                let member = self.member(decision, sides, copy)?;
                Ok(Looked::At(Box::new(member)))
            }
            Err(Conflict::Neither) => self.nothing(unknown.as_ref()),
            Err(conflict) => Err(self.conflict(conflict, &sides)),
        }
    }

    fn reading(&self) -> Reading<'_> {
        Reading {
            session: self.session,
            layout: self.job.records,
            limits: self.job.limits,
            stopped: self.job.stopped,
        }
    }

    /// Whether the source's may be what the target gets. What comes of it is not
    /// known before it is read, but it is read only once more.
    fn is_copied(&self, target: Option<u64>, source: &Candidate) -> bool {
        let is_shorter = match (target, source.plain_size()) {
            (None, _) => true,
            (Some(target), Some(source)) => target < source,
            (Some(_), None) => false,
        };
        let has_what_is_referred_to = match (self.reference, target) {
            (Some(reference), Some(size)) => size >= reference.offset,
            _ => false,
        };
        self.job.is_writing && is_shorter && !has_what_is_referred_to
    }

    /// Reads the source's transcript, into a copy if it may be what the target gets.
    fn source(
        &self,
        candidate: Candidate,
        (target_size, encoding): (Option<u64>, Option<Encoding>),
    ) -> Result<(Transcript, Option<Finished<'a>>), BindError> {
        if !self.is_copied(target_size, &candidate) {
            let source = self.inspected((Side::Source, candidate), target_size)?;
            return Ok((source, None));
        }
        let copying = self.copying(&candidate, encoding)?;
        let (inspection, copy) = copying.first(&candidate, self.options(target_size))?;
        self.check_place(Side::Source, &candidate)?;
        let source = Transcript {
            candidate,
            inspection,
        };
        Ok((source, Some(copy)))
    }

    fn inspected(
        &self,
        (side, candidate): (Side, Candidate),
        other_size: Option<u64>,
    ) -> Result<Transcript, BindError> {
        let options = self.options(other_size);
        let inspection = candidate.inspect(self.reading(), options, None)?;
        self.check_place(side, &candidate)?;
        Ok(Transcript {
            candidate,
            inspection,
        })
    }

    fn options(&self, other_size: Option<u64>) -> InspectOptions {
        let offset = self.reference.map(|it| it.offset);
        InspectOptions {
            beginnings: other_size.into_iter().chain(offset).collect(),
            boundary: offset,
        }
    }

    fn check_place(&self, side: Side, candidate: &Candidate) -> Result<(), BindError> {
        match self.job.homes.of(side) {
            Some(home) => candidate.check_place(home),
            None => Ok(()),
        }
    }

    /// How the source's is copied, the target's being of this encoding.
    fn copying(
        &self,
        source: &Candidate,
        target: Option<Encoding>,
    ) -> Result<Copying<'_, 'a>, BindError> {
        let bytes = match (source.encoding(), target) {
            (Encoding::Zstd, Some(Encoding::Plain)) => Bytes::Decompressed,
            _ => Bytes::AsTheyAre,
        };
        let home = self.job.homes.of(Side::Target);
        Ok(Copying {
            home: home.ok_or_else(|| self.not_found())?,
            reading: self.reading(),
            bytes,
        })
    }

    fn member(
        &self,
        decision: Decision,
        sides: Sides,
        copy: Option<Finished<'a>>,
    ) -> Result<Member<'a>, BindError> {
        let is_written = matches!(decision, Decision::Copy | Decision::Replace);
        let copy = match copy {
            None if is_written && self.job.is_writing => self.copied_late(&sides)?,
            copy => copy.filter(|_| is_written),
        };
        let (place, replaced) = self.place(decision, &sides)?;
        let source = sides.source_path().map(Path::to_owned);
        let inspection = sides.into_inspection(decision);
        let inspection = inspection.ok_or_else(|| self.not_found())?;
        if let Some(reference) = self.reference {
            reference.check(&inspection)?;
        }
        let destination = self.destination(decision.action(), (&place, replaced))?;
        Ok(Member {
            told: BoundFile {
                session: self.session.clone(),
                action: decision.action(),
                source,
                target: place,
                bytes: inspection.report.size,
                sha256: inspection.report.sha256,
            },
            decision,
            inspection,
            copy: copy.zip(destination),
        })
    }

    /// The copy of a transcript that was read before it was known that one is wanted.
    fn copied_late(&self, sides: &Sides) -> Result<Option<Finished<'a>>, BindError> {
        let Some(source) = &sides.source else {
            return Ok(None);
        };
        let copying = self.copying(&source.candidate, sides.target_encoding())?;
        let copy = copying.second(&source.candidate, &source.inspection)?;
        self.check_place(Side::Source, &source.candidate)?;
        Ok(Some(copy))
    }

    /// Where the target has it then, and which file stands there that goes.
    fn place(
        &self,
        decision: Decision,
        sides: &Sides,
    ) -> Result<(PathBuf, Option<Stamp>), BindError> {
        let place = match decision {
            Decision::Replace => sides.instead_of_target(),
            Decision::Copy => sides.source_path().map(|path| (self.new_place(path), None)),
            _ => sides.target_path().map(|path| (path.to_owned(), None)),
        };
        place.ok_or_else(|| self.not_found())
    }

    /// Makes the place of the copy, if there is to be one, or sees whether it could be
    /// made. What a binding left there that was killed is removed.
    fn destination(
        &self,
        action: Action,
        (place, replaced): (&Path, Option<Stamp>),
    ) -> Result<Option<Destination>, BindError> {
        let homes = self.job.homes;
        let (Some(home), locked) = (homes.of(Side::Target), homes.locked_target()) else {
            return Ok(None);
        };
        match (action, locked) {
            (Action::Kept, Some(locked)) => Destination::sweep(locked, place)?,
            (Action::Kept, None) => {}
            (_, Some(locked)) => return Destination::make(locked, place, replaced).map(Some),
            (_, None) => Destination::check(home, place, replaced)?,
        }
        Ok(None)
    }

    /// Where the target gets a transcript that it does not have.
    fn new_place(&self, in_source: &Path) -> PathBuf {
        let TranscriptLayout::ProjectFiles {
            directory,
            subdirectory,
        } = self.job.layout
        else {
            return in_source.to_owned();
        };
        let cwd = self.job.request.target_cwd.as_deref();
        let mut path =
            Path::new(directory).join(cwd_slug(&cwd.unwrap_or(Path::new("")).to_string_lossy()));
        path.extend(subdirectory);
        path.extend(in_source.file_name());
        path
    }

    /// Neither side has it.
    fn nothing(&self, unknown: Option<&Candidate>) -> Result<Looked<'a>, BindError> {
        if let Some(unknown) = unknown {
            return Err(BindError::DamagedSource {
                damage: self.first_damage(unknown)?,
                path: unknown.path(),
            });
        }
        if self.job.homes.of(Side::Source).is_none() {
            return Err(self.source_missing());
        }
        if let Some(reference) = self.reference {
            return Err(reference.missing().into());
        }
        if self.job.has_trace(self.session)? {
            return Ok(Looked::NothingYet);
        }
        Err(self.not_found())
    }

    fn conflict(&self, conflict: Conflict, sides: &Sides) -> BindError {
        let is_home_gone = self.job.homes.of(Side::Source).is_none();
        match sides.error(conflict) {
            Some(BindError::DamagedTarget { .. }) if is_home_gone => self.source_missing(),
            Some(error) => error,
            None => self.not_found(),
        }
    }

    fn first_damage(&self, candidate: &Candidate) -> Result<Option<Damage>, BindError> {
        let inspection = candidate.inspect(self.reading(), InspectOptions::default(), None)?;
        Ok(inspection.report.damages.first().copied())
    }

    fn source_missing(&self) -> BindError {
        BindError::SourceMissing {
            home: self.job.homes.source_path().clone(),
        }
    }

    fn not_found(&self) -> BindError {
        BindError::NotFound {
            session: self.session.clone(),
            home: self.job.homes.source_path().clone(),
        }
    }
}
