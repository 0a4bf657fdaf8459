//! Descriptors of the agent providers that cassette knows, and descriptor
//! files for those that it does not.
//!
//! Data only: what a descriptor says is acted on by the recorder, the player and
//! the fork of a session's state. `docs/providers.md` has a page on each.
//!
//! ```
//! use cassette_format::schema::ProviderId;
//!
//! let mut registry = provider_adapters::builtin();
//! let codex = registry.by_provider(&ProviderId::from_recorded("Codex"));
//! assert_eq!(codex.map(|codex| codex.target.as_str()), Some("local:codex"));
//!
//! let own = provider_adapters::parse_toml(
//!     r#"
//!     id = "my-agent"
//!     target = "local:my-agent"
//!     framing = "lines"
//!     dialect = "json-rpc"
//!     home-variables = ["MY_AGENT_HOME"]
//!     "#,
//! )?;
//! registry.register(own)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod builtin;
mod file;
mod providers;

pub use builtin::builtin;
pub use file::{
    DescriptorFileError, DescriptorMistake, DescriptorMistakes, MAX_DESCRIPTOR_BYTES, MAX_MISTAKES,
    MistakeKind, parse_json, parse_toml, read_descriptor,
};
