//! A connection as byte streams: what stock protocol clients speak over.
//!
//! No task and no runtime is needed: whoever polls a part moves the whole
//! along, and everyone who waits is woken.

mod pump;
mod streams;
mod wakers;

pub use streams::{ExitStatus, Stdio, StdioExit, StdioReader, StdioStderr, StdioWriter};
