//! What a scripted peer expects and says, in order.

use std::collections::VecDeque;

use crate::process::{ExitCode, Frame};

/// A conversation from the process's side. Expected bytes are a stream: how the
/// host cuts its writes does not matter.
///
/// ```
/// use cassette_format::process::{ExitCode, Script};
///
/// let script = Script::new()
///     .expect(b"{\"id\":1,\"method\":\"initialize\"}\n")
///     .stdout(b"{\"id\":1,\"result\":{}}\n")
///     .exit(ExitCode::new(0));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Script {
    steps: VecDeque<Step>,
    /// How many steps were played.
    played: usize,
}

#[derive(Debug, Clone)]
enum Step {
    Expect(Vec<u8>),
    ExpectEndOfInput,
    Emit(Frame),
}

/// The host did not follow a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The host sent other bytes.
    #[error("step {step} of the script expects other bytes: they differ at byte {offset}")]
    Unexpected {
        /// The step, from 1.
        step: usize,
        /// The first byte that differs.
        offset: usize,
    },
    /// The host sent bytes that no step expects.
    #[error("the host sent {bytes} bytes after step {step}, where the script expects none")]
    Unasked {
        /// The last step, from 1.
        step: usize,
        /// How many bytes.
        bytes: usize,
    },
    /// Steps are left.
    #[error("the script stopped at step {step} with {left} steps left")]
    Unfinished {
        /// The step that waits, from 1.
        step: usize,
        /// How many steps are left, it included.
        left: usize,
    },
    /// There was no script for this launch.
    #[error("no script is left for launch {launch}")]
    NoScript {
        /// The launch, from 1.
        launch: usize,
    },
    /// The peer was told to refuse this.
    #[error("the peer was told to refuse this")]
    Refused,
}

impl Script {
    /// A script of no step: everything is said and checked by hand, through
    /// [`MemoryPeer`](super::MemoryPeer).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until the host has sent exactly these bytes.
    #[must_use]
    pub fn expect(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.steps.push_back(Step::Expect(bytes.into()));
        self
    }

    /// Waits until the host ends the input.
    #[must_use]
    pub fn expect_end_of_input(mut self) -> Self {
        self.steps.push_back(Step::ExpectEndOfInput);
        self
    }

    /// Says this.
    #[must_use]
    pub fn emit(mut self, frame: Frame) -> Self {
        self.steps.push_back(Step::Emit(frame));
        self
    }

    /// Writes to standard output.
    #[must_use]
    pub fn stdout(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.emit(Frame::stdout(bytes))
    }

    /// Writes to standard error.
    #[must_use]
    pub fn stderr(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.emit(Frame::stderr(bytes))
    }

    /// Ends.
    #[must_use]
    pub fn exit(self, code: ExitCode) -> Self {
        self.emit(Frame::exit(code))
    }

    /// Whether it is empty, so that nothing is checked.
    pub(super) fn is_by_hand(&self) -> bool {
        self.played == 0 && self.steps.is_empty()
    }

    /// Plays on as far as `input` and the end of input allow: takes what was
    /// expected from the front of `input`, gives what is said to `say`.
    pub(super) fn advance(
        &mut self,
        input: &mut Vec<u8>,
        input_ended: bool,
        say: &mut VecDeque<Frame>,
    ) -> Result<(), ScriptError> {
        while let Some(step) = self.steps.front() {
            match step {
                Step::Emit(frame) => say.push_back(frame.clone()),
                Step::ExpectEndOfInput if input_ended && input.is_empty() => {}
                Step::ExpectEndOfInput => break,
                Step::Expect(expected) => {
                    let differs = expected
                        .iter()
                        .zip(&*input)
                        .position(|(want, got)| want != got);
                    if let Some(offset) = differs {
                        return Err(ScriptError::Unexpected {
                            step: self.played + 1,
                            offset,
                        });
                    }
                    if input.len() < expected.len() {
                        return Ok(());
                    }
                    input.drain(..expected.len());
                }
            }
            self.steps.pop_front();
            self.played += 1;
        }
        if input.is_empty() {
            Ok(())
        } else {
            Err(ScriptError::Unasked {
                step: self.played,
                bytes: input.len(),
            })
        }
    }

    /// Whether every step was played.
    pub(super) fn finished(&self) -> Result<(), ScriptError> {
        match self.steps.len() {
            0 => Ok(()),
            left => Err(ScriptError::Unfinished {
                step: self.played + 1,
                left,
            }),
        }
    }
}
