//! What a tape holds, in numbers: chunks and bytes by connection and kind,
//! messages by direction and method, how long answers took. For tools that show
//! or compare tapes; nothing of the payload is in it but the names of methods.
//!
//! ```
//! use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, Registry};
//! use cassette_format::store::{ReadOptions, TapePrefix};
//! use cassette_format::summary::Summary;
//!
//! # use cassette_format::schema::{Manifest, TapeLimits};
//! # use cassette_format::store::{CassetteDir, replace_manifest};
//! # let scratch = tempfile::tempdir()?;
//! # let dir = CassetteDir::new(scratch.path().join("empty.cassette"));
//! # drop(dir.create_frames()?);
//! # replace_manifest(&dir, &Manifest::incomplete(TapeLimits::default()))?;
//! # let dir = dir.path();
//! let mut registry = Registry::new();
//! registry.register(Descriptor::new(
//!     "acp".parse()?,
//!     "local:acp".parse()?,
//!     MessageFraming::Lines,
//!     Dialect::JsonRpc,
//! ))?;
//! let prefix = TapePrefix::open(dir, &ReadOptions::default())?;
//! let summary = Summary::of_prefix(&prefix, &registry);
//! for connection in &summary.connections {
//!     let Some(messages) = &connection.messages else {
//!         continue;
//!     };
//!     for method in &messages.outbound.methods {
//!         println!("{:?} {:?} {}", method.kind, method.name, method.count);
//!     }
//! }
//! println!("{summary}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a summary does not understand it counts: bytes that are no JSON, messages
//! that are none of the dialect, unknown kinds of chunk, connections whose provider
//! the registry lacks. Time is linear in the tape; memory is that of the longest
//! message and of the entries, which the limits of this module bound for each
//! direction of a connection.

mod answer_times;
mod connection_summary;
mod conversation;
mod limits;
mod message_head;
mod message_summary;
mod method_table;
mod open_requests;
mod summarizer;
mod tally;
mod tape_summary;
mod text;

pub use answer_times::AnswerTimes;
pub use connection_summary::{ConnectionSummary, Exit};
pub use limits::{
    MAX_DISTINCT_TIMES, MAX_METHODS, MAX_NAME_BYTES, MAX_OPEN_REQUESTS, MAX_REQUEST_ID_BYTES,
};
pub use message_head::MessageHead;
pub use message_summary::{
    DirectionSummary, MessageKind, MessageSummary, MethodSummary, OtherMethods,
};
pub use summarizer::Summarizer;
pub use tape_summary::Summary;
