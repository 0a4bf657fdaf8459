//! One binding: its transcripts from the fork up to its eldest ancestor, then
//! the writes from there down.

use std::borrow::Cow;
use std::path::Path;

use cassette_format::descriptor::TranscriptLayout;

use crate::bind_error::BindError;
use crate::binder::Writing;
use crate::binding::{Action, Binding};
use crate::candidate::Reading;
use crate::chain::Reference;
use crate::chain_error::ChainError;
use crate::homes::Homes;
use crate::inspect::{Limits, RecordLayout};
use crate::looking::{Looked, Looking};
use crate::member::Member;
use crate::outcome::Outcome;
use crate::request::{ForkRequest, ProviderSessionId};
use crate::search::{Found, Search, Side};
use crate::stopped::Stopped;

/// How many ancestors of a fork are followed.
const MOST_ANCESTORS: usize = 256;

/// One binding.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) request: &'a ForkRequest,
    pub(crate) layout: &'a TranscriptLayout,
    /// How records lie in it.
    pub(crate) records: RecordLayout,
    pub(crate) limits: &'a Limits,
    pub(crate) homes: &'a Homes,
    pub(crate) stopped: &'a Stopped,
    /// Whether copies are made.
    pub(crate) is_writing: bool,
}

impl<'a> Job<'a> {
    pub(crate) fn run(&self, writing: Writing<'_>) -> Result<Binding, BindError> {
        let mut members = self.members()?;
        // A parent is in its place before anything refers to it.
        members.reverse();
        let binding = Binding {
            outcome: outcome(&members),
            files: members.iter().map(|member| member.told.clone()).collect(),
            left_out: self.left_out()?,
        };
        match writing {
            Writing::Nothing => return Ok(binding),
            Writing::Only(expected) if !binding.is_still(expected) => {
                return Err(BindError::Outdated);
            }
            Writing::Only(_) | Writing::Everything => {}
        }
        self.stopped.check()?;
        for member in members {
            member.publish()?;
        }
        Ok(binding)
    }

    /// The fork's own transcript, then those that it refers to.
    fn members(&self) -> Result<Vec<Member<'a>>, BindError> {
        let own = &self.request.target_provider_session;
        let mut members: Vec<Member<'a>> = Vec::new();
        let mut session = own.clone();
        let mut reference: Option<Reference> = None;
        loop {
            let looking = Looking {
                job: self,
                session: &session,
                reference: reference.as_ref(),
            };
            let Looked::At(member) = looking.run()? else {
                return Ok(members);
            };
            let next = Reference::of(&member);
            members.push(*member);
            let Some(next) = next else {
                return Ok(members);
            };
            if members
                .iter()
                .any(|member| *member.session() == next.parent)
            {
                let session = next.parent;
                return Err(ChainError::Cycle { session }.into());
            }
            if members.len() > MOST_ANCESTORS {
                let (session, limit) = (own.clone(), MOST_ANCESTORS);
                return Err(ChainError::TooLong { session, limit }.into());
            }
            session = next.parent.clone();
            reference = Some(next);
        }
    }

    pub(crate) fn find(&self, side: Side, session: &ProviderSessionId) -> Result<Found, BindError> {
        let Some(home) = self.homes.of(side) else {
            return Ok(Found::default());
        };
        let reading = Reading {
            session,
            layout: self.records,
            limits: self.limits,
            stopped: self.stopped,
        };
        let search = Search {
            home,
            layout: self.layout,
            reading,
            side,
        };
        search.run()
    }

    /// Whether the source's home has anything by which a session is known that
    /// has no transcript yet.
    pub(crate) fn has_trace(&self, session: &ProviderSessionId) -> Result<bool, BindError> {
        let TranscriptLayout::Rollouts { traces, .. } = self.layout else {
            return Ok(false);
        };
        let Some(home) = self.homes.of(Side::Source) else {
            return Ok(false);
        };
        for path in traces {
            if let Some(directory) = home.open_if_directory(Path::new(path))? {
                let entries = directory.entries()?;
                let mut names = entries.iter().map(|entry| entry.name.to_string_lossy());
                if names.any(|name| name.contains(session.as_str())) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// What lies in the source's home beside the transcripts.
    fn left_out(&self) -> Result<Vec<String>, BindError> {
        let Some(home) = self.homes.of(Side::Source) else {
            return Ok(Vec::new());
        };
        let brought: Vec<&str> = match self.layout {
            TranscriptLayout::Rollouts { directories, .. } => {
                directories.iter().map(String::as_str).collect()
            }
            TranscriptLayout::ProjectFiles { directory, .. } => vec![directory],
            _ => Vec::new(),
        };
        let entries = home.entries()?;
        let names = entries.iter().map(|entry| entry.name.to_string_lossy());
        let is_brought = |name: &str| {
            let mut of = brought.iter().map(|path| path.split('/').next());
            of.any(|first| first == Some(name))
        };
        let names = names.filter(|name| !is_brought(name));
        Ok(names.map(Cow::into_owned).collect())
    }
}

/// The strongest of what is done about the transcripts; without them there is
/// none yet.
fn outcome(members: &[Member<'_>]) -> Outcome {
    let has = |action| members.iter().any(|member| member.told.action == action);
    let Some(own) = members.last() else {
        return Outcome::NoRolloutYet;
    };
    if has(Action::Replaced) {
        Outcome::Repaired
    } else if has(Action::Copied) {
        Outcome::Copied
    } else {
        own.kept_because()
    }
}
