//! The class names that the vectors give to errors.

use cassette_format::portable::ContentError;
use cassette_format::process::{
    ControlError, Failure, FrameFromChunk, RecvError, SendError, StartError,
};
use cassette_format::store::OpenError;
use cassette_replay::{ConnectError, IncompleteError, PlayError};

pub(crate) fn of_open(error: &OpenError) -> &'static str {
    match error {
        OpenError::Missing { .. } => "missing-file",
        OpenError::Manifest { .. } => "invalid-manifest",
        OpenError::SchemaVersion { .. } => "unsupported-schema-version",
        OpenError::ProjectionVersion { .. } => "unsupported-projection-version",
        OpenError::Status { .. } => "incomplete-cassette",
        OpenError::Digest { .. } => "integrity-mismatch",
        OpenError::UnknownProvider { .. } => "unknown-provider",
        OpenError::CaptureOrigin { .. } => "unsupported-capture-origin",
        OpenError::Line { .. } => "invalid-chunk",
        OpenError::LineTooLong { .. } => "line-too-long",
        OpenError::GlobalSequence { .. } => "global-sequence-gap",
        OpenError::FrameCount { .. } => "frame-count-mismatch",
        OpenError::LaunchOrdinal { .. } => "missing-launch-ordinal",
        OpenError::DuplicateConnection { .. } | OpenError::DuplicateConnectionId { .. } => {
            "duplicate-connection"
        }
        OpenError::ChunkSequence { .. } => "chunk-sequence-gap",
        OpenError::UnlistedConnection { .. } => "unregistered-connection",
        OpenError::FrameTooLarge { .. } | OpenError::FileTooLarge { .. } => "size-limit",
        _ => "(no class)",
    }
}

pub(crate) fn of_content(error: &ContentError) -> &'static str {
    match error {
        ContentError::CredentialMethod { .. } => "credential-method",
        ContentError::SensitiveField { .. } => "sensitive-field",
        ContentError::NonPortablePath { .. } => "non-portable-path",
        _ => "(no class)",
    }
}

pub(crate) fn of_start(error: &StartError) -> &'static str {
    match error {
        StartError::UnknownProvider { .. } => "unknown-provider",
        StartError::Refused(failure) => match failure.downcast_ref() {
            Some(ConnectError::NoConnection { .. }) => "no-connection",
            Some(ConnectError::RootMismatch { .. }) => "root-mismatch",
            _ => "(no class)",
        },
        _ => "(no class)",
    }
}

pub(crate) fn of_send(error: &SendError) -> &'static str {
    match error {
        SendError::Closed => "closed-pipe",
        SendError::Failed(failure) => of_failure(failure),
        _ => "(no class)",
    }
}

pub(crate) fn of_recv(error: &RecvError) -> &'static str {
    match error {
        RecvError::Failed(failure) => of_failure(failure),
        _ => "(no class)",
    }
}

pub(crate) fn of_control(error: &ControlError) -> &'static str {
    match error {
        ControlError::Failed(failure) => of_failure(failure),
        _ => "(no class)",
    }
}

pub(crate) fn of_incomplete(error: &IncompleteError) -> &'static str {
    match error {
        IncompleteError::Unlaunched { .. } => "unconsumed-connections",
        IncompleteError::Connection(error) => of_play(error),
        _ => "(no class)",
    }
}

fn of_failure(failure: &Failure) -> &'static str {
    failure.downcast_ref().map_or("(no class)", of_play)
}

fn of_play(error: &PlayError) -> &'static str {
    match error {
        PlayError::Mismatch(_) => "outbound-mismatch",
        PlayError::AfterEnd { .. } => "outbound-after-end",
        PlayError::Data(_) => "invalid-base64",
        PlayError::Chunk(FrameFromChunk::UnsupportedKind { .. }) => "unsupported-kind",
        PlayError::Chunk(FrameFromChunk::MissingExitCode { .. }) => "missing-exit-code",
        PlayError::Unconsumed { .. } => "unconsumed-chunks",
        _ => "(no class)",
    }
}
