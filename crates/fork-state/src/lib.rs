//! Bring a forked agent session's transcript into its own home, exactly or not
//! at all.
//!
//! A host that keeps a home for each session (`CODEX_HOME` and the like) forks a
//! session: the provider writes the fork's transcript into the home of the session
//! that was forked. [`Binder`] brings it into the fork's own, with the transcripts
//! that it refers to, and nothing else. No link is followed below the directory that
//! the host vouches for, nothing that another one wrote is overwritten, and a
//! transcript that is damaged is told with kind and place ([`inspect()`]).
//!
//! ```
//! use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, Registry, TargetId, TranscriptLayout};
//! use fork_state::{Binder, DirectoryStore, ForkRequest, Outcome, RuntimeStore};
//!
//! # let scratch = tempfile::tempdir()?;
//! # let state = scratch.path();
//! // Providers come from `provider-adapters`, or are made:
//! let mut codex = Descriptor::new("codex".parse()?, TargetId::named("local:codex"), MessageFraming::Lines, Dialect::JsonRpc);
//! codex.session_home = Some("codex-home".into());
//! codex.transcripts = Some(TranscriptLayout::Rollouts { directories: vec!["sessions".into()], traces: Vec::new() });
//! let mut providers = Registry::new();
//! providers.register(codex)?;
//!
//! // What the provider wrote into the home of the session that was forked:
//! let store = DirectoryStore::new(state)?;
//! let source = store.home(&"session-1".parse()?, "codex-home")?.path().join("sessions");
//! std::fs::create_dir_all(&source)?;
//! std::fs::write(source.join("rollout-t2.jsonl"), "{\"type\":\"session_meta\",\"payload\":{\"id\":\"t2\"}}\n")?;
//!
//! let request = ForkRequest {
//!     provider: "codex".parse()?,
//!     workspace: "app".into(),
//!     source_session: "session-1".parse()?,
//!     target_session: "session-2".parse()?,
//!     source_provider_session: "t1".parse()?,
//!     target_provider_session: "t2".parse()?,
//!     target_cwd: None,
//! };
//! let binder = Binder::new(&store, &providers);
//! assert_eq!(binder.bind(&request)?.outcome, Outcome::Copied);
//! assert_eq!(binder.bind(&request)?.outcome, Outcome::AlreadyBound);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod bind_error;
mod binder;
mod binding;
mod candidate;
mod chain;
mod chain_error;
mod comparison;
mod copying;
mod decision;
mod destination;
mod homes;
mod inspect;
mod job;
mod looking;
mod member;
mod outcome;
mod place;
mod request;
mod runtime_store;
mod search;
mod sides;
mod stopped;
mod sys;

pub use bind_error::BindError;
pub use binder::{BindOptions, Binder};
pub use binding::{Action, Binding, BoundFile, Plan};
pub use chain_error::ChainError;
pub use inspect::{
    ContentError, Damage, DamageKind, HistoryBase, InspectError, Limits, Note, NoteKind,
    TranscriptDigest, TranscriptReport, inspect,
};
pub use outcome::Outcome;
pub use place::PlaceError;
pub use request::{ForkRequest, ProviderSessionId, RequestError};
pub use runtime_store::{DirectoryStore, GivenHomes, HomePath, RuntimeStore, StoreError};
