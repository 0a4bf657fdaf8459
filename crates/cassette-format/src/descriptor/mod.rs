//! What is special about a provider, as data: framing, dialect, probes,
//! identities, homes. Nothing here acts; the recording and replaying sides read
//! it.

mod provider;
mod registry;
mod transcript;

pub use provider::{
    AccountRead, Descriptor, Dialect, EnvironmentOfStart, GeneratedField, IdentityFields,
    IgnoredField, MessageFraming, Pipelining, Spelling, SyntheticAnswer, TargetId,
};
pub use registry::{LookUpError, RegisterError, Registry};
pub use transcript::TranscriptLayout;
