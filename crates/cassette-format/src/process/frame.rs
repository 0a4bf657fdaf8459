//! One piece of what a process says, as a host receives it.

use std::fmt;
use std::str::FromStr;

use crate::schema::{ChunkSeq, ConnectionId, RecordingId};

/// How a process ended: its exit code, or -1 when a signal ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExitCode(i64);

impl ExitCode {
    /// The end by a signal.
    pub const SIGNALED: Self = Self(-1);

    /// The exit with this code.
    #[must_use]
    pub const fn new(code: i64) -> Self {
        Self(code)
    }

    /// The code.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for ExitCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ExitCode {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// One piece of what a process says: bytes as they were read, or its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What happened.
    pub event: FrameEvent,
    /// A diagnostic of the transport, such as the signal that ended the process.
    pub message: Option<String>,
    /// Where the frame stands in a recording, if it was recorded or replayed.
    pub stamp: Option<Stamp>,
}

/// What a frame tells.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameEvent {
    /// Bytes of standard output, as read: any cut, any content.
    Stdout(Vec<u8>),
    /// Bytes of standard error.
    Stderr(Vec<u8>),
    /// The process ended. The last frame of a connection.
    Exit(ExitCode),
    /// Nothing but the frame's message.
    MessageOnly,
}

/// Where a frame stands in a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// The recording, where the host keeps several.
    pub recording_id: Option<RecordingId>,
    /// The connection in the cassette.
    pub connection_id: ConnectionId,
    /// The chunk in the connection; 0 for a frame that a player made up.
    pub chunk_seq: ChunkSeq,
    /// Whether a player made the frame up.
    pub synthetic: bool,
}

/// The parts of a frame as other systems hold them: at most one payload is
/// filled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrameParts {
    /// Bytes of standard output; empty means none.
    pub stdout: Vec<u8>,
    /// Bytes of standard error; empty means none.
    pub stderr: Vec<u8>,
    /// The end of the process.
    pub exit_code: Option<ExitCode>,
    /// A diagnostic; empty means none.
    pub message: String,
}

/// Parts do not make one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("a frame needs exactly one of stdout, stderr and exit code, found {found}")]
pub struct InvalidFrame {
    /// How many payloads were filled: 0, 2 or 3.
    pub found: usize,
}

impl Frame {
    /// A frame of standard output.
    #[must_use]
    pub fn stdout(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(FrameEvent::Stdout(bytes.into()))
    }

    /// A frame of standard error.
    #[must_use]
    pub fn stderr(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(FrameEvent::Stderr(bytes.into()))
    }

    /// The last frame.
    #[must_use]
    pub const fn exit(code: ExitCode) -> Self {
        Self::of(FrameEvent::Exit(code))
    }

    /// A frame that is only a diagnostic.
    #[must_use]
    pub fn message_only(message: impl Into<String>) -> Self {
        Self::of(FrameEvent::MessageOnly).with_message(message)
    }

    /// With a diagnostic beside the payload.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// The frame of exactly one payload.
    ///
    /// # Errors
    /// No payload (a message alone is none), or more than one.
    pub fn from_parts(parts: FrameParts) -> Result<Self, InvalidFrame> {
        let FrameParts {
            stdout,
            stderr,
            exit_code,
            message,
        } = parts;
        let event = match (stdout.is_empty(), stderr.is_empty(), exit_code) {
            (false, true, None) => FrameEvent::Stdout(stdout),
            (true, false, None) => FrameEvent::Stderr(stderr),
            (true, true, Some(code)) => FrameEvent::Exit(code),
            (no_stdout, no_stderr, exit_code) => {
                let filled = [!no_stdout, !no_stderr, exit_code.is_some()];
                return Err(InvalidFrame {
                    found: filled.iter().filter(|filled| **filled).count(),
                });
            }
        };
        let message = Some(message).filter(|message| !message.is_empty());
        Ok(Self {
            event,
            message,
            stamp: None,
        })
    }

    const fn of(event: FrameEvent) -> Self {
        Self {
            event,
            message: None,
            stamp: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_or_no_payloads_make_no_frame() {
        let nothing = FrameParts {
            message: "only a message".into(),
            ..FrameParts::default()
        };
        assert_eq!(Frame::from_parts(nothing), Err(InvalidFrame { found: 0 }));
        let both = FrameParts {
            stdout: b"a".to_vec(),
            exit_code: Some(ExitCode::new(0)),
            ..FrameParts::default()
        };
        assert_eq!(Frame::from_parts(both), Err(InvalidFrame { found: 2 }));
    }

    #[test]
    fn one_payload_with_a_message_makes_a_frame() {
        let parts = FrameParts {
            exit_code: Some(ExitCode::SIGNALED),
            message: "signal 9".into(),
            ..FrameParts::default()
        };
        assert_eq!(
            Frame::from_parts(parts),
            Ok(Frame::exit(ExitCode::SIGNALED).with_message("signal 9"))
        );
    }
}
