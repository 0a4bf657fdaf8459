//! What a started process is spoken to through.

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// The host's ends of the three pipes.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}
