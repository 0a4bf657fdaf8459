//! The names and shapes of a cassette: manifest, connection records, chunks,
//! their identities, numbers and limits. Plain values: no files, no JSON text,
//! no protocol. `docs/format.md` is the normative description.

mod annotations;
mod chunk;
mod connection;
mod elapsed;
mod identity;
mod kind;
mod limits;
mod manifest;
mod sequence;
mod unknown;
mod version;

pub use annotations::{Annotations, Origin, RecoveryNote, Redactions, SyncPolicy, Tool};
pub use chunk::Chunk;
pub use connection::{CaptureOrigin, ConnectionRecord, CwdToken};
pub use elapsed::ElapsedMs;
pub use identity::{AgentSessionId, BlankIdentity, ConnectionId, ProviderId, RecordingId};
pub use kind::{ChunkKind, KindStats};
pub use limits::{
    MAX_FRAME_BYTES, MAX_LINE_BYTES, MAX_MANIFEST_BYTES, MAX_STORED_BYTES, TapeLimits,
};
pub use manifest::{CassetteStatus, FramesDigest, Manifest};
pub use sequence::{ChunkSeq, GlobalSeq, LaunchOrdinal, ParseSequenceError};
pub use unknown::{UnknownField, UnknownFields};
pub use version::{ProjectionVersion, SchemaVersion};
