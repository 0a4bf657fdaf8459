//! Descriptors of the agent providers that cassette knows.
//!
//! ```
//! use cassette_format::schema::ProviderId;
//!
//! let registry = provider_adapters::builtin();
//! let codex = registry.by_provider(&ProviderId::from_recorded("Codex"));
//! assert_eq!(codex.map(|codex| codex.target.as_str()), Some("local:codex"));
//! ```
#![forbid(unsafe_code)]

mod builtin;
mod providers;

pub use builtin::builtin;
