//! The class names that the vectors give to errors.

use cassette_format::portable::ContentError;
use cassette_format::process::{
    ControlError, CursorError, Failure, FrameFromChunk, RecvError, SendError, StartError, UnitError,
};
use cassette_format::store::OpenError;
use cassette_record::{ArmError, CaptureError, FinishError, LaunchError, RecordError};
use cassette_replay::{ConnectError, IncompleteError, NotRegistered, PlayError, RegistrationError};
use fork_state::{BindError, PlaceError, StoreError};

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
            Some(LaunchError::Ended) => "already-finalized",
            _ => of_failure(failure),
        },
        StartError::Spawn { .. } => "base-failure",
        _ => "(no class)",
    }
}

pub(crate) fn of_send(error: &SendError) -> &'static str {
    match error {
        SendError::Closed => "closed-pipe",
        SendError::Failed(failure) => of_failure(failure),
        SendError::Write(_) => "base-failure",
        _ => "(no class)",
    }
}

pub(crate) fn of_recv(error: &RecvError) -> &'static str {
    match error {
        RecvError::Failed(failure) => of_failure(failure),
        RecvError::Read(_) => "base-failure",
        _ => "(no class)",
    }
}

pub(crate) fn of_control(error: &ControlError) -> &'static str {
    match error {
        ControlError::Failed(failure) => of_failure(failure),
        ControlError::Signal { .. } => "base-failure",
        _ => "(no class)",
    }
}

pub(crate) fn of_incomplete(error: &IncompleteError) -> &'static str {
    match error {
        IncompleteError::Unlaunched { .. } => "unconsumed-connections",
        IncompleteError::Connection { source, .. } => of_play(source),
        _ => "(no class)",
    }
}

pub(crate) fn of_arm(error: &ArmError) -> &'static str {
    match error {
        ArmError::RootRequired => "root-required",
        ArmError::Busy { .. } => "recording-busy",
        _ => "(no class)",
    }
}

pub(crate) fn of_capture(error: &CaptureError) -> &'static str {
    match error {
        CaptureError::NotFound { .. } => "recording-not-found",
        CaptureError::Empty { .. } => "recording-empty",
        CaptureError::Finish(error) => of_finish(error),
        _ => "(no class)",
    }
}

pub(crate) fn of_finish(error: &FinishError) -> &'static str {
    match error {
        FinishError::Active { .. } => "active-connections",
        FinishError::Failed(failure) => of_failure(failure),
        _ => "(no class)",
    }
}

fn of_failure(failure: &Failure) -> &'static str {
    if let Some(error) = failure.downcast_ref() {
        return of_record(error);
    }
    if let Some(error) = failure.downcast_ref() {
        return of_not_registered(error);
    }
    match failure.downcast_ref() {
        Some(ConnectError::NoConnection { .. }) => return "no-connection",
        Some(ConnectError::RootMismatch { .. }) => return "root-mismatch",
        _ => {}
    }
    failure.downcast_ref().map_or("(no class)", of_play)
}

pub(crate) fn of_registration(error: &RegistrationError) -> &'static str {
    match error {
        RegistrationError::DuplicateId { .. } | RegistrationError::DuplicateRoot { .. } => {
            "duplicate-registration"
        }
        _ => "invalid-registration",
    }
}

pub(crate) fn of_not_registered(error: &NotRegistered) -> &'static str {
    match error {
        NotRegistered::Root { .. } => "no-registered-root",
        _ => "no-registered-cassette",
    }
}

pub(crate) fn of_cursor(error: &CursorError) -> &'static str {
    match error {
        CursorError::EmptyConnection => "empty-target-connection",
        CursorError::Duplicate { .. } => "duplicate-target",
        _ => "overshot",
    }
}

pub(crate) fn of_unit(error: &UnitError) -> &'static str {
    match error {
        UnitError::WrongConnection { .. } => "wrong-unit-connection",
        UnitError::Overshot { .. } => "overshot",
        UnitError::MovedBackward { .. } => "moved-backward",
        UnitError::SyntheticPending { .. } => "synthetic-pending",
        UnitError::Canceled { .. } => "canceled",
        UnitError::Failed(failure) => of_failure(failure),
        _ => "(no class)",
    }
}

fn of_record(error: &RecordError) -> &'static str {
    match error {
        RecordError::Frame(_) => "invalid-frame",
        RecordError::Ended => "already-finalized",
        RecordError::FrameTooLarge { .. }
        | RecordError::LineTooLong { .. }
        | RecordError::TapeTooLarge { .. } => "size-limit",
        RecordError::Content { source, .. } => of_content(source),
        _ => "(no class)",
    }
}

pub(crate) fn of_play(error: &PlayError) -> &'static str {
    match error {
        PlayError::Mismatch(_) | PlayError::Bytes(_) => "outbound-mismatch",
        PlayError::AfterEnd { .. } => "outbound-after-end",
        PlayError::Data(_) => "invalid-base64",
        PlayError::Chunk(FrameFromChunk::UnsupportedKind { .. }) => "unsupported-kind",
        PlayError::Chunk(FrameFromChunk::MissingExitCode { .. }) => "missing-exit-code",
        PlayError::Unconsumed { .. } => "unconsumed-chunks",
        _ => "(no class)",
    }
}

pub(crate) fn of_bind(error: &BindError) -> &'static str {
    match error {
        BindError::Cancelled => "canceled",
        BindError::Request(_) => "invalid-binding",
        BindError::Store(StoreError::NoStateDirectory) => "state-dir-missing",
        BindError::Store(_) => "path-escape",
        BindError::Place(PlaceError::Unsafe { .. }) => "unsafe-directory",
        BindError::Place(PlaceError::NotRegular { .. }) => "not-regular-file",
        BindError::Place(PlaceError::AlreadyExists { .. }) => "already-exists",
        BindError::NotFound { .. } => "not-found",
        BindError::Ambiguous { .. } => "multiple-matches",
        BindError::SourceMissing { .. } => "source-missing",
        BindError::DamagedSource { .. } => "damaged-source",
        BindError::DamagedUnverifiable { .. } => "damaged-unverifiable",
        BindError::DamagedDiverged { .. } => "damaged-diverged",
        BindError::Diverged { .. } => "diverged",
        BindError::SameHome { .. } => "same-home",
        _ => "(no class)",
    }
}
