//! Why a cassette was not read.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::FieldError;
use super::quoted::quoted;
use crate::schema::{
    CaptureOrigin, CassetteStatus, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, FramesDigest,
    GlobalSeq, LaunchOrdinal, ProjectionVersion, ProviderId, SchemaVersion,
};

/// A cassette was not read. Each variant names the file and, where there is
/// one, the line (from 1) and both values.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file or its directory is not there.
    #[error("{} does not exist", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// Something else stands where a file belongs.
    #[error("{} is {found}, not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What stands there.
        found: FileKind,
    },
    /// The operating system refused.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
    /// The file is larger than the reader takes in.
    #[error("{} has {bytes} bytes, the limit is {limit}", path.display())]
    FileTooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The file changed its size while it was read.
    #[error("{} had {expected} bytes when opened and {found} when read", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The size when it was opened.
        expected: u64,
        /// The size that was met.
        found: u64,
    },
    /// The manifest cannot be decoded.
    #[error("{} is not a manifest", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        source: FieldError,
    },
    /// The manifest has another schema version.
    #[error("{} has schema version {found}, this reader knows {supported}", path.display())]
    SchemaVersion {
        /// The manifest.
        path: PathBuf,
        /// Its version; 0 when absent.
        found: SchemaVersion,
        /// The version that is read.
        supported: SchemaVersion,
    },
    /// The manifest has another projection version.
    #[error("{} has projection version {found}, this reader knows {supported}", path.display())]
    ProjectionVersion {
        /// The manifest.
        path: PathBuf,
        /// Its version; 0 when absent.
        found: ProjectionVersion,
        /// The version that is read.
        supported: ProjectionVersion,
    },
    /// The tape is not whole.
    #[error("{} has status {}, only `complete` is played", path.display(), quoted(found.as_str()))]
    Status {
        /// The manifest.
        path: PathBuf,
        /// Its status.
        found: CassetteStatus,
    },
    /// The frames are not the ones that were recorded.
    #[error(
        "{} has digest `{actual}`, the manifest says {}", path.display(), quoted(recorded.as_str())
    )]
    Digest {
        /// The frames.
        path: PathBuf,
        /// The digest in the manifest.
        recorded: FramesDigest,
        /// The digest of the file.
        actual: FramesDigest,
    },
    /// A connection belongs to a provider that the reader does not know.
    #[error(
        "{}: connection {} has provider {}, which is not registered",
        path.display(), quoted(connection_id.as_str()), quoted(provider.as_str())
    )]
    UnknownProvider {
        /// The manifest.
        path: PathBuf,
        /// The connection.
        connection_id: ConnectionId,
        /// Its provider.
        provider: ProviderId,
    },
    /// A connection was met in a way that the reader does not know.
    #[error(
        "{}: connection {} has capture origin {}, which this reader does not know",
        path.display(), quoted(connection_id.as_str()), quoted(found.as_str())
    )]
    CaptureOrigin {
        /// The manifest.
        path: PathBuf,
        /// The connection.
        connection_id: ConnectionId,
        /// Its origin; empty when absent.
        found: CaptureOrigin,
    },
    /// A line cannot be decoded.
    #[error("{}:{line} is not a chunk", path.display())]
    Line {
        /// The frames.
        path: PathBuf,
        /// The line.
        line: u64,
        /// What is wrong, and where.
        #[source]
        source: FieldError,
    },
    /// A line is longer than the reader takes in.
    #[error("{}:{line} has {bytes} bytes, the limit is {limit}", path.display())]
    LineTooLong {
        /// The frames.
        path: PathBuf,
        /// The line.
        line: u64,
        /// Its length, the line feed counted.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The global sequence has a gap.
    #[error("{}:{line} has global sequence {found}, expected {expected}", path.display())]
    GlobalSequence {
        /// The frames.
        path: PathBuf,
        /// The line.
        line: u64,
        /// The number there.
        found: GlobalSeq,
        /// The number that belongs there.
        expected: GlobalSeq,
    },
    /// The number of lines is not the recorded one.
    #[error("{} has {found} frames, the manifest says {recorded}", path.display())]
    FrameCount {
        /// The frames.
        path: PathBuf,
        /// Lines of the file.
        found: u64,
        /// The count in the manifest.
        recorded: u64,
    },
    /// A connection has launch ordinal 0, or none.
    #[error(
        "{}: connection {} has launch ordinal {found}, the first is 1",
        path.display(), quoted(connection_id.as_str())
    )]
    LaunchOrdinal {
        /// The manifest.
        path: PathBuf,
        /// The connection.
        connection_id: ConnectionId,
        /// Its ordinal.
        found: LaunchOrdinal,
    },
    /// Two connections have the same identity.
    #[error(
        "{}: connections {first} and {second} of the list have the same id {}",
        path.display(), quoted(connection_id.as_str())
    )]
    DuplicateConnectionId {
        /// The manifest.
        path: PathBuf,
        /// The identity.
        connection_id: ConnectionId,
        /// Where it stands first in `connections`, from 1.
        first: usize,
        /// Where it stands again.
        second: usize,
    },
    /// Two connections are the same launch: of one agent session, provider and
    /// ordinal.
    #[error(
        "{}: connections {} and {} are the same launch of one session and provider",
        path.display(), quoted(first.as_str()), quoted(second.as_str())
    )]
    DuplicateConnection {
        /// The manifest.
        path: PathBuf,
        /// The one that comes first.
        first: ConnectionId,
        /// The one that repeats it.
        second: ConnectionId,
    },
    /// The sequence of a connection has a gap.
    #[error(
        "{}:{line} has chunk sequence {found} of connection {}, expected {expected}",
        path.display(), quoted(connection_id.as_str())
    )]
    ChunkSequence {
        /// The frames.
        path: PathBuf,
        /// The line.
        line: u64,
        /// The connection.
        connection_id: ConnectionId,
        /// The number there.
        found: ChunkSeq,
        /// The number that belongs there.
        expected: ChunkSeq,
    },
    /// A chunk belongs to a connection that the manifest does not list.
    #[error(
        "{}:{line} belongs to connection {}, which the manifest does not list",
        path.display(), quoted(connection_id.as_str())
    )]
    UnlistedConnection {
        /// The frames.
        path: PathBuf,
        /// The line.
        line: u64,
        /// The connection.
        connection_id: ConnectionId,
    },
    /// A sum of the manifest is not what the frames add up to.
    #[error("{}: {sum} is {recorded}, the frames add up to {counted}", path.display())]
    Sum {
        /// The manifest.
        path: PathBuf,
        /// Which sum.
        sum: Sum,
        /// The sum in the manifest.
        recorded: u64,
        /// The sum of the frames.
        counted: u64,
    },
    /// A payload is larger than the reader takes in.
    #[error("{}:{line} has a payload of {bytes} bytes, the limit is {limit}", path.display())]
    FrameTooLarge {
        /// The frames.
        path: PathBuf,
        /// The line.
        line: u64,
        /// The payload.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A chunk is timed later than any recording lasts.
    #[error("{}:{line} is timed at {found}, the limit is {limit}", path.display())]
    Elapsed {
        /// The frames.
        path: PathBuf,
        /// The line.
        line: u64,
        /// The time there.
        found: ElapsedMs,
        /// The limit.
        limit: ElapsedMs,
    },
}

/// What can stand in place of a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// A directory.
    Directory,
    /// A symbolic link.
    SymbolicLink,
    /// A pipe, socket or device.
    Special,
}

/// A sum of the manifest, by its name there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sum {
    /// `storedBytes`.
    StoredBytes,
    /// `payloadBytes`.
    PayloadBytes,
    /// `framesByKind.<kind>.frameCount`.
    KindFrameCount(ChunkKind),
    /// `framesByKind.<kind>.payloadBytes`.
    KindPayloadBytes(ChunkKind),
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Directory => "a directory",
            Self::SymbolicLink => "a symbolic link",
            Self::Special => "a pipe, socket or device",
        })
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StoredBytes => f.write_str("storedBytes"),
            Self::PayloadBytes => f.write_str("payloadBytes"),
            Self::KindFrameCount(kind) => write!(f, "frameCount of {}", quoted(kind.as_str())),
            Self::KindPayloadBytes(kind) => write!(f, "payloadBytes of {}", quoted(kind.as_str())),
        }
    }
}
