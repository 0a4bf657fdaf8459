//! How a process and its output ended, and the exit frame that says so.

use std::fmt;
use std::io;
use std::process::ExitStatus;

use cassette_format::process::{ExitCode, Frame};

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

/// What became of the output of a process that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) output: OutputEnd,
    /// Bytes that were read and not kept.
    pub(crate) discarded: u64,
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

/// The last frame of a process. Its message says only what is out of the
/// ordinary: the signal, an output that did not end by itself, discarded bytes.
pub(crate) fn exit_frame(status: &io::Result<ExitStatus>, ended: Ended) -> Frame {
    let mut remarks = Vec::new();
    let code = match status {
        Ok(status) => status.code().map_or_else(
            || {
                remarks.push(status.to_string());
                ExitCode::SIGNALED
            },
            |code| ExitCode::new(code.into()),
        ),
        Err(error) => {
            remarks.push(format!("waiting failed: {error}"));
            ExitCode::new(1)
        }
    };
    if ended.output != OutputEnd::Eof {
        remarks.push(format!("output: {}", ended.output));
    }
    if ended.discarded > 0 {
        remarks.push(format!("discarded: {} bytes", ended.discarded));
    }
    let frame = Frame::exit(code);
    if remarks.is_empty() {
        frame
    } else {
        frame.with_message(remarks.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_what_is_out_of_the_ordinary_and_nothing_else() {
        let fine = Ended {
            output: OutputEnd::Eof,
            discarded: 0,
        };
        let cut = Ended {
            output: OutputEnd::Limit,
            discarded: 7,
        };

        assert_eq!(
            exit_frame(&Ok(ExitStatus::default()), fine),
            Frame::exit(ExitCode::new(0))
        );
        assert_eq!(
            exit_frame(&Ok(ExitStatus::default()), cut),
            Frame::exit(ExitCode::new(0)).with_message("output: limit; discarded: 7 bytes")
        );
        assert_eq!(
            exit_frame(&Err(io::Error::other("gone")), fine),
            Frame::exit(ExitCode::new(1)).with_message("waiting failed: gone")
        );
    }
}
