//! Bring a forked agent session's transcript into its own home, exactly or not
//! at all.
//!
//! What is here: where the state of a session lies ([`RuntimeStore`],
//! [`DirectoryStore`]) and what a binding is asked for and comes to
//! ([`ForkRequest`], [`Outcome`]). Planning and applying one are not here yet;
//! `docs/api.md` has their signatures.
//!
//! ```
//! use fork_state::{DirectoryStore, RuntimeStore};
//!
//! let store = DirectoryStore::new("/var/lib/host")?;
//! let home = store.home(&"session/1".parse()?, "codex-home")?;
//! assert_eq!(home.to_str(), Some("/var/lib/host/agent/runs/session_1/codex-home"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod outcome;
mod request;
mod runtime_store;

pub use outcome::Outcome;
pub use request::{ForkRequest, ProviderSessionId, RequestError};
pub use runtime_store::{DirectoryStore, RuntimeStore, StoreError};
