//! Looking at one transcript on both sides, and making the copy that is to take
//! its place.

use std::io::Write;
use std::path::{Path, PathBuf};

use cassette_format::descriptor::TranscriptLayout;
use cassette_format::portable::cwd_slug;

use crate::bind_error::BindError;
use crate::binding::BoundFile;
use crate::candidate::{Bytes, Candidate, Reading};
use crate::chain::Reference;
use crate::decision::{Conflict, Content, Decision, decide};
use crate::destination::Destination;
use crate::inspect::{Damage, Encoding, InspectOptions, Inspection};
use crate::job::Job;
use crate::member::Member;
use crate::place::{Finished, Stamp};
use crate::request::ProviderSessionId;
use crate::search::Side;

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

/// A transcript that was read.
#[derive(Debug)]
struct Transcript {
    candidate: Candidate,
    inspection: Inspection,
}

/// Both sides of it.
#[derive(Debug)]
struct Sides {
    target: Option<Transcript>,
    source: Option<Transcript>,
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
        let target_size = self.size(target.as_ref())?;
        let source_size = self.size(source.as_ref())?;
        let target = match target {
            Some(candidate) => Some(self.inspected(candidate, source_size, None)?),
            None => None,
        };
        let (source, copy) = match source {
            Some(candidate) if self.is_copied(target_size, source_size) => {
                let encoding = target.as_ref().map(|it| it.candidate.encoding());
                let (source, copy) = self.copied(candidate, (target_size, encoding))?;
                (Some(source), Some(copy))
            }
            Some(candidate) => (Some(self.inspected(candidate, target_size, None)?), None),
            None => (None, None),
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

    fn size(&self, candidate: Option<&Candidate>) -> Result<Option<u64>, BindError> {
        candidate.map(|it| it.size(self.reading())).transpose()
    }

    /// Whether the source's may be what the target gets. What comes of it is not
    /// known before it is read, but it is read only once more.
    fn is_copied(&self, target: Option<u64>, source: Option<u64>) -> bool {
        let has_what_is_referred_to = match (self.reference, target) {
            (Some(reference), Some(size)) => size >= reference.offset,
            _ => false,
        };
        self.job.is_writing && !has_what_is_referred_to && target < source
    }

    fn inspected(
        &self,
        candidate: Candidate,
        other_size: Option<u64>,
        copy: Option<(Bytes, &mut dyn Write)>,
    ) -> Result<Transcript, BindError> {
        let offset = self.reference.map(|it| it.offset);
        let options = InspectOptions {
            beginnings: other_size.into_iter().chain(offset).collect(),
            boundary: offset,
        };
        let inspection = candidate.inspect(self.reading(), options, copy)?;
        Ok(Transcript {
            candidate,
            inspection,
        })
    }

    /// Reads the source's transcript into a copy in the target's home, then reads
    /// both to see that they are the same.
    fn copied(
        &self,
        candidate: Candidate,
        (target_size, encoding): (Option<u64>, Option<Encoding>),
    ) -> Result<(Transcript, Finished<'a>), BindError> {
        let bytes = match (candidate.encoding(), encoding) {
            (Encoding::Zstd, Some(Encoding::Plain)) => Bytes::Decompressed,
            _ => Bytes::AsTheyAre,
        };
        let Some(home) = self.job.homes.of(Side::Target) else {
            return Err(self.not_found());
        };
        let mut copy = home.create_staged()?;
        let source = self.inspected(candidate, target_size, Some((bytes, &mut copy)))?;
        let copy = copy.finish(source.candidate.mode())?;
        let same = source
            .candidate
            .begins(self.reading(), (bytes, copy.file()))?;
        if same != Some(copy.size()?) {
            let path = source.candidate.path();
            return Err(BindError::Changed { path });
        }
        Ok((source, copy))
    }

    fn member(
        &self,
        decision: Decision,
        sides: Sides,
        copy: Option<Finished<'a>>,
    ) -> Result<Member<'a>, BindError> {
        let Sides { target, source } = sides;
        let source_path = source.as_ref().map(|it| it.candidate.relative().to_owned());
        let is_written = matches!(decision, Decision::Copy | Decision::Replace);
        let (inspection, target, replaced) = match (target, source) {
            (Some(target), Some(source)) if is_written => {
                let (path, replaced) = instead_of(&target.candidate, &source.candidate);
                (source.inspection, path, replaced)
            }
            (None, Some(source)) => {
                let path = self.new_place(source.candidate.relative());
                (source.inspection, path, None)
            }
            (Some(target), _) => {
                let path = target.candidate.relative().to_owned();
                (target.inspection, path, None)
            }
            (None, None) => return Err(self.not_found()),
        };
        if let Some(reference) = self.reference {
            reference.check(&inspection)?;
        }
        let homes = self.job.homes;
        let copy = match (
            is_written,
            copy,
            homes.locked_target(),
            homes.of(Side::Target),
        ) {
            (true, Some(copy), Some(home), _) => {
                Some((copy, Destination::make(home, &target, replaced)?))
            }
            (true, None, _, Some(home)) => {
                Destination::check(home, &target, replaced)?;
                None
            }
            _ => None,
        };
        let told = BoundFile {
            session: self.session.clone(),
            action: decision.action(),
            source: source_path,
            target,
            bytes: inspection.report.size,
            sha256: inspection.report.sha256,
        };
        Ok(Member {
            told,
            decision,
            inspection,
            copy,
        })
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
        let path = |side: &Option<Transcript>| {
            side.as_ref()
                .map_or_else(PathBuf::new, |it| it.candidate.path())
        };
        let damage = |side: &Option<Transcript>| {
            let report = side.as_ref().map(|it| &it.inspection.report)?;
            report.damages.first().copied()
        };
        let (target, source) = (&sides.target, &sides.source);
        match conflict {
            Conflict::Neither => self.not_found(),
            Conflict::DamagedTargetOnly if self.job.homes.of(Side::Source).is_none() => {
                self.source_missing()
            }
            Conflict::DamagedTargetOnly => BindError::DamagedTarget {
                path: path(target),
                damage: damage(target),
            },
            Conflict::DamagedSource => BindError::DamagedSource {
                path: path(source),
                damage: damage(source),
            },
            Conflict::DamagedDiverged => BindError::DamagedDiverged {
                path: path(target),
                damage: damage(target),
            },
            Conflict::Diverged => BindError::Diverged {
                target: path(target),
                source_file: path(source),
            },
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

impl Sides {
    fn decide(&self, referred: Option<u64>) -> Result<Decision, Conflict> {
        let content = |side: &Option<Transcript>| {
            let inspection = side.as_ref().map(|it| &it.inspection)?;
            Some(Content {
                size: inspection.report.size,
                sha256: inspection.report.sha256,
                is_sound: inspection.report.is_sound(),
                beginnings: inspection.beginnings.clone(),
            })
        };
        let (target, source) = (content(&self.target), content(&self.source));
        decide(target.as_ref(), source.as_ref(), referred)
    }
}

/// Where the source's transcript is put that goes on where the target's ends: in its
/// place, or beside it where the target's is compressed and the source's is not, as
/// the provider does that goes on writing.
fn instead_of(target: &Candidate, source: &Candidate) -> (PathBuf, Option<Stamp>) {
    match (target.encoding(), source.encoding()) {
        (Encoding::Zstd, Encoding::Plain) => (target.relative().with_extension(""), None),
        _ => (target.relative().to_owned(), Some(target.stamp())),
    }
}
