//! Why something was not recorded, family by family.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use cassette_format::portable::ContentError;
use cassette_format::process::{ChunkFromFrame, Failure};
use cassette_format::schema::{AgentSessionId, ConnectionId, ProviderId, RecordingId};
use cassette_format::store::{self, OpenError, ReplaceError};

use crate::secrets::{FilterTooLarge, SecretName};

/// A recorder was not created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateError {
    /// The directory or its files were not made.
    #[error("cannot begin a cassette")]
    Files(#[from] store::CreateError),
    /// The files of the old cassette were not removed.
    #[error("cannot remove {}", path.display())]
    Remove {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// Another recorder writes there.
    #[error("another recorder writes to {}", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
    },
    /// A limit is larger than readers take.
    #[error("{what} is {given}, the format's limit is {limit}")]
    LimitTooLarge {
        /// Which limit, by its name in the manifest.
        what: &'static str,
        /// The limit that was asked for.
        given: u64,
        /// The format's.
        limit: u64,
    },
    /// The annotations hold a secret.
    #[error("annotations hold the value of {name}")]
    Secret {
        /// Whose value, never the value.
        name: SecretName,
    },
    /// The secrets cannot be looked for.
    #[error("cannot look for secrets")]
    Secrets(#[from] FilterTooLarge),
    /// The manifest was not written.
    #[error("cannot write the first manifest")]
    Manifest(#[from] ReplaceError),
}

/// A launch was not taken into a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// It says nothing of the conversation it serves.
    #[error("launch has no session context")]
    NoSession,
    /// No descriptor for its provider.
    #[error("provider `{provider}` is not registered")]
    UnknownProvider {
        /// The provider.
        provider: ProviderId,
    },
    /// The recording has ended.
    #[error("the recording has ended")]
    Ended,
    /// The recording has failed before.
    #[error("the recording has failed")]
    Failed(#[source] Failure),
    /// The manifest would show a secret: in a session's name, or in what was annotated.
    #[error("the manifest would hold the value of {name}")]
    Secret {
        /// Whose value, never the value.
        name: SecretName,
    },
    /// The secrets of its environment cannot be looked for.
    #[error("cannot look for the secrets of the launch")]
    Secrets(#[from] FilterTooLarge),
    /// The manifest was not written; nothing was used up.
    #[error("cannot write the manifest")]
    Manifest(#[source] ReplaceError),
}

/// A piece of traffic was not recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The frame has nothing in it. The recording goes on.
    #[error("frame cannot be recorded")]
    Frame(#[from] ChunkFromFrame),
    /// The recording has ended.
    #[error("the recording has ended")]
    Ended,
    /// A payload is over the limit. The recording has failed.
    #[error("payload of {connection_id} has {bytes} bytes, the limit is {limit}")]
    FrameTooLarge {
        /// The connection.
        connection_id: ConnectionId,
        /// The payload.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A line is longer than readers take. The recording has failed.
    #[error("line of {connection_id} has {bytes} bytes, the limit is {limit}")]
    LineTooLong {
        /// The connection.
        connection_id: ConnectionId,
        /// The line.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The tape would be over its limit. The recording has failed.
    #[error("frames would have {bytes} bytes, the limit is {limit}")]
    TapeTooLarge {
        /// The size with this chunk.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A message holds what may not be on a tape. The recording has failed.
    #[error("message{} of {connection_id} cannot be recorded", named(method.as_deref()))]
    Content {
        /// The connection.
        connection_id: ConnectionId,
        /// Its method, if it has one that is a plain name.
        method: Option<String>,
        /// What it holds, and where.
        #[source]
        source: ContentError,
    },
    /// A payload holds a secret. The recording has failed.
    #[error("payload of {connection_id} holds the value of {name}")]
    Secret {
        /// The connection.
        connection_id: ConnectionId,
        /// Whose value, never the value.
        name: SecretName,
    },
    /// A message went on after the connection or its input was said to have ended, and
    /// does not continue what is stored of it: what came later changes what came before.
    /// The recording has failed.
    #[error("message of {connection_id} went on after its end and cannot be recorded")]
    WentOn {
        /// The connection.
        connection_id: ConnectionId,
    },
    /// Too much waited for the rest of a message, or too long. The recording has
    /// failed.
    #[error("{bytes} bytes have waited {waited:?} for the rest of a message of {connection_id}")]
    HeldTooLong {
        /// The connection whose message has not ended.
        connection_id: ConnectionId,
        /// Bytes that wait.
        bytes: u64,
        /// How long the first of them has waited.
        waited: Duration,
    },
    /// The frames could not be written. The recording has failed.
    #[error("cannot write to {}", path.display())]
    Write {
        /// The frames.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
}

/// A recording was not completed or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FinishError {
    /// Connections are open.
    #[error("connections that are not closed: {count}, the first is {first}")]
    Active {
        /// How many.
        count: usize,
        /// The first of them.
        first: ConnectionId,
    },
    /// The recording has failed before, so it is not complete.
    #[error("the recording has failed")]
    Failed(#[source] Failure),
    /// The last scan of what was recorded found a secret that messages had hidden: one
    /// that lies over several of them, or that became known later. The recording has
    /// failed, and what it left on disk holds that secret: [`redact`](crate::redact())
    /// makes a copy without it.
    #[error("recorded messages of {connection_id} hold the value of {name}")]
    Secret {
        /// The connection.
        connection_id: ConnectionId,
        /// Whose value, never the value.
        name: SecretName,
    },
    /// What was recorded cannot be read again for the last scan.
    #[error("cannot read what was recorded")]
    Reread(#[source] OpenError),
    /// The frames could not be handed to the disk. The recording stays
    /// incomplete.
    #[error("cannot sync {}", path.display())]
    Sync {
        /// The frames.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The manifest was not written.
    #[error("cannot write the last manifest")]
    Manifest(#[source] ReplaceError),
}

/// A recording on demand was not begun.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArmError {
    /// The root session is blank.
    #[error("recording needs a root session")]
    RootRequired,
    /// The root session is recorded already.
    #[error("root session `{root}` is being recorded as `{recording_id}`")]
    Busy {
        /// The root session.
        root: AgentSessionId,
        /// Its recording.
        recording_id: RecordingId,
    },
    /// The transport was finalised.
    #[error("the transport was finalised")]
    Finalized,
    /// The cassette was not begun.
    #[error("cannot begin the recording")]
    Create(#[from] CreateError),
    /// A live connection was not taken in.
    #[error("cannot record a live connection")]
    Attach(#[source] LaunchError),
}

/// A recording on demand was not completed or cancelled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The root session is not recorded.
    #[error("root session `{root}` is not being recorded")]
    NotFound {
        /// The root session.
        root: AgentSessionId,
    },
    /// No connection was open while it was recorded. The cassette is incomplete.
    #[error("no connection of root session `{root}` was open while it was recorded")]
    Empty {
        /// The root session.
        root: AgentSessionId,
    },
    /// The recording was aborted by its recorder before. The cassette is incomplete.
    #[error("the recording of root session `{root}` was aborted")]
    Aborted {
        /// The root session.
        root: AgentSessionId,
    },
    /// The cassette was not completed or ended.
    #[error(transparent)]
    Finish(#[from] FinishError),
    /// The base transport was not finalised.
    #[error("cannot finalise the base transport")]
    Base(#[source] Failure),
}

fn named(method: Option<&str>) -> String {
    method.map_or_else(String::new, |method| format!(" `{method}`"))
}
