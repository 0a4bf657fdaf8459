//! Inspecting transcripts: which session a file belongs to, whether each of its
//! records is whole, and if not, what is wrong where.
//!
//! ```text
//! file ─ content ─ frames (zstd)
//!           │
//!       inspector ─ digests
//!           │
//!        scanner ── lines, damage
//!        │     │
//!   grammar   judge ── ordinals
//!        │     │
//!        members
//! ```
//!
//! The scanner finds out what is a record, the judge what the records should
//! say; the members are what it reads of them.

mod buffer;
mod content;
mod damage;
mod digest;
mod found;
mod frames;
mod grammar;
mod inspector;
mod judge;
mod limits;
mod members;
mod nesting;
mod ordinals;
mod plain_run;
mod report;
mod scanner;
mod transcript;

pub use content::ContentError;
pub(crate) use content::{Content, Encoding};
pub use damage::{Damage, DamageKind, Note, NoteKind};
pub use digest::TranscriptDigest;
pub(crate) use inspector::{InspectOptions, Inspection, Inspector};
pub(crate) use judge::{Identity, RecordLayout};
pub use limits::Limits;
pub use report::{HistoryBase, TranscriptReport};
pub(crate) use transcript::identify;
pub use transcript::{InspectError, inspect};

#[cfg(test)]
mod tests;
