//! How a process and its output ended, and the exit frame that says so.

use std::fmt;
use std::io;
use std::process::ExitStatus;

use cassette_format::process::{ExitCode, Frame};

use crate::sys;

/// Why no more output was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputEnd {
    /// Everyone had closed it: all of it was read.
    Eof,
    /// A descendant held it open and was silent.
    Grace,
    /// A descendant held it open and went on writing.
    Limit,
    /// The host had dropped the connection, or the runtime was shut down.
    Abandoned,
}

/// How a process and its output ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExitReport {
    /// The exit code: [`ExitCode::SIGNALED`] by a signal, 1 if it is not known.
    pub code: ExitCode,
    /// The number of the signal that ended it, where there are signals.
    pub signal: Option<i32>,
    /// Why the exit code is not known.
    pub failure: Option<io::ErrorKind>,
    /// Why no more output was read.
    pub output: OutputEnd,
    /// Bytes of output that were read and not kept.
    pub discarded_bytes: u64,
}

impl fmt::Display for OutputEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Eof => "eof",
            Self::Grace => "grace",
            Self::Limit => "limit",
            Self::Abandoned => "abandoned",
        })
    }
}

impl ExitReport {
    pub(crate) fn new(
        status: &io::Result<ExitStatus>,
        output: OutputEnd,
        discarded_bytes: u64,
    ) -> Self {
        let known = status.as_ref().ok();
        let code = known.map_or(ExitCode::new(1), |status| {
            status
                .code()
                .map_or(ExitCode::SIGNALED, |code| ExitCode::new(code.into()))
        });
        Self {
            code,
            signal: known.and_then(sys::signal),
            failure: status.as_ref().err().map(io::Error::kind),
            output,
            discarded_bytes,
        }
    }
}

/// The last frame of a process. Its message says only what is out of the
/// ordinary: the signal, an output that did not end by itself, discarded bytes.
pub(crate) fn exit_frame(status: &io::Result<ExitStatus>, report: &ExitReport) -> Frame {
    let mut remarks = Vec::new();
    match status {
        Ok(status) if report.code == ExitCode::SIGNALED => remarks.push(status.to_string()),
        Ok(_) => {}
        Err(error) => remarks.push(format!("waiting failed: {error}")),
    }
    if report.output != OutputEnd::Eof {
        remarks.push(format!("output: {}", report.output));
    }
    if report.discarded_bytes > 0 {
        remarks.push(format!("discarded: {} bytes", report.discarded_bytes));
    }
    let frame = Frame::exit(report.code);
    if remarks.is_empty() {
        frame
    } else {
        frame.with_message(remarks.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(status: &io::Result<ExitStatus>, output: OutputEnd, discarded: u64) -> Frame {
        exit_frame(status, &ExitReport::new(status, output, discarded))
    }

    #[test]
    fn the_message_names_what_is_out_of_the_ordinary_and_nothing_else() {
        let fine = Ok(ExitStatus::default());
        let gone = Err(io::Error::other("gone"));

        assert_eq!(
            frame(&fine, OutputEnd::Eof, 0),
            Frame::exit(ExitCode::new(0))
        );
        assert_eq!(
            frame(&fine, OutputEnd::Limit, 7),
            Frame::exit(ExitCode::new(0)).with_message("output: limit; discarded: 7 bytes")
        );
        assert_eq!(
            frame(&gone, OutputEnd::Eof, 0),
            Frame::exit(ExitCode::new(1)).with_message("waiting failed: gone")
        );
    }
}
