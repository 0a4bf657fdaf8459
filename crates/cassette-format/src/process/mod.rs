//! What a host and an agent process are to each other: launches, frames, the
//! transport traits, and two things every implementation shares – byte streams
//! over a connection ([`Stdio`]) and a scripted peer in memory
//! ([`MemoryTransport`]).
//!
//! Nothing here starts a process or touches a file.

mod conversion;
mod end_request;
mod environment;
mod failure;
mod frame;
mod launch;
mod memory;
mod playback;
mod stdio;
mod transport;
mod unit;

pub use conversion::{ChunkFromFrame, FrameFromChunk, chunk_from_frame, frame_from_chunk};
pub use end_request::EndRequest;
pub use environment::{EffectiveEnvironment, Inheritance};
pub use failure::Failure;
pub use frame::{ExitCode, Frame, FrameEvent, FrameParts, InvalidFrame, Stamp};
pub use launch::{ExecutableIdentity, InvalidIdentity, Launch, LaunchSpec, SessionContext};
pub use memory::{MemoryPeer, MemoryTransport, Operation, Script, ScriptError};
pub use playback::{
    CursorError, PlaybackControl, PlaybackState, PlaybackUnavailable, Speed, UnsupportedSpeed,
};
pub use stdio::{ExitStatus, Stdio, StdioExit, StdioReader, StdioStderr, StdioWriter};
pub use transport::{
    ControlError, ProcessConnection, ProcessTransport, RecvError, SendError, StartError,
};
pub use unit::{InputUnit, UnitError, UnitPosition};
