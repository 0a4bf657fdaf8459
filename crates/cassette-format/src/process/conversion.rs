//! Between what a host receives (a frame) and what a tape holds (a chunk).

use crate::schema::{Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq};

use super::{ExitCode, Frame, FrameEvent};

/// A frame cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkFromFrame {
    /// It has neither bytes nor an exit code nor a message.
    #[error("frame is empty")]
    Empty,
}

/// A chunk cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameFromChunk {
    /// Its kind is not one that a process says.
    #[error("chunk {global_seq} has kind `{kind}`, which a process does not say")]
    UnsupportedKind {
        /// The chunk.
        global_seq: GlobalSeq,
        /// Its kind.
        kind: ChunkKind,
    },
    /// It is an exit without code.
    #[error("exit chunk {global_seq} has no exit code")]
    MissingExitCode {
        /// The chunk.
        global_seq: GlobalSeq,
    },
}

/// The chunk of a frame, numbered and timed by the caller's recording. A frame
/// that is only a message becomes a `stdout` chunk without data.
///
/// # Errors
/// A frame without bytes, exit code and message.
pub fn chunk_from_frame(
    frame: &Frame,
    connection_id: ConnectionId,
    numbers: (ChunkSeq, GlobalSeq),
    elapsed: ElapsedMs,
) -> Result<Chunk, ChunkFromFrame> {
    let message = frame.message.clone().unwrap_or_default();
    let (kind, data, exit_code) = match &frame.event {
        FrameEvent::Stdout(bytes) => (ChunkKind::Stdout, bytes.clone(), None),
        FrameEvent::Stderr(bytes) => (ChunkKind::Stderr, bytes.clone(), None),
        FrameEvent::Exit(code) => (ChunkKind::Exit, Vec::new(), Some(code.get())),
        FrameEvent::MessageOnly => (ChunkKind::Stdout, Vec::new(), None),
    };
    if data.is_empty() && exit_code.is_none() && message.is_empty() {
        return Err(ChunkFromFrame::Empty);
    }
    let (chunk_seq, global_seq) = numbers;
    Ok(Chunk {
        connection_id,
        chunk_seq,
        global_seq,
        elapsed,
        kind,
        data,
        exit_code,
        message,
    })
}

/// The frame of a chunk, without stamp.
///
/// # Errors
/// An outbound chunk, one of unknown kind, an exit without code.
pub fn frame_from_chunk(chunk: Chunk) -> Result<Frame, FrameFromChunk> {
    let Chunk {
        global_seq,
        kind,
        data,
        exit_code,
        message,
        ..
    } = chunk;
    let message = Some(message).filter(|message| !message.is_empty());
    let event = match kind {
        ChunkKind::Stdout if data.is_empty() && message.is_some() => FrameEvent::MessageOnly,
        ChunkKind::Stdout => FrameEvent::Stdout(data),
        ChunkKind::Stderr => FrameEvent::Stderr(data),
        ChunkKind::Exit => match exit_code {
            Some(code) => FrameEvent::Exit(ExitCode::new(code)),
            None => return Err(FrameFromChunk::MissingExitCode { global_seq }),
        },
        kind => return Err(FrameFromChunk::UnsupportedKind { global_seq, kind }),
    };
    Ok(Frame {
        event,
        message,
        stamp: None,
    })
}
