//! Binding forks: the order of the checks, and of the writes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cassette_format::descriptor::Registry;

use crate::bind_error::BindError;
use crate::binding::{Binding, Plan};
use crate::homes::Homes;
use crate::inspect::{Limits, RecordLayout};
use crate::job::Job;
use crate::outcome::Outcome;
use crate::request::ForkRequest;
use crate::runtime_store::RuntimeStore;
use crate::stopped::Stopped;

/// What a binding may take.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BindOptions {
    /// What a transcript may be.
    pub limits: Limits,
    /// How long is waited for another binding into the same home. 10 s if nothing
    /// else is said.
    pub lock_wait: Duration,
    /// Set to true by anyone to call the binding off. It is looked at between
    /// files and every 256 KiB of one, until the first file is put in its place.
    pub cancelled: Arc<AtomicBool>,
}

impl Default for BindOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            lock_wait: Duration::from_secs(10),
            cancelled: Arc::default(),
        }
    }
}

/// Brings transcripts of forked sessions into their own homes.
///
/// The provider must not be running in either home: what it writes meanwhile is
/// noticed where it changes a file that is read, and ends the binding with
/// [`BindError::Changed`].
#[derive(Debug)]
pub struct Binder<'a, S: ?Sized> {
    store: &'a S,
    providers: &'a Registry,
    options: BindOptions,
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Writing<'p> {
    Nothing,
    Everything,
    /// Only if it comes to the same as this.
    Only(&'p Binding),
}

impl<'a, S: RuntimeStore + ?Sized> Binder<'a, S> {
    /// A binder for the homes of `store` and the layouts of `providers`.
    #[must_use]
    pub fn new(store: &'a S, providers: &'a Registry) -> Self {
        Self {
            store,
            providers,
            options: BindOptions::default(),
        }
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(mut self, options: BindOptions) -> Self {
        self.options = options;
        self
    }

    /// All checks of [`bind`](Self::bind), writing nothing and making no
    /// directory. The source is read once.
    ///
    /// # Errors
    /// See [`BindError`].
    pub fn plan(&self, request: &ForkRequest) -> Result<Plan, BindError> {
        Ok(Plan {
            request: request.clone(),
            binding: self.run(request, Writing::Nothing)?,
        })
    }

    /// Makes a planned binding. Everything is checked again, and must come to the
    /// same.
    ///
    /// # Errors
    /// See [`BindError`]; [`BindError::Outdated`] where it comes to something else.
    pub fn apply(&self, plan: &Plan) -> Result<Binding, BindError> {
        self.run(&plan.request, Writing::Only(&plan.binding))
    }

    /// Makes a binding. The source is read at most twice, and never written.
    ///
    /// # Errors
    /// See [`BindError`].
    pub fn bind(&self, request: &ForkRequest) -> Result<Binding, BindError> {
        self.run(request, Writing::Everything)
    }

    fn run(&self, request: &ForkRequest, writing: Writing<'_>) -> Result<Binding, BindError> {
        let stopped = Stopped::new(Arc::clone(&self.options.cancelled));
        stopped.check()?;
        let descriptor = self.providers.by_provider(&request.provider);
        let layout = descriptor.and_then(|descriptor| {
            let layout = descriptor.transcripts.as_ref()?;
            Some((
                layout,
                RecordLayout::of(layout)?,
                descriptor.session_home.as_deref()?,
            ))
        });
        let Some((layout, records, home)) = layout else {
            return Ok(Binding {
                outcome: Outcome::Unsupported,
                files: Vec::new(),
                left_out: Vec::new(),
            });
        };
        request.check_for(layout)?;
        let source = self.store.home(&request.source_session, home)?;
        let target = self.store.home(&request.target_session, home)?;
        if source.path() == target.path() {
            return Err(BindError::SameHome {
                home: target.path(),
            });
        }
        let homes = Homes::open((&source, &target), writing, (&self.options, &stopped))?;
        let job = Job {
            request,
            layout,
            records,
            limits: &self.options.limits,
            homes: &homes,
            stopped: &stopped,
            is_writing: !matches!(writing, Writing::Nothing),
        };
        job.run(writing)
    }
}
